import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createAccount } from '#app/accounts/people/mutations.server.ts'
import { openOutbox } from '#app/core/mail-transport/outbox-folder.server.ts'
import { openSmtp } from '#app/core/mail-transport/smtp.server.ts'
import { readEntry } from '#app/entries/data.server.ts'
import { deleteEntry } from '#app/entries/retention/deletion.server.ts'
import { changeState, requestDocument } from '#app/entries/states/mutations.server.ts'
import { seedEntry } from '#tests/support/entries/seeded-entries.ts'
import { decryptMail } from '#tests/support/mail/decrypted-mail.ts'
import { FROM, sendQueuedMails } from '#tests/support/mail/queued-mail.ts'
import { listenSmtp } from '#tests/support/mail/smtp-listener.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import {
  countUndelivered,
  listRecipients,
  listTemplateVersions,
  listUndelivered,
  readContact,
  readTemplate,
} from './data.server.ts'
import { notify, notifyOfTransition, saveTemplate } from './mutations.server.ts'
import { DEFAULT_TEXTS } from './rules.ts'

let site: TestSite
const actor = { quien: 'nadie', desde: 'prueba' }
beforeAll(async () => {
  site = await openTestSite()
  await createAccount(site.services.db, { email: 'eva@comite.example', role: 'admin' }, actor)
  actor.quien = (await site.services.db.selectFrom('profiles').select('id').executeTakeFirstOrThrow()).id
})
afterAll(() => site.close())
const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

const db = () => site.services.db

/** Seeds an accepted entry, with a note for the entrant. */
async function accepted(seed: Parameters<typeof seedEntry>[1] = {}, note = 'Trae tu acta el lunes') {
  const id = await seedEntry(site.services, { correo: 'ana@ejemplo.mx', ...seed })
  await changeState(db(), { id, version: 1 }, { to: 'aceptada', note, isForEntrant: true }, actor)
  const [recipient] = await listRecipients(db(), [id])
  return {
    id,
    recipient: recipient!,
    requested: { entryId: id, occasion: 'aceptada' as const, changeId: recipient!.changeId, noticeNumber: 1 },
  }
}
const mailsOf = (id: number) => db().selectFrom('correos').selectAll().where('inscripcion_id', '=', id).execute()

test('of two concurrent presses one message goes out, and stands in the log', async () => {
  const { id, requested } = await accepted({ titular: 'Ana Sofía Colorín Nardo' })
  const both = await Promise.all([1, 2].map(() => notify(db(), site.services, requested, actor)))
  expect(both.map((one) => one.ok && one.isRepeated).sort()).toEqual([false, true])
  const [email, ...more] = await mailsOf(id)
  expect(more).toEqual([])
  const { subject, text } = decryptMail(email!)
  expect(subject).toMatch(/^Tu registro para .* fue aceptado$/)
  expect(text).toContain('¡Felicidades, Ana Sofía!')
  expect(text).toContain('Trae tu acta el lunes')
  const { notices } = (await listRecipients(db(), [id]))[0]!
  expect(notices).toMatchObject([{ suerte: 'espera', author: 'eva@comite.example', para: 'ana@ejemplo.mx' }])
  const log = await db().selectFrom('bitacora').select('que').where('inscripcion', '=', id).execute()
  expect(log.filter(({ que }) => que === 'mensaje.aviso')).toHaveLength(1)
  // A second message takes a second press, on purpose.
  expect(await notify(db(), site.services, { ...requested, noticeNumber: 2 }, actor)).toEqual({
    ok: true,
    isRepeated: false,
  })
})

test('no message goes out about an outdated state, nor to an entrant without a valid email', async () => {
  const { id, requested } = await accepted()
  await changeState(db(), { id, version: 2 }, { to: 'rechazada', note: '' }, actor)
  expect(await notify(db(), site.services, requested, actor)).toEqual({ ok: false, reason: 'cambio' })
  const unreachable = await accepted({ correo: undefined as never })
  await db().updateTable('inscripciones').set({ correo: null }).where('id', '=', unreachable.id).execute()
  expect(await notify(db(), site.services, unreachable.requested, actor)).toEqual({ ok: false, reason: 'sin-correo' })
  await db().updateTable('inscripciones').set({ correo: 'nadie' }).where('id', '=', unreachable.id).execute()
  expect(await notify(db(), site.services, unreachable.requested, actor)).toEqual({ ok: false, reason: 'direccion' })
  expect(await notify(db(), site.services, { ...requested, entryId: 999_999 }, actor)).toMatchObject({
    reason: 'borrada',
  })
  expect([...(await mailsOf(id)), ...(await mailsOf(unreachable.id))]).toEqual([])
})

test('a document request and its message are stored together or not at all', async () => {
  const id = await seedEntry(site.services, { correo: 'ana@ejemplo.mx' })
  const { documents } = (await readEntry(db(), id))!
  const ask = (notify: (tx: ReturnType<typeof db>) => Promise<unknown>) =>
    requestDocument(
      db(),
      { id, version: 1 },
      { documentId: documents[0]!.id, note: 'No se lee el número', notify },
      actor,
    )
  const fails = ask(async (tx) => {
    await notifyOfTransition(tx, site.services, id, actor)
    throw new Error('the disk is full')
  })
  await expect(fails).rejects.toThrow('the disk is full')
  expect(await mailsOf(id)).toEqual([])
  expect(await ask((tx) => notifyOfTransition(tx, site.services, id, actor))).toEqual({ ok: true })
  const [email] = await mailsOf(id)
  expect(email!.kind).toBe('documento')
  expect(decryptMail(email!).text).toContain('No se lee el número')
  expect(decryptMail(email!).text).toContain('https://feria.example/folio#')
})

