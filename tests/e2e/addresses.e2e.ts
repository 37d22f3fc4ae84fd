import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { createApp, earlyRoutePaths, routePatterns } from '../../server/entry.ts'
import { expect, test } from './site.ts'

test.describe.configure({ mode: 'parallel' })

interface Bundle {
  createApp: typeof createApp
  earlyRoutePaths: typeof earlyRoutePaths
  routePatterns: typeof routePatterns
}

const bundle = (): Promise<Bundle> => import(pathToFileURL(resolve('build/server/index.js')).href)

/** Mounts besides the two tables of addresses: the server's layers, the build's files, the router. */
const LAYERS = new Set(['/*', '*'])

/** Every address of app/early-routes.server.ts: how to request it, and the status without a session. */
const ASKED: Record<string, { method?: string; path?: string; status: number }> = {
  '/healthz': { status: 200 },
  '/readyz': { status: 200 },
  '/periodos': { status: 200 },
  '/subidas': { method: 'OPTIONS', status: 204 },
  '/subidas/*': { method: 'HEAD', path: '/subidas/x', status: 400 },
  '/registro/envio': { method: 'POST', status: 400 },
  '/registro-traje-tipico/envio': { method: 'POST', status: 400 },
  '/organizadores/sitio/subidas': { method: 'OPTIONS', status: 401 },
  '/organizadores/sitio/subidas/*': { method: 'HEAD', path: '/organizadores/sitio/subidas/x', status: 401 },
  '/archivos/*': { path: '/archivos/registro/x', status: 403 },
  '/misspopularidad/voto': { method: 'POST', status: 401 },
  '/visto': { method: 'POST', status: 204 },
  '/misspopularidad/sellos.json': { status: 200 },
  '/img/:file{[\\w.-]+}': { path: '/img/x.jpg', status: 404 },
  '/media/:file{[\\w.-]+}': { path: '/media/x.mp4', status: 404 },
}

test('the server answers at the addresses of the two tables, and has none beside them', async () => {
  const { createApp, earlyRoutePaths } = await bundle()
  // The app is only asked for its paths, which needs no site.
  const site = { services: { settings: { publicUrl: 'https://feria.example' } } } as unknown as Parameters<
    typeof createApp
  >[0]['site']
  const app = await createApp({ site, buildDir: resolve('build'), inlineStyleHashes: () => [] })
  const mounted = app.routes.map(({ path }) => path).filter((path) => !LAYERS.has(path))
  expect([...new Set(mounted)]).toEqual(earlyRoutePaths())
  expect(Object.keys(ASKED)).toEqual(earlyRoutePaths())
})

for (const [pattern, { method = 'GET', path = pattern, status }] of Object.entries(ASKED))
  test(`${method} ${path} is answered`, async ({ site }) => {
    const answer = await fetch(site.url + path, { method, redirect: 'manual' })
    expect(answer.status).toBe(status)
    await answer.arrayBuffer()
  })

test('a link with the punctuation of its sentence finds the page', async ({ site }) => {
  for (const sign of ['.', ',', '!', '%3F', ')', '».', '%E2%80%9D', '...', '%20', '/', './'])
    for (const path of ['/candidatas', '/maestros/lorena-magnolia-duarte']) {
      const { url, status } = await fetch(`${site.url}${path}${sign}`)
      expect([url, status], path + sign).toEqual([site.url + path, 200])
    }
  expect((await fetch(`${site.url}/no-hay-tal.`)).status).toBe(404)
  const elsewhere = await fetch(`${site.url}//otro.example/.`, { redirect: 'manual' })
  expect(elsewhere.headers.get('location')).toBe('/otro.example')
})

test('password managers find the page that changes a password', async ({ site }) => {
  const { url, status } = await fetch(`${site.url}/.well-known/change-password`)
  expect([url, status]).toEqual([`${site.url}/medios/recuperar`, 200])
})

test('every address of app/routes.ts is answered by its own route', async ({ site }) => {
  const { routePatterns } = await bundle()
  for (const pattern of routePatterns().filter((one) => !/[*]/.test(one))) {
    const path = pattern.replace(/:\w+/g, 'x')
    const answer = await fetch(site.url + path, { method: 'PUT' })
    expect(`${path} ${answer.status}`).toBe(`${path} 405`)
    await answer.arrayBuffer()
  }
})

test('an address in neither table answers 404', async ({ site }) => {
  for (const path of ['/api/auth/get-session', '/cuentas', '/votos', '/admin', '/img', '/.env', '/metrics']) {
    const answer = await fetch(site.url + path, { redirect: 'manual' })
    expect(`${path} ${answer.status}`).toBe(`${path} 404`)
    await answer.arrayBuffer()
  }
})

test('before the final is public its record says when it comes; the record of an unknown year is not found', async ({
  request,
}) => {
  const said = async (path: string) => {
    const answer = await request.get(path)
    expect(answer.status()).toBe(404)
    return answer.text()
  }
  expect(await said('/final/acta')).toContain('El acta se publica al terminar la final')
  expect(await said('/final/acta?edicion=1999')).toContain('Página no encontrada')
})
