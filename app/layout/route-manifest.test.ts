import { expect, test } from 'vitest'
import { publicManifestOf } from './route-manifest.server.ts'

const screen = (id: string, parentId: string | undefined, path?: string) => ({
  id,
  ...(parentId === undefined ? {} : { parentId }),
  ...(path === undefined ? {} : { path }),
  hasAction: false,
  hasDefaultExport: true,
  imports: id === 'root' ? ['/base.js', '/frame.js'] : ['/base.js', '/frame.js', `/${id}-besides.js`],
})

test('the public manifest leaves out the panel, routes with neither screen nor action, and imports already there', () => {
  const routes = [
    screen('root', undefined),
    screen('frame', 'root'),
    screen('home', 'frame'),
    screen('candidate', 'frame', 'candidatas'),
    screen('panel', 'frame', 'organizadores'),
    screen('entry', 'panel', 'inscripciones/:id'),
    screen('counting', 'frame'),
    screen('results', 'counting', 'misspopularidad-resultados'),
    screen('unknown', 'frame', '*'),
    { ...screen('hour', 'root', 'hora'), hasDefaultExport: false },
    { ...screen('door', 'root', 'entrar'), hasDefaultExport: false, hasAction: true },
    screen('report', 'frame', 'visitas/:clave'),
    // Not the panel: the path only begins with the same word.
    screen('organisers', 'frame', 'organizadores-del-certamen'),
  ]
  const whole = {
    url: '/assets/manifest-0a1b.js',
    version: 'v',
    entry: { imports: ['/base.js'] },
    routes: Object.fromEntries(routes.map((route) => [route.id, route])),
  }
  const cut = publicManifestOf(whole)
  expect(Object.keys(cut.routes)).toEqual(['root', 'frame', 'home', 'candidate', 'unknown', 'door', 'organisers'])
  expect(cut).toMatchObject({ version: 'v', url: '/assets/manifest-publico-0a1b.js' })
  expect(cut.routes.root).toMatchObject({ imports: ['/base.js', '/frame.js'] })
  expect(cut.routes.candidate).toMatchObject({ imports: ['/candidate-besides.js'] })
  expect(cut.routes.candidate).not.toHaveProperty('hasAction')
})
