import { expect, test } from 'vitest'
import { conValor, isIgual, type Retoque, retocar, valorEn, vistosHacia } from './edits.ts'

const documento = 'inicio.yaml'
const noticias = [
  { titulo: 'Uno', texto: 'a' },
  { titulo: 'Dos', texto: 'b' },
]
const valor = { introduccion: 'Hola', noticias }

const poner = (campo: (string | number)[], ahora: unknown, seen: unknown = valor): Retoque => {
  const retoque = { que: 'poner' as const, documento, campo, vistos: vistosHacia(seen, campo), ahora }
  const antes = valorEn(seen, campo)
  return antes === undefined ? retoque : { ...retoque, antes }
}

test('a field is set where it stands as it was seen; else nothing happens, and how it stands is told', () => {
  expect(retocar(valor, poner(['introduccion'], 'Adiós'))).toMatchObject({ ok: true, valor: { introduccion: 'Adiós' } })
  const changed = { ...valor, introduccion: 'Otra cosa' }
  expect(retocar(changed, poner(['introduccion'], 'Adiós'))).toMatchObject({ ok: false, actual: 'Otra cosa' })
  // It arrived before, and its answer got lost.
  expect(retocar({ ...valor, introduccion: 'Adiós' }, poner(['introduccion'], 'Adiós'))).toMatchObject({ ok: true })
})

test('a text is kept without what nobody can see to have typed, its letters composed, and goes on from there', () => {
  const typed = 'Zoe\u0301\u200b'
  const hecho = retocar(valor, poner(['introduccion'], typed))
  expect(hecho).toMatchObject({ ok: true, valor: { introduccion: 'Zoé' } })
  const seen = hecho.ok ? hecho.valor : undefined
  expect(retocar(seen, poner(['introduccion'], `${typed} `, seen))).toMatchObject({ valor: { introduccion: 'Zoé ' } })
  expect(retocar(seen, poner(['introduccion'], typed))).toMatchObject({ ok: true })
  const agregar = { que: 'agregar' as const, documento, campo: ['noticias'], vistos: [], en: 2, largo: 2 }
  const added = retocar(valor, { ...agregar, ahora: { titulo: typed, texto: '' } })
  expect(added.ok && valorEn(added.valor, ['noticias', 2, 'titulo'])).toBe('Zoé')
})

test('a field that there was not is added, and one can be taken away', () => {
  const added = retocar(valor, poner(['lema'], 'Nuevo'))
  expect(added).toMatchObject({ ok: true, valor: { lema: 'Nuevo' } })
  const gone = retocar({ ...valor, lema: 'Nuevo' }, { ...poner(['lema'], undefined), antes: 'Nuevo' } as Retoque)
  expect(gone).toEqual({ ok: true, valor, campo: ['lema'] })
})

test('a field of an item follows the item that somebody else moved', () => {
  const moved = { ...valor, noticias: [{ titulo: 'Nueva', texto: '' }, noticias[1], noticias[0]] }
  const done = retocar(moved, poner(['noticias', 0, 'titulo'], 'Uno, corregido'))
  expect(done).toMatchObject({ ok: true, campo: ['noticias', 2, 'titulo'] })
  // Also when another of its fields was changed meanwhile.
  const both = { ...valor, noticias: [noticias[1], { titulo: 'Uno', texto: 'cambiado' }] }
  const kept = retocar(both, poner(['noticias', 0, 'titulo'], 'Uno, corregido'))
  expect(kept.ok && valorEn(kept.valor, ['noticias', 1])).toEqual({ titulo: 'Uno, corregido', texto: 'cambiado' })
})

test('an item is known by its id, whatever else became of it', () => {
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
  const done = retocar(now, poner(['candidatas', 0, 'nombre'], 'Ana María', seen))
  expect(done).toMatchObject({ ok: true, campo: ['candidatas', 1, 'nombre'] })
})