test('templates are kept by version, and an edit that began from an older one is refused', async () => {
  const at = new Date()
  const words = { ...DEFAULT_TEXTS.rechazada, asunto: 'Gracias, {nombre}' }
  const keep = (view: number, change = {}) =>
    saveTemplate(db(), { occasion: 'rechazada', baseVersion: view, texts: { ...words, ...change }, at }, actor)
  expect(await readTemplate(db(), 'rechazada')).toMatchObject({ version: 0, author: null })
  expect(await keep(0, { texto: 'Hola {nombe}' })).toMatchObject({ ok: false, reason: 'faults' })
  const both = await Promise.all([keep(0), keep(0, { titulo: 'Otro' })])
  expect(both.filter(({ ok }) => ok)).toHaveLength(1)
  expect(both.find(({ ok }) => !ok)).toMatchObject({ reason: 'version', current: { version: 1 } })
  expect((await keep(1, { titulo: 'Otro más' })).ok).toBe(true)
  const all = await listTemplateVersions(db(), 'rechazada')
  expect(all.map(({ version, author }) => [version, author])).toEqual([
    [2, 'eva@comite.example'],
    [1, 'eva@comite.example'],
    [0, null],
  ])
})

test('the delivery status of a message is the mail server’s answer, never assumed before', async () => {
  const smtp = await listenSmtp({ onRecipient: (address) => (address.startsWith('nadie') ? 550 : 250) })
  open.push(() => smtp.close())
  const good = await accepted({ titular: 'Llega' })
  const bad = await accepted({ titular: 'No llega', correo: 'nadie@ejemplo.mx' })
  for (const { requested } of [good, bad]) await notify(db(), site.services, requested, actor)
  const deliveryStatus = async (id: number) =>
    (await readContact(site.services, (await readEntry(db(), id))!)).notices[0]!
  expect(await deliveryStatus(good.id)).toMatchObject({ suerte: 'espera', suerteAt: undefined })
  await sendQueuedMails(site.services, openSmtp(smtp.url, FROM))
  expect(await deliveryStatus(good.id)).toMatchObject({
    suerte: 'enviado',
    suerteAt: expect.any(Date),
    motivo: undefined,
  })
  expect(await deliveryStatus(bad.id)).toMatchObject({
    suerte: 'rechazado',
    motivo: expect.stringContaining('no aceptó esa dirección (respuesta 550)'),
  })
  const before = await countUndelivered(db(), 2025)
  expect((await listUndelivered(db(), 2025)).map(({ entry }) => entry.id)).toContain(bad.id)
  // A newer message, to a corrected address: the old one does not count any more.
  await db().updateTable('inscripciones').set({ correo: 'ana@ejemplo.mx' }).where('id', '=', bad.id).execute()
  expect(await notify(db(), site.services, { ...bad.requested, noticeNumber: 2 }, actor)).toMatchObject({
    ok: true,
    isRepeated: false,
  })
  expect(await countUndelivered(db(), 2025)).toBe(before - 1)
  await db().deleteFrom('correos').where('sent_at', 'is', null).execute()
})

test('without a mail server no message counts as sent', async () => {
  const { id, requested } = await accepted()
  await notify(db(), site.services, requested, actor)
  await sendQueuedMails(site.services, openOutbox(`${site.dataDir}/outbox`, FROM))
  const { notices, hasSmtp } = await readContact(site.services, (await readEntry(db(), id))!)
  expect(hasSmtp).toBe(false)
  expect(notices[0]).toMatchObject({ suerte: 'guardado', motivo: expect.stringContaining('no le llegó a nadie') })
  expect((await listUndelivered(db(), 2025)).map(({ entry }) => entry.id)).toContain(id)
})

test('messages are deleted with their entry', async () => {
  const { id, requested } = await accepted()
  await notify(db(), site.services, requested, actor)
  await deleteEntry(site.services, id, 'solicitud', actor)
  const { rows } = await sql<{ n: number }>`
    select (select count(*) from mensajes where inscripcion_id = ${id}) +
      (select count(*) from correos where inscripcion_id = ${id}) as n`.execute(db())
  expect(Number(rows[0]!.n)).toBe(0)
})

test('WhatsApp is offered for entrants who allow it, a call for all', async () => {
  const read = async (id: number) => readContact(site.services, (await readEntry(db(), id))!)
  const one = await accepted({ mayUseWhatsApp: true, celular: '33 1234 5678', titular: 'Ana Sofía Colorín Nardo' })
  const contact = await read(one.id)
  expect(contact.tel).toBe('tel:+523312345678')
  const url = new URL(contact.whatsapp!)
  expect(url.origin + url.pathname).toBe('https://wa.me/523312345678')
  expect(url.searchParams.get('text')).toMatch(/^Hola, Ana Sofía\. .*aceptó tu registro\..*\/folio#/)
  const other = await accepted({ celular: '33 1234 5678' })
  expect(await read(other.id)).toMatchObject({ tel: 'tel:+523312345678', whatsapp: undefined })
})
