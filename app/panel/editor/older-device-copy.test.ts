import { expect, test } from 'vitest'
import { newDocument, withStored } from './draft-state.ts'
import { readOlderCopy } from './older-device-copy.ts'

const D = 'inicio.yaml'
const items = [{ titulo: 'Uno' }, { titulo: 'Dos' }]
const opened = (valor: unknown) => ({ [D]: newDocument({ version: '1', valor }) })
const takenOver = (documents: ReturnType<typeof opened>, copy: object) =>
  withStored(documents[D]!, readOlderCopy(JSON.stringify(copy), documents)![D]!)
const at = (campo: (string | number)[]) => ({ documento: D, campo, vistos: [] })

test('changes and conflicts that the version before stored are taken over', () => {
  const pendientes = [
    { que: 'poner', ...at(['introduccion']), antes: 'Hola', ahora: 'Hola, tú' },
    { que: 'poner', ...at(['introduccion']), antes: 'Hola, tú', ahora: 'Hola, todas' },
    { que: 'agregar', ...at(['noticias']), en: 2, largo: 2, ahora: { titulo: 'Tres' } },
    { que: 'mover', ...at(['noticias']), en: 0, a: 2, antes: items[0] },
    { que: 'quitar', ...at(['noticias']), en: 0, largo: 3, antes: items[1], dudoso: true },
    { que: 'poner', documento: 'otro.yaml', campo: ['x'], vistos: [], ahora: 'x' },
  ]
  const choques = [
    {
      retoque: { que: 'poner', ...at(['lema']), antes: 'Lema', ahora: 'Mío' },
      ...{ suyo: 'Suyo', quien: 'ana@x', perdido: false },
    },
  ]
  const documents = opened({ introduccion: 'Hola', lema: 'Suyo', noticias: items })
  const taken = takenOver(documents, { pendientes, choques })
  expect(taken.mine).toEqual({
    introduccion: 'Hola, todas',
    lema: 'Mío',
    noticias: [{ titulo: 'Tres' }, { titulo: 'Uno' }],
  })
  expect(taken.conflicts).toMatchObject([{ field: ['lema'], mine: 'Mío', theirs: 'Suyo' }])
})

test('changes that had arrived are not repeated', () => {
  const pendientes = [
    { que: 'agregar', ...at(['noticias']), en: 2, largo: 2, ahora: { titulo: 'Tres' }, dudoso: true },
    { que: 'quitar', ...at(['noticias']), en: 0, largo: 3, antes: { titulo: 'Nada' }, dudoso: true },
  ]
  const documents = opened({ noticias: [...items, { titulo: 'Tres' }] })
  expect(takenOver(documents, { pendientes, choques: [] }).mine).toEqual(documents[D]!.mine)
})

test('another text is no copy of the version before', () => {
  for (const text of ['{"pendientes":[', 'null', '{"pendientes":3}', null])
    expect(readOlderCopy(text, opened({}))).toBeUndefined()
})
