import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '#tests/support/persistence/database.ts'
import { mergeRedirects, renamedTeacherPaths, storeRedirects } from './redirects.server.ts'

const documentsWith = (...teachers: object[]) => ({ 'maestros.yaml': { maestros: teachers } })
const ana = { nombre: 'Ana Nardo', foto: { foto: 'fotos/a.jpg' } }
const eva = { nombre: 'Eva Ceiba', foto: { foto: 'fotos/e.jpg' } }
const THERE = (...slugs: string[]) => new Set(slugs.map((slug) => `/maestros/${slug}`))

describe('a renamed teacher', () => {
  const row = ['/maestros/ana-nardo', '/maestros/ana-lirio']
  test.each([
    ['is known by the id, wherever it stands', { ...ana, id: 'ana' }, { nombre: 'Ana Lirio', id: 'ana' }],
    ['is known by the portrait', ana, { ...ana, nombre: 'Ana Lirio' }],
    [
      'is known by the press’s portrait',
      { nombre: 'Ana Nardo', retratoBn: { foto: 'b.jpg' } },
      { nombre: 'Ana Lirio', retratoBn: { foto: 'b.jpg' } },
    ],
  ])('%s', (_, previous, now) => {
    expect([
      ...renamedTeacherPaths(documentsWith(previous, eva), documentsWith(eva, now, { nombre: 'Nueva' })),
    ]).toEqual([row])
  })
  test('is known by the place in a list of the same length', () => {
    expect([...renamedTeacherPaths(documentsWith(ana, eva), documentsWith({ nombre: 'Ana Lirio' }, eva))]).toEqual([
      row,
    ])
    expect([
      ...renamedTeacherPaths(documentsWith(ana, eva), documentsWith({ nombre: 'Ana Lirio' }, eva, { nombre: 'Otra' })),
    ]).toEqual([])
    expect([
      ...renamedTeacherPaths(documentsWith({ ...ana, id: 'a' }), documentsWith({ nombre: 'Ana Lirio', id: 'b' })),
    ]).toEqual([])
  })
  test('is no teacher who was matched elsewhere; a portrait that two teachers share matches neither', () => {
    expect([...renamedTeacherPaths(documentsWith(ana, eva), documentsWith(eva, ana))]).toEqual([])
    const both = { foto: { foto: 'x.jpg' } }
    const before = documentsWith({ nombre: 'Ana Nardo', ...both }, { nombre: 'Eva Ceiba', ...both })
    const after = documentsWith({ nombre: 'Una', ...both }, { nombre: 'Otra', ...both }, { nombre: 'Más' })
    expect([...renamedTeacherPaths(before, after)]).toEqual([])
  })
  test('gets no redirect after swapping names with another teacher: both addresses are pages', () => {
    const [a, e] = [
      { ...ana, id: 'a' },
      { ...eva, id: 'e' },
    ]
    expect([
      ...renamedTeacherPaths(
        documentsWith(a, e),
        documentsWith({ ...a, nombre: e.nombre }, { ...e, nombre: a.nombre }),
      ),
    ]).toEqual([])
  })
})

describe('redirections', () => {
  const map = (...pairs: [string, string][]) =>
    new Map(pairs.map(([from, to]) => [`/maestros/${from}`, `/maestros/${to}`]))
  test('lead to the newest name at once', () => {
    expect(mergeRedirects(map(['a', 'b']), map(['b', 'c']), THERE('c'))).toEqual(map(['a', 'c'], ['b', 'c']))
  })
  test('never turn in a circle, and none stands where there is a page again', () => {
    expect(mergeRedirects(map(['a', 'b']), map(['b', 'a']), THERE('a'))).toEqual(map(['b', 'a']))
    expect(mergeRedirects(map(['a', 'b'], ['b', 'a']), map(), THERE('c'))).toEqual(map())
  })
  test('never lead to a missing page', () => {
    expect(mergeRedirects(map(['a', 'b']), map(), THERE('c'))).toEqual(map())
  })
})

describe('redirections in the database', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await freshDatabase()
  })
  afterAll(() => database.drop())

  test('follow a name through three publications and back, and leave other addresses alone', async () => {
    const { db } = database
    const now = new Date()
    await db.insertInto('redirecciones').values({ desde: '/viejo', hacia: '/nuevo', at: now }).execute()
    const rows = async () =>
      (await db.selectFrom('redirecciones').selectAll().orderBy('desde').execute()).map(
        ({ desde, hacia }) => `${desde} ${hacia}`,
      )
    const [one, two, three] = ['Ana Nardo', 'Ana Lirio', 'Ana Dalia'].map((name) =>
      documentsWith({ ...ana, nombre: name }, eva),
    )
    await storeRedirects(db, undefined, one!, now)
    expect(await rows()).toEqual(['/viejo /nuevo'])
    await storeRedirects(db, one, two!, now)
    await storeRedirects(db, two, three!, now)
    expect(await rows()).toEqual([
      '/maestros/ana-lirio /maestros/ana-dalia',
      '/maestros/ana-nardo /maestros/ana-dalia',
      '/viejo /nuevo',
    ])
    await storeRedirects(db, three, one!, now)
    expect(await rows()).toEqual([
      '/maestros/ana-dalia /maestros/ana-nardo',
      '/maestros/ana-lirio /maestros/ana-nardo',
      '/viejo /nuevo',
    ])
  })
})
