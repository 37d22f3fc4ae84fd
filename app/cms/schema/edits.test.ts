import { expect, test } from 'vitest'
import { applyEdit, type Edit, isEqual, seenItemsTo, valueAt, withValueAt } from './edits.ts'

const document = 'inicio.yaml'
const news = [
  { titulo: 'Uno', texto: 'a' },
  { titulo: 'Dos', texto: 'b' },
]
const value = { introduccion: 'Hola', noticias: news }

const set = (field: (string | number)[], now: unknown, seen: unknown = value): Edit => {
  const edit = {
    que: 'poner' as const,
    documento: document,
    campo: field,
    vistos: seenItemsTo(seen, field),
    ahora: now,
  }
  const before = valueAt(seen, field)
  return before === undefined ? edit : { ...edit, antes: before }
}

test('a field is set if it is as seen; else nothing changes, and the current value is returned', () => {
  expect(applyEdit(value, set(['introduccion'], 'Adiós'))).toMatchObject({ ok: true, value: { introduccion: 'Adiós' } })
  const changed = { ...value, introduccion: 'Otra cosa' }
  expect(applyEdit(changed, set(['introduccion'], 'Adiós'))).toMatchObject({ ok: false, actual: 'Otra cosa' })
  // A second sending after a lost answer.
  expect(applyEdit({ ...value, introduccion: 'Adiós' }, set(['introduccion'], 'Adiós'))).toMatchObject({ ok: true })
})

test('a text is saved without invisible characters, its letters composed, and the next edit continues from it', () => {
  const typed = 'Zoe\u0301\u200b'
  const done = applyEdit(value, set(['introduccion'], typed))
  expect(done).toMatchObject({ ok: true, value: { introduccion: 'Zoé' } })
  const seen = done.ok ? done.value : undefined
  expect(applyEdit(seen, set(['introduccion'], `${typed} `, seen))).toMatchObject({ value: { introduccion: 'Zoé ' } })
  expect(applyEdit(seen, set(['introduccion'], typed))).toMatchObject({ ok: true })
  const add = { que: 'agregar' as const, documento: document, campo: ['noticias'], vistos: [], en: 2, largo: 2 }
  const added = applyEdit(value, { ...add, ahora: { titulo: typed, texto: '' } })
  expect(added.ok && valueAt(added.value, ['noticias', 2, 'titulo'])).toBe('Zoé')
})

test('a missing field is added, and a field can be removed', () => {
  const added = applyEdit(value, set(['lema'], 'Nuevo'))
  expect(added).toMatchObject({ ok: true, value: { lema: 'Nuevo' } })
  const gone = applyEdit({ ...value, lema: 'Nuevo' }, { ...set(['lema'], undefined), antes: 'Nuevo' } as Edit)
  expect(gone).toEqual({ ok: true, value: value, field: ['lema'] })
})

test('a field follows its item, which another person moved', () => {
  const moved = { ...value, noticias: [{ titulo: 'Nueva', texto: '' }, news[1], news[0]] }
  const done = applyEdit(moved, set(['noticias', 0, 'titulo'], 'Uno, corregido'))
  expect(done).toMatchObject({ ok: true, field: ['noticias', 2, 'titulo'] })
  // The item is found, too, when another of its fields was changed meanwhile.
  const both = { ...value, noticias: [news[1], { titulo: 'Uno', texto: 'cambiado' }] }
  const kept = applyEdit(both, set(['noticias', 0, 'titulo'], 'Uno, corregido'))
  expect(kept.ok && valueAt(kept.value, ['noticias', 1])).toEqual({ titulo: 'Uno, corregido', texto: 'cambiado' })
})

test('an item is known by its id, even if its other fields have changed', () => {
  const seen = {
    candidatas: [
      { id: 'ana', nombre: 'Ana' },
      { id: 'eva', nombre: 'Eva' },
    ],
  }
  const now = {
    candidatas: [
      { id: 'eva', nombre: 'Eva' },
      { id: 'ana', nombre: 'Ana', edad: 20 },
    ],
  }
  const done = applyEdit(now, set(['candidatas', 0, 'nombre'], 'Ana María', seen))
  expect(done).toMatchObject({ ok: true, field: ['candidatas', 1, 'nombre'] })
})

