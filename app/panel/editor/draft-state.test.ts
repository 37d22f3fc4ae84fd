import { expect, test } from 'vitest'
import {
  type DraftDocument,
  fieldKeyOf,
  fieldOfKey,
  isUnsaved,
  newDraftDocument,
  parseStoredDocuments,
  serializeUnsaved,
  withChoice,
  withField,
  withoutRemovalNotice,
  withReceived,
  withSaved,
  withSending,
  withStored,
} from './draft-state.ts'

const D = 'inicio.yaml'
const valor = { introduccion: 'Hola', lema: 'Lema', noticias: [{ titulo: 'Uno', texto: 'a' }] }
const opened = (value: unknown = valor) => newDraftDocument({ version: '1', valor: value })
const typing = (text: string) => withField(opened(), ['introduccion'], text)
const sentValue = (document: DraftDocument) => withSending(document).sent!.value
const receive = (document: DraftDocument, valor: unknown, quien: string | null = 'ana@x') =>
  withReceived(document, D, { version: '5', valor, quien, at: 9 })
const storedOf = (document: DraftDocument) => parseStoredDocuments(serializeUnsaved({ [D]: document })!)![D]!

test('typing makes a document unsaved, and typing the old text back does not', () => {
  expect(isUnsaved(typing('Hola, tú'))).toBe(true)
  expect(isUnsaved(withField(typing('Hola, tú'), ['introduccion'], 'Hola'))).toBe(false)
})

test('a text is kept without invisible characters, its letters composed, and typing continues from it', () => {
  const typed = 'Zoe\u0301\u200b'
  expect(typing(typed).mine).toMatchObject({ introduccion: 'Zoé' })
  expect(withField(typing(typed), ['introduccion'], `${typed} `).mine).toMatchObject({ introduccion: 'Zoé ' })
})

test('typing while a document is being sent stays unsaved on top of it', () => {
  const after = withSaved(withField(withSending(typing('Uno')), ['introduccion'], 'Dos'), '2')
  expect(after).toMatchObject({ version: '2', site: { introduccion: 'Uno' }, mine: { introduccion: 'Dos' } })
  expect(isUnsaved(after)).toBe(true)
})

test('changes of others show in fields without local changes', () => {
  const both = receive(typing('Mía'), { ...valor, lema: 'De Ana' })
  expect(both.mine).toMatchObject({ introduccion: 'Mía', lema: 'De Ana' })
  expect(both.remoteChanges).toEqual({ 'inicio.lema': { quien: 'ana@x', at: 9 } })
  expect(both.conflicts).toEqual([])
  expect(sentValue(both)).toEqual({ ...valor, introduccion: 'Mía', lema: 'De Ana' })
})

test('a field changed on both sides is a conflict: the local text stays in sight, and is sent once chosen', () => {
  const clash = receive(typing('Mía'), { ...valor, introduccion: 'De Ana' })
  expect(isUnsaved(clash)).toBe(false)
  expect(clash).toMatchObject({ lastEditor: 'ana@x', conflicts: [{ theirs: 'De Ana', mine: 'Mía' }] })
  const typed = withField(clash, ['introduccion'], 'Mía también')
  expect(typed.mine).toMatchObject({ introduccion: 'Mía también' })
  expect(isUnsaved(typed)).toBe(false)
  const theirs = withChoice(typed, typed.conflicts[0]!, 'theirs')
  expect(theirs).toMatchObject({ mine: { introduccion: 'De Ana' }, conflicts: [] })
  const chosen = withChoice(typed, typed.conflicts[0]!, 'mine')
  expect(chosen.conflicts).toEqual([])
  expect(sentValue(chosen)).toMatchObject({ introduccion: 'Mía también' })
})

