import { expect, test } from 'vitest'
import { retocar } from '#app/cms/schema/edits.ts'
import {
  type Cola,
  confirmada,
  conGuardada,
  conRetoque,
  enviando,
  mostrados,
  nuevaCola,
  ponerEn,
  recibidos,
  resuelta,
  sinRespuesta,
} from './draft-queue.ts'

const D = 'inicio.yaml'
const valor = { introduccion: 'Hola', lema: 'Lema', noticias: [{ titulo: 'Uno', texto: 'a' }] }
const cola = () => nuevaCola({ [D]: { version: '1', valor } })
const escribir = (from: Cola, campo: (string | number)[], ahora: unknown) =>
  conRetoque(from, ponerEn(from, D, campo, ahora))
const bien = (from: Cola, version = '2') =>
  confirmada(from, {
    hechos: from.pendientes.slice(0, from.enCamino).map(() => ({ ok: true })),
    documentos: { [D]: { version } },
  })

test('what is typed in one field without a pause is one change, and typed back it is none', () => {
  const one = escribir(escribir(cola(), ['introduccion'], 'Hola,'), ['introduccion'], 'Hola, tú')
  expect(one.pendientes).toMatchObject([{ antes: 'Hola', ahora: 'Hola, tú' }])
  expect(escribir(one, ['introduccion'], 'Hola').pendientes).toEqual([])
})

test('what is typed while a change is on its way is a change over it', () => {
  const sent = enviando(escribir(cola(), ['introduccion'], 'Uno'))
  const more = escribir(sent, ['introduccion'], 'Dos')
  expect(more.pendientes).toMatchObject([
    { antes: 'Hola', ahora: 'Uno' },
    { antes: 'Uno', ahora: 'Dos' },
  ])
  const after = bien(more)
  expect(after.documentos[D]).toMatchObject({ version: '2', valor: { introduccion: 'Uno' } })
  expect(mostrados(after)[D]).toMatchObject({ introduccion: 'Dos' })
})

test('what others change shows in fields that nobody changes here', () => {
  const mine = escribir(cola(), ['introduccion'], 'Mía')
  const both = recibidos(mine, { [D]: { version: '5', valor: { ...valor, lema: 'De Ana' }, quien: 'ana@x', at: 9 } })
  expect(mostrados(both)[D]).toMatchObject({ introduccion: 'Mía', lema: 'De Ana' })
  expect(both.ajenos).toEqual({ 'inicio.lema': { quien: 'ana@x', at: 9 } })
  expect(both.choques).toEqual([])
})

test('a field that both changed clashes: what was typed here stays in sight, and is sent once it is chosen', () => {
  const mine = escribir(cola(), ['introduccion'], 'Mía')
  const clash = recibidos(mine, {
    [D]: { version: '5', valor: { ...valor, introduccion: 'De Ana' }, quien: 'ana@x', at: 9 },
  })
  expect(clash.pendientes).toEqual([])
  expect(clash.choques).toMatchObject([{ suyo: 'De Ana', quien: 'ana@x', retoque: { ahora: 'Mía' } }])
  const typed = escribir(clash, ['introduccion'], 'Mía también')
  expect(mostrados(typed)[D]).toMatchObject({ introduccion: 'Mía también' })
  expect(typed.pendientes).toEqual([])
  const theirs = resuelta(typed, typed.choques[0]!, 'suyo')
  expect(mostrados(theirs)[D]).toMatchObject({ introduccion: 'De Ana' })
  const chosen = resuelta(typed, typed.choques[0]!, 'mio')
  expect(chosen.choques).toEqual([])
  expect(chosen.pendientes).toMatchObject([{ antes: 'De Ana', ahora: 'Mía también' }])
})

test('a refusal of the site is a clash, too', () => {
  const sent = escribir(enviando(escribir(cola(), ['introduccion'], 'Mí')), ['introduccion'], 'Mía')
  const clash = confirmada(sent, {
    hechos: [{ ok: false, actual: 'De Ana', quien: 'ana@x' }],
    documentos: { [D]: { version: '7', valor: { ...valor, introduccion: 'De Ana' } } },
  })
  expect(clash.choques).toMatchObject([{ suyo: 'De Ana', quien: 'ana@x', retoque: { ahora: 'Mía' } }])
  expect(clash.pendientes).toEqual([])
})

test('without an answer nothing is lost and nothing done twice', () => {
  const nueva = { titulo: '', texto: '' }
  const adding = {
    que: 'agregar' as const,
    documento: D,
    campo: ['noticias'],
    vistos: [],
    en: 1,
    largo: 1,
    ahora: nueva,
  }
  const lost = sinRespuesta(enviando(conRetoque(escribir(cola(), ['introduccion'], 'Mía'), adding)))
  expect(lost.pendientes.every(({ dudoso }) => dudoso)).toBe(true)
  // It had arrived.
  const site = { ...valor, introduccion: 'Mía', noticias: [...valor.noticias, nueva] }
  const seen = recibidos(lost, { [D]: { version: '3', valor: site, quien: null, at: 1 } })
  expect(mostrados(seen)[D]).toEqual(site)
  expect(seen.choques).toEqual([])
  expect(
    seen.pendientes.reduce((value: unknown, one) => {
      const hecho = retocar(value, one)
      return hecho.ok ? hecho.valor : value
    }, site),
  ).toEqual(site)
})

test('a field of an item follows the item that somebody else moved', () => {
  const mine = escribir(cola(), ['noticias', 0, 'titulo'], 'Uno, corregido')
  const moved = { ...valor, noticias: [{ titulo: 'Nueva', texto: '' }, ...valor.noticias] }
  const after = recibidos(mine, { [D]: { version: '3', valor: moved, quien: null, at: 1 } })
  expect(after.pendientes).toMatchObject([{ campo: ['noticias', 1, 'titulo'] }])
})

test('what was typed in something that somebody took away is kept to be copied', () => {
  const mine = escribir(cola(), ['noticias', 0, 'titulo'], 'Uno, corregido')
  const after = recibidos(mine, { [D]: { version: '3', valor: { ...valor, noticias: [] }, quien: 'ana@x', at: 1 } })
  expect(after.choques).toMatchObject([{ perdido: true, retoque: { ahora: 'Uno, corregido' } }])
  expect(mostrados(after)[D]).toMatchObject({ noticias: [] })
})

test('what the device kept goes over what the site has now', () => {
  const kept = escribir(cola(), ['introduccion'], 'Mía')
  const fresh = conGuardada(nuevaCola({ [D]: { version: '9', valor: { ...valor, lema: 'Otro' } } }), kept)
  expect(mostrados(fresh)[D]).toMatchObject({ introduccion: 'Mía', lema: 'Otro' })
})
