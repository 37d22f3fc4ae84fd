import { expect, test } from 'vitest'
import { applyEdit } from '#app/cms/schema/edits.ts'
import {
  applyAnswer,
  applyRemoteChanges,
  type DraftQueue,
  fieldEdit,
  markSending,
  newQueue,
  readStored,
  resolveConflict,
  shownDocuments,
  withEdit,
  withoutAnswer,
  withStored,
} from './draft-queue.ts'

const D = 'inicio.yaml'
const valor = { introduccion: 'Hola', lema: 'Lema', noticias: [{ titulo: 'Uno', texto: 'a' }] }
const newTestQueue = () => newQueue({ [D]: { version: '1', valor } })
const editDraft = (from: DraftQueue, field: (string | number)[], now: unknown) =>
  withEdit(from, fieldEdit(from, D, field, now))
const ok = (from: DraftQueue, version = '2') =>
  applyAnswer(from, {
    hechos: from.pendingEdits.slice(0, from.inFlight).map(() => ({ ok: true })),
    documentos: { [D]: { version } },
  })

test('typing in one field without a pause is one change, and typing the old text back is none', () => {
  const one = editDraft(editDraft(newTestQueue(), ['introduccion'], 'Hola,'), ['introduccion'], 'Hola, tú')
  expect(one.pendingEdits).toMatchObject([{ antes: 'Hola', ahora: 'Hola, tú' }])
  expect(editDraft(one, ['introduccion'], 'Hola').pendingEdits).toEqual([])
})

test('typing while a change is being sent makes a second change on top of it', () => {
  const sent = markSending(editDraft(newTestQueue(), ['introduccion'], 'Uno'))
  const more = editDraft(sent, ['introduccion'], 'Dos')
  expect(more.pendingEdits).toMatchObject([
    { antes: 'Hola', ahora: 'Uno' },
    { antes: 'Uno', ahora: 'Dos' },
  ])
  const after = ok(more)
  expect(after.documents[D]).toMatchObject({ version: '2', valor: { introduccion: 'Uno' } })
  expect(shownDocuments(after)[D]).toMatchObject({ introduccion: 'Dos' })
})

test('changes of others show in fields without local changes', () => {
  const mine = editDraft(newTestQueue(), ['introduccion'], 'Mía')
  const both = applyRemoteChanges(mine, {
    [D]: { version: '5', valor: { ...valor, lema: 'De Ana' }, quien: 'ana@x', at: 9 },
  })
  expect(shownDocuments(both)[D]).toMatchObject({ introduccion: 'Mía', lema: 'De Ana' })
  expect(both.remoteChanges).toEqual({ 'inicio.lema': { quien: 'ana@x', at: 9 } })
  expect(both.conflicts).toEqual([])
})

test('a field changed on both sides is a conflict: the local text stays in sight, and is sent once chosen', () => {
  const mine = editDraft(newTestQueue(), ['introduccion'], 'Mía')
  const clash = applyRemoteChanges(mine, {
    [D]: { version: '5', valor: { ...valor, introduccion: 'De Ana' }, quien: 'ana@x', at: 9 },
  })
  expect(clash.pendingEdits).toEqual([])
  expect(clash.conflicts).toMatchObject([{ suyo: 'De Ana', quien: 'ana@x', retoque: { ahora: 'Mía' } }])
  const typed = editDraft(clash, ['introduccion'], 'Mía también')
  expect(shownDocuments(typed)[D]).toMatchObject({ introduccion: 'Mía también' })
  expect(typed.pendingEdits).toEqual([])
  const theirs = resolveConflict(typed, typed.conflicts[0]!, 'theirs')
  expect(shownDocuments(theirs)[D]).toMatchObject({ introduccion: 'De Ana' })
  const chosen = resolveConflict(typed, typed.conflicts[0]!, 'mine')
  expect(chosen.conflicts).toEqual([])
  expect(chosen.pendingEdits).toMatchObject([{ antes: 'De Ana', ahora: 'Mía también' }])
})