test('other fields are saved while a conflict waits, and the conflict follows its item', () => {
  const typed = withField(opened(), ['noticias', 0, 'titulo'], 'Mío')
  const clash = receive(typed, { ...valor, noticias: [{ titulo: 'Suyo', texto: 'a' }] })
  const items = (clash.mine as typeof valor).noticias
  const moved = withField(clash, ['noticias'], [{ titulo: '', texto: 'nueva' }, ...items])
  const conflict = { field: ['noticias', 1, 'titulo'], mine: 'Mío', theirs: 'Suyo' }
  expect(moved.conflicts).toMatchObject([conflict])
  expect(sentValue(moved)).toMatchObject({ noticias: [{ texto: 'nueva' }, { titulo: 'Suyo' }] })
  const saved = withSaved(withSending(moved), '6')
  expect(isUnsaved(saved)).toBe(false)
  expect(saved.conflicts).toMatchObject([conflict])
  const again = receive(saved, saved.site)
  expect(again.conflicts).toMatchObject([conflict])
  expect(sentValue(withChoice(again, again.conflicts[0]!, 'mine'))).toMatchObject({
    noticias: [{ texto: 'nueva' }, { titulo: 'Mío' }],
  })
})

test('a choice made while another field is being saved stays', () => {
  const clash = receive(typing('Mía'), { ...valor, introduccion: 'De Ana' })
  const sending = withSending(withField(clash, ['lema'], 'Otro'))
  const saved = withSaved(withChoice(sending, sending.conflicts[0]!, 'mine'), '6')
  expect(saved).toMatchObject({ site: { lema: 'Otro', introduccion: 'De Ana' }, conflicts: [] })
  expect(sentValue(saved)).toMatchObject({ lema: 'Otro', introduccion: 'Mía' })
})

test('a conflict ends when the other person takes the change back', () => {
  const back = receive(receive(typing('Mía'), { ...valor, introduccion: 'De Ana' }), valor)
  expect(back.conflicts).toEqual([])
  expect(sentValue(back)).toMatchObject({ introduccion: 'Mía' })
})

test('a sending without an answer loses no change and repeats none', () => {
  const added = withField(typing('Mía'), ['noticias'], [...valor.noticias, { titulo: '', texto: '' }])
  const sending = withSending(added)
  const lost = withField(sending, ['noticias', 1, 'titulo'], 'Más')
  // The sending had arrived.
  const seen = receive(lost, sending.sent!.value, null)
  expect(seen).toMatchObject({ mine: lost.mine, conflicts: [] })
  expect(isUnsaved(seen)).toBe(true)
  // The page was closed before the answer.
  expect(withStored(opened(sending.sent!.value), storedOf(lost))).toMatchObject({ mine: lost.mine, conflicts: [] })
})

test('text typed in an item that another person removed is kept to be copied', () => {
  const typed = withField(opened(), ['noticias', 0, 'titulo'], 'Corregido')
  const after = receive(typed, { ...valor, noticias: [] })
  expect(after).toMatchObject({ mine: { noticias: [] }, removals: [{ quito: 'otro', valor: ['Corregido'] }] })
  expect(withStored(opened(), storedOf(after)).removals).toEqual(after.removals)
  expect(serializeUnsaved({ [D]: withoutRemovalNotice(after, after.removals[0]!, false) })).toBeUndefined()
})

test('an item that was removed here and changed by another person is removed once more, or stays', () => {
  const changed = { titulo: 'Otro', texto: 'a' }
  const after = receive(withField(opened(), ['noticias'], []), { ...valor, noticias: [changed] })
  expect(after.mine).toMatchObject({ noticias: [changed] })
  expect(withoutRemovalNotice(after, after.removals[0]!, true).mine).toMatchObject({ noticias: [] })
  expect(isUnsaved(withoutRemovalNotice(after, after.removals[0]!, false))).toBe(false)
})

test('changes stored on the device are applied over the current state of the site', () => {
  const stored = storedOf(typing('Mía'))
  const fresh = withStored(opened({ ...valor, lema: 'Otro' }), stored)
  expect(fresh.mine).toMatchObject({ introduccion: 'Mía', lema: 'Otro' })
  const clash = withStored(opened({ ...valor, introduccion: 'X' }), stored)
  expect(clash.conflicts).toMatchObject([{ mine: 'Mía', theirs: 'X' }])
})

test('a damaged entry on the device is ignored', () => {
  for (const text of ['{"documents":{', 'null', '{"documents":3}', '{"pendientes":[],"choques":[]}', null])
    expect(parseStoredDocuments(text)).toBeUndefined()
})

test('the key of a field leads back to it', () => {
  expect(fieldOfKey(fieldKeyOf(D, ['noticias', 0, 'titulo']))).toEqual({
    document: D,
    field: ['noticias', 0, 'titulo'],
  })
})