test('a paragraph follows its own words', () => {
  const seen = { parrafos: ['a', 'b'] }
  expect(applyEdit({ parrafos: ['nuevo', 'a', 'b'] }, set(['parrafos', 1], 'B', seen))).toMatchObject({
    value: { parrafos: ['nuevo', 'a', 'B'] },
  })
  expect(applyEdit({ parrafos: ['a', 'otro'] }, set(['parrafos', 1], 'B', seen))).toMatchObject({
    ok: false,
    actual: 'otro',
  })
  expect(applyEdit({ parrafos: [] }, set(['parrafos', 1], 'B', seen))).toEqual({ ok: false, actual: undefined })
})

test('items are added, taken away and moved', () => {
  const list = { documento: document, campo: ['noticias'], vistos: [] }
  const newOne = { titulo: '', texto: '' }
  expect(applyEdit(value, { ...list, que: 'agregar', en: 2, largo: 2, ahora: newOne })).toMatchObject({
    value: { noticias: [...news, newOne] },
  })
  expect(applyEdit(value, { ...list, que: 'quitar', en: 0, largo: 2, antes: news[0] })).toMatchObject({
    value: { noticias: [news[1]] },
  })
  expect(applyEdit(value, { ...list, que: 'mover', en: 0, a: 1, antes: news[0] })).toMatchObject({
    value: { noticias: [news[1], news[0]] },
  })
  // Another person changed the item to be removed, so it stays.
  const changed = { ...value, noticias: [{ titulo: 'Uno', texto: 'otro' }, news[1]] }
  expect(applyEdit(changed, { ...list, que: 'quitar', en: 0, largo: 2, antes: news[0] })).toMatchObject({
    ok: false,
    actual: { titulo: 'Uno', texto: 'otro' },
  })
})

test('an edit that is sent twice, because the answer got lost, is applied once', () => {
  const list = { documento: document, campo: ['noticias'], vistos: [], dudoso: true }
  const newOne = { titulo: '', texto: '' }
  const add: Edit = { ...list, que: 'agregar', en: 2, largo: 2, ahora: newOne }
  const added = { ...value, noticias: [...news, newOne] }
  expect(applyEdit(added, add)).toMatchObject({ ok: true, value: added })
  expect(applyEdit(value, add)).toMatchObject({ ok: true, value: added })
  const remove: Edit = { ...list, que: 'quitar', en: 0, largo: 2, antes: news[0] }
  const less = { ...value, noticias: [news[1]] }
  expect(applyEdit(less, remove)).toMatchObject({ ok: true, value: less })
  const move: Edit = { ...list, que: 'mover', en: 0, a: 1, antes: news[0] }
  const swapped = { ...value, noticias: [news[1], news[0]] }
  expect(applyEdit(swapped, move)).toMatchObject({ ok: true, value: swapped })
})

test('values are compared deeply, and names of Object.prototype are no fields', () => {
  expect(isEqual({ a: [1, { b: 'x' }] }, { a: [1, { b: 'x' }] })).toBe(true)
  expect(isEqual({ a: 1, b: undefined }, { a: 1 })).toBe(true)
  expect(isEqual([1], { 0: 1 })).toBe(false)
  expect(withValueAt({}, ['__proto__', 'x'], 1)).toEqual({})
  expect(({} as { x?: number }).x).toBeUndefined()
  expect(valueAt({}, ['constructor', 'name'])).toBeUndefined()
})

test('a list longer than any form makes is changed by index, and not searched by similarity', () => {
  const words = (text: string) => ({ que: text, lugar: text, nota: 'x'.repeat(40) })
  const list = Array.from({ length: 5_000 }, (_, at) => words(`evento ${at}`))
  const viewed = { ...words('evento 7'), quien: 'alguien' }
  let read = 0
  const watched = list.map(
    (item) =>
      new Proxy(item, {
        ownKeys(target) {
          read++
          return Reflect.ownKeys(target)
        },
      }),
  )
  const done = applyEdit(
    { eventos: watched },
    { que: 'mover', documento: 'programa.yaml', campo: ['eventos'], vistos: [], en: 7, a: 9, antes: viewed },
  )
  expect(done.ok).toBe(true)
  // The search for an equal item reads each item once at most.
  expect(read).toBeLessThan(3 * list.length)
})