test('a change that the site refuses is a conflict, too', () => {
  const sent = editDraft(markSending(editDraft(newTestQueue(), ['introduccion'], 'Mí')), ['introduccion'], 'Mía')
  const clash = applyAnswer(sent, {
    hechos: [{ ok: false, actual: 'De Ana', quien: 'ana@x' }],
    documentos: { [D]: { version: '7', valor: { ...valor, introduccion: 'De Ana' } } },
  })
  expect(clash.conflicts).toMatchObject([{ suyo: 'De Ana', quien: 'ana@x', retoque: { ahora: 'Mía' } }])
  expect(clash.pendingEdits).toEqual([])
})

test('a sending without an answer loses no change and repeats none', () => {
  const newOne = { titulo: '', texto: '' }
  const adding = {
    que: 'agregar' as const,
    documento: D,
    campo: ['noticias'],
    vistos: [],
    en: 1,
    largo: 1,
    ahora: newOne,
  }
  const lost = withoutAnswer(markSending(withEdit(editDraft(newTestQueue(), ['introduccion'], 'Mía'), adding)))
  expect(lost.pendingEdits.every(({ dudoso }) => dudoso)).toBe(true)
  // The sending had arrived.
  const site = { ...valor, introduccion: 'Mía', noticias: [...valor.noticias, newOne] }
  const seen = applyRemoteChanges(lost, { [D]: { version: '3', valor: site, quien: null, at: 1 } })
  expect(shownDocuments(seen)[D]).toEqual(site)
  expect(seen.conflicts).toEqual([])
  expect(
    seen.pendingEdits.reduce((value: unknown, one) => {
      const done = applyEdit(value, one)
      return done.ok ? done.value : value
    }, site),
  ).toEqual(site)
})

test('a change within an item follows the item when another person moves it', () => {
  const mine = editDraft(newTestQueue(), ['noticias', 0, 'titulo'], 'Uno, corregido')
  const moved = { ...valor, noticias: [{ titulo: 'Nueva', texto: '' }, ...valor.noticias] }
  const after = applyRemoteChanges(mine, { [D]: { version: '3', valor: moved, quien: null, at: 1 } })
  expect(after.pendingEdits).toMatchObject([{ campo: ['noticias', 1, 'titulo'] }])
})

test('text typed in an item that another person removed is kept to be copied', () => {
  const mine = editDraft(newTestQueue(), ['noticias', 0, 'titulo'], 'Uno, corregido')
  const after = applyRemoteChanges(mine, {
    [D]: { version: '3', valor: { ...valor, noticias: [] }, quien: 'ana@x', at: 1 },
  })
  expect(after.conflicts).toMatchObject([{ perdido: true, retoque: { ahora: 'Uno, corregido' } }])
  expect(shownDocuments(after)[D]).toMatchObject({ noticias: [] })
})

test('changes stored on the device are applied over the current state of the site', () => {
  const { pendingEdits, conflicts } = editDraft(newTestQueue(), ['introduccion'], 'Mía')
  const site = newQueue({ [D]: { version: '9', valor: { ...valor, lema: 'Otro' } } })
  const fresh = withStored(site, { pendientes: pendingEdits, choques: conflicts })
  expect(shownDocuments(fresh)[D]).toMatchObject({ introduccion: 'Mía', lema: 'Otro' })
})

test('stored changes are read again, and a damaged entry is ignored alone', () => {
  const { pendingEdits, conflicts } = editDraft(newTestQueue(), ['introduccion'], 'Hola, tú')
  const texts = [
    '{"pendientes":[',
    JSON.stringify({ pendientes: pendingEdits, choques: conflicts }),
    'null',
    '{"pendientes":3}',
    null,
  ]
  expect(texts.map(readStored)).toEqual([
    undefined,
    { pendientes: pendingEdits, choques: conflicts },
    undefined,
    undefined,
    undefined,
  ])
})