test('a paragraph follows its own words', () => {
  const seen = { parrafos: ['a', 'b'] }
  expect(retocar({ parrafos: ['nuevo', 'a', 'b'] }, poner(['parrafos', 1], 'B', seen))).toMatchObject({
    valor: { parrafos: ['nuevo', 'a', 'B'] },
  })
  expect(retocar({ parrafos: ['a', 'otro'] }, poner(['parrafos', 1], 'B', seen))).toMatchObject({
    ok: false,
    actual: 'otro',
  })
  expect(retocar({ parrafos: [] }, poner(['parrafos', 1], 'B', seen))).toEqual({ ok: false, actual: undefined })
})

test('items are added, taken away and moved', () => {
  const lista = { documento, campo: ['noticias'], vistos: [] }
  const nueva = { titulo: '', texto: '' }
  expect(retocar(valor, { ...lista, que: 'agregar', en: 2, largo: 2, ahora: nueva })).toMatchObject({
    valor: { noticias: [...noticias, nueva] },
  })
  expect(retocar(valor, { ...lista, que: 'quitar', en: 0, largo: 2, antes: noticias[0] })).toMatchObject({
    valor: { noticias: [noticias[1]] },
  })
  expect(retocar(valor, { ...lista, que: 'mover', en: 0, a: 1, antes: noticias[0] })).toMatchObject({
    valor: { noticias: [noticias[1], noticias[0]] },
  })
  // Somebody else changed the item that is to go: it stays.
  const changed = { ...valor, noticias: [{ titulo: 'Uno', texto: 'otro' }, noticias[1]] }
  expect(retocar(changed, { ...lista, que: 'quitar', en: 0, largo: 2, antes: noticias[0] })).toMatchObject({
    ok: false,
    actual: { titulo: 'Uno', texto: 'otro' },
  })
})

test('what was sent twice, because its answer got lost, is done once', () => {
  const lista = { documento, campo: ['noticias'], vistos: [], dudoso: true }
  const nueva = { titulo: '', texto: '' }
  const agregar: Retoque = { ...lista, que: 'agregar', en: 2, largo: 2, ahora: nueva }
  const added = { ...valor, noticias: [...noticias, nueva] }
  expect(retocar(added, agregar)).toMatchObject({ ok: true, valor: added })
  expect(retocar(valor, agregar)).toMatchObject({ ok: true, valor: added })
  const quitar: Retoque = { ...lista, que: 'quitar', en: 0, largo: 2, antes: noticias[0] }
  const less = { ...valor, noticias: [noticias[1]] }
  expect(retocar(less, quitar)).toMatchObject({ ok: true, valor: less })
  const mover: Retoque = { ...lista, que: 'mover', en: 0, a: 1, antes: noticias[0] }
  const swapped = { ...valor, noticias: [noticias[1], noticias[0]] }
  expect(retocar(swapped, mover)).toMatchObject({ ok: true, valor: swapped })
})

test('values are compared by what they say, and a name of the language is no field', () => {
  expect(isIgual({ a: [1, { b: 'x' }] }, { a: [1, { b: 'x' }] })).toBe(true)
  expect(isIgual({ a: 1, b: undefined }, { a: 1 })).toBe(true)
  expect(isIgual([1], { 0: 1 })).toBe(false)
  expect(conValor({}, ['__proto__', 'x'], 1)).toEqual({})
  expect(({} as { x?: number }).x).toBeUndefined()
  expect(valorEn({}, ['constructor', 'name'])).toBeUndefined()
})

test('a list longer than any form makes is changed at its place, and not searched word by word', () => {
  const words = (text: string) => ({ que: text, lugar: text, nota: 'x'.repeat(40) })
  const lista = Array.from({ length: 5_000 }, (_, at) => words(`evento ${at}`))
  const visto = { ...words('evento 7'), quien: 'alguien' }
  let read = 0
  const watched = lista.map(
    (item) =>
      new Proxy(item, {
        ownKeys(target) {
          read++
          return Reflect.ownKeys(target)
        },
      }),
  )
  const hecho = retocar(
    { eventos: watched },
    { que: 'mover', documento: 'programa.yaml', campo: ['eventos'], vistos: [], en: 7, a: 9, antes: visto },
  )
  expect(hecho.ok).toBe(true)
  // Once at most for the search of what is the very same.
  expect(read).toBeLessThan(3 * lista.length)
})
