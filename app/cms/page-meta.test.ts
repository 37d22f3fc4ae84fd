import { describe, expect, it } from 'vitest'
import { pageMeta, truncate } from './page-meta.ts'

const root = {
  id: 'root',
  loaderData: {
    origin: 'https://azahares.example',
    shareCard: { url: '/img/tarjeta-inicio-1.jpg', width: 1200, height: 630, alt: 'La feria' },
    edition: { nombre: 'Señorita Azahares', anio: 2025, descripcion: 'El certamen de la feria.' },
  },
}
const args = { location: { pathname: '/candidatas' }, matches: [root], error: null }

/** The head's elements by their name. */
const byName = (elements: ReturnType<typeof pageMeta>) =>
  Object.fromEntries(
    elements.map((one) => {
      const { title, name, property, rel, content, href } = one as Record<string, string>
      return [title ? 'title' : (name ?? property ?? rel), title ?? content ?? href]
    }),
  )

describe('pageMeta', () => {
  it('says title, description, one whole address, and the card with its measures', () => {
    expect(byName(pageMeta({ screen: 'Candidatas', description: 'Las cinco.' }, args))).toEqual({
      title: 'Candidatas · Señorita Azahares 2025',
      description: 'Las cinco.',
      canonical: 'https://azahares.example/candidatas',
      'og:site_name': 'Señorita Azahares',
      'og:locale': 'es_MX',
      'og:type': 'website',
      'og:title': 'Candidatas',
      'og:description': 'Las cinco.',
      'og:url': 'https://azahares.example/candidatas',
      'og:image': 'https://azahares.example/img/tarjeta-inicio-1.jpg',
      'og:image:type': 'image/jpeg',
      'og:image:width': '1200',
      'og:image:height': '630',
      'og:image:alt': 'La feria',
      'twitter:card': 'summary_large_image',
    })
  })

  it('takes the edition’s words where the screen has none', () => {
    const home = byName(pageMeta({}, args))
    expect(home).toMatchObject({ title: 'Señorita Azahares 2025', description: 'El certamen de la feria.' })
  })

  it.each([
    ['a screen that keeps out of search engines', { ...args, matches: [root, { id: 'x', handle: { noindex: true } }] }],
    ['a fault', { ...args, error: new Error('x') }],
  ])('gives no canonical address to %s', (_, those) => {
    const head = byName(pageMeta({}, those))
    expect(head.robots).toBe('noindex')
    expect(head.canonical).toBeUndefined()
  })

  it('still has a title when the root route failed', () => {
    expect(pageMeta({ screen: 'Algo falló' }, { ...args, matches: [] })[0]).toEqual({ title: 'Algo falló' })
  })
})

describe('truncate', () => {
  it('keeps a short text, in one line', () => {
    expect(truncate('Una\n  línea. ')).toBe('Una línea.')
  })

  it('ends after a whole word, within 160 characters', () => {
    const long = truncate(`${'palabra '.repeat(18)}segunda, tercera y cuarta`)
    expect(long).toBe(`${'palabra '.repeat(18)}segunda…`)
    expect(long.length).toBeLessThanOrEqual(160)
  })
})
