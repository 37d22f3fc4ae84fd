import { expect, test } from 'vitest'
import { mergeThreeWays } from './three-way-merge.ts'

const one = { titulo: 'Uno', texto: 'a' }
const two = { titulo: 'Dos', texto: 'b' }
const newOne = { titulo: 'Nueva', texto: 'n' }
const before = { introduccion: 'Hola', lema: 'Lema', noticias: [one, two] }

test('different fields of one document are merged; equal changes are one', () => {
  const { value, conflicts } = mergeThreeWays(
    before,
    { ...before, introduccion: 'Mía', nota: 'igual' },
    { ...before, lema: 'Suyo', nota: 'igual' },
  )
  expect(value).toEqual({ ...before, introduccion: 'Mía', lema: 'Suyo', nota: 'igual' })
  expect(conflicts).toEqual([])
})

test('a field of both sides is a conflict, and the merged document has the local value', () => {
  const { value, conflicts } = mergeThreeWays(
    before,
    { ...before, introduccion: 'Mía' },
    { ...before, introduccion: 'Suya', noticias: [newOne, one, two] },
  )
  expect(value).toEqual({ ...before, introduccion: 'Mía', noticias: [newOne, one, two] })
  expect(conflicts).toEqual([
    { field: ['introduccion'], theirField: ['introduccion'], before: 'Hola', mine: 'Mía', theirs: 'Suya' },
  ])
})

test('a photograph is one field', () => {
  const photo = { foto: 'a.jpg', alt: 'a', foco: [50, 50] }
  const { conflicts } = mergeThreeWays(photo, { ...photo, foto: 'b.jpg' }, { ...photo, alt: 'c' })
  expect(conflicts).toMatchObject([{ field: [], mine: { foto: 'b.jpg' }, theirs: { alt: 'c' } }])
})

test('a field follows its item, which the other side moved and changed', () => {
  const mine = [{ ...one, titulo: 'Uno, corregido' }, two]
  const { value, conflicts } = mergeThreeWays([one, two], mine, [newOne, two, { ...one, texto: 'suyo' }])
  expect(value).toEqual([newOne, two, { titulo: 'Uno, corregido', texto: 'suyo' }])
  expect(conflicts).toEqual([])
})

test('a conflict in a moved item has its place on both sides', () => {
  const mine = [two, { ...one, titulo: 'Mío' }]
  const { value, conflicts } = mergeThreeWays([one, two], mine, [{ ...one, titulo: 'Suyo' }, two])
  expect(value).toEqual(mine)
  expect(conflicts).toMatchObject([{ field: [1, 'titulo'], theirField: [0, 'titulo'], mine: 'Mío', theirs: 'Suyo' }])
})

test('an item is known by its id, even if its other fields have changed', () => {
  const [ana, eva] = [
    { id: 'ana', nombre: 'Ana' },
    { id: 'eva', nombre: 'Eva' },
  ]
  const mine = [{ ...ana, nombre: 'Ana María' }, eva]
  expect(mergeThreeWays([ana, eva], mine, [eva, { ...ana, edad: 20 }]).value).toEqual([
    eva,
    { ...ana, nombre: 'Ana María', edad: 20 },
  ])
})

test('new items of both sides stay, each after its neighbour; the same new item is one', () => {
  const [mine, theirs] = [{ titulo: 'Mía' }, { titulo: 'Suya' }]
  expect(mergeThreeWays([one, two], [one, mine, two], [theirs, one, two]).value).toEqual([theirs, one, mine, two])
  expect(mergeThreeWays([one], [one, mine], [one, theirs]).value).toEqual([one, mine, theirs])
  expect(mergeThreeWays([one], [one, mine, theirs], [one, mine]).value).toEqual([one, mine, theirs])
  expect(mergeThreeWays(undefined, [mine], [theirs]).value).toEqual([mine, theirs])
})

test('items are moved on one side and changed, added and removed on the other', () => {
  const three = { titulo: 'Tres', texto: 'c' }
  const all = [one, two, three]
  const changed = [one, { ...two, texto: 'B' }, newOne, three]
  const merged = [three, { ...two, texto: 'B' }, newOne, one]
  expect(mergeThreeWays(all, [three, two, one], changed).value).toEqual(merged)
  expect(mergeThreeWays(all, changed, [three, two, one]).value).toEqual(merged)
  expect(mergeThreeWays(all, [three, one], [one, two, newOne, three]).value).toEqual([three, one, newOne])
})

test('an item that was removed beside a new one is not taken for it', () => {
  const three = { titulo: 'Tres', texto: 'c' }
  const [mine, theirs] = [
    { titulo: 'Mía', texto: '' },
    { titulo: 'Suya', texto: '' },
  ]
  const changed = { ...two, titulo: 'Dos y dos' }
  expect(mergeThreeWays([one, two, three], [one, changed, mine], [one, { ...three, titulo: 'III' }, theirs])).toEqual({
    value: [one, mine, { ...three, titulo: 'III' }, theirs],
    conflicts: [],
    removals: [
      { lista: [], quito: 'otro', valor: ['Dos y dos'] },
      { lista: [], quito: 'yo', valor: { ...three, titulo: 'III' } },
    ],
  })
})

test('a paragraph follows its own words', () => {
  expect(mergeThreeWays(['a', 'b'], ['a', 'B'], ['nuevo', 'a', 'b']).value).toEqual(['nuevo', 'a', 'B'])
  expect(mergeThreeWays(['a', 'b'], ['a', 'B'], ['a', 'otro']).conflicts).toMatchObject([{ mine: 'B', theirs: 'otro' }])
})

test('an item that was removed here and changed there stays; one removed there goes, and its new text is told', () => {
  const changed = { ...one, titulo: 'Otro' }
  expect(mergeThreeWays(before, { ...before, noticias: [two] }, { ...before, noticias: [changed, two] })).toMatchObject(
    {
      value: { noticias: [changed, two] },
      removals: [{ lista: ['noticias'], quito: 'yo', valor: changed }],
    },
  )
  expect(mergeThreeWays(before, { ...before, noticias: [changed, two] }, { ...before, noticias: [two] })).toMatchObject(
    {
      value: { noticias: [two] },
      removals: [{ lista: ['noticias'], quito: 'otro', valor: ['Otro'] }],
    },
  )
  expect(mergeThreeWays(before, { ...before, noticias: [two] }, { ...before, noticias: [one] })).toMatchObject({
    value: { noticias: [] },
    removals: [],
  })
})
