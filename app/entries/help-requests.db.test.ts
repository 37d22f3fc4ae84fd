import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { changeSetting } from '#app/cms/edition-settings/mutations.server.ts'
import { seedEntry } from '#tests/support/entries/seeded-entries.ts'
import { decryptMail } from '#tests/support/mail/decrypted-mail.ts'
import { emptyTables } from '#tests/support/persistence/database.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import {
  countRequests,
  deleteRequest,
  dismissPressRequest,
  listEntryRequests,
  listPressRequests,
  submitEntryRequest,
  submitPressRequest,
} from './help-requests.server.ts'

let site: TestSite
let ana: number
let eva: number
beforeAll(async () => {
  site = await openTestSite()
  ana = await seedEntry(site.services, {
    titular: 'Ana Sofía Rosal',
    celular: '33 1234 5678',
    correo: 'ana@correo.mx',
  })
  eva = await seedEntry(site.services, { titular: 'Eva Nogal', celular: '3387654321' })
})
afterAll(() => site.close())
beforeEach(() => emptyTables(site.database.pool, 'peticiones', 'correos'))

const db = () => site.services.db
const withMail = () => ({ ...site.services, settings: { ...site.services.settings, smtpUrl: 'smtp://localhost' } })
const ask = (kind: 'folio' | 'borrado', name: string, phone: string, services: TestSite['services'] = withMail()) =>
  submitEntryRequest(services, { kind, name, phone })
const listed = async () => (await listEntryRequests(db())).map(({ kind, entryId }) => [kind, entryId])
const mails = async () => (await db().selectFrom('correos').selectAll().execute()).map((row) => decryptMail(row))
const countMailsTo = async (address: string) =>
  (await db().selectFrom('correos').select('id').where('recipient', '=', address).execute()).length

test('a lost folio goes to the entry’s own address, once a day, or becomes a line in the panel', async () => {
  await ask('folio', ' ana  SOFIA rosal ', '+52 33 1234-5678')
  expect(await listed()).toEqual([])
  // A person who asks again on the same day may not have got the mail.
  await ask('folio', 'Ana Sofía Rosal', '3312345678')
  expect(await listed()).toEqual([['folio', ana]])
  await emptyTables(site.database.pool, 'peticiones')
  expect(await mails()).toMatchObject([{ subject: expect.stringMatching(/^Tu folio de /) }])
  expect((await db().selectFrom('correos').select('recipient').executeTakeFirstOrThrow()).recipient).toBe(
    'ana@correo.mx',
  )
  // Without an address, and without a mail server, an organiser answers.
  await ask('folio', 'Eva Nogal', '3387654321')
  await ask('folio', 'Eva Nogal', '3387654321')
  await ask('folio', 'Ana Sofía Rosal', '3312345678', site.services)
  expect(await listed()).toEqual([
    ['folio', eva],
    ['folio', ana],
  ])
})

test('a script that had folios mailed to hundreds of strangers, or filled the day’s quota, gets no more sent', async () => {
  const { pool } = site.database
  const fill = (kind: string, count: number) =>
    pool.query(`insert into correos (idempotency_key, kind, priority, recipient, inscripcion_id, sent_at, expires_at)
      select '${kind}' || n, '${kind}', 1, n || '@x.example', ${eva}, now(), now() from generate_series(1, ${count}) n`)
  const isMailed = async () => {
    await ask('folio', 'Ana Sofía Rosal', '3312345678')
    return (await countMailsTo('ana@correo.mx')) > 0
  }
  await fill('inscripcion', 500)
  expect(await isMailed()).toBe(false)
  expect(await listed()).toEqual([['folio', ana]])
  await emptyTables(pool, 'correos')
  await changeSetting(db(), 2025, { name: 'correo.cuota', value: 100, version: 0 }, TERMINAL, new Date())
  // Codes keep seven of ten mails of the quota.
  await fill('aviso', 30)
  expect(await isMailed()).toBe(false)
  await pool.query(`delete from correos where idempotency_key = 'aviso1'`)
  expect(await isMailed()).toBe(true)
  await emptyTables(pool, 'ajustes')
})

test('a deletion waits for an organiser; what matches no entry leaves nothing', async () => {
  await ask('borrado', 'Ana Sofía Rosal', '3312345678')
  for (const [name, phone] of [
    ['Ana Sofía', '3312345678'],
    ['Ana Sofía Rosal', '3387654321'],
    ['Eva Nogal', '3312345678'],
    ["' or true --", "' or true --"],
    ['Eva Nogal', ''],
  ] as const)
    await ask('borrado', name, phone)
  expect(await listed()).toEqual([['borrado', ana]])
  expect(await mails()).toEqual([])
  expect(await countRequests(db())).toEqual({ entryRequestCount: 1, pressRequestCount: 0 })
  const [request] = await listEntryRequests(db())
  await deleteRequest(db(), request!.id)
  expect(await listed()).toEqual([])
  // An unanswered request is forgotten.
  await ask('borrado', 'Ana Sofía Rosal', '3312345678')
  await site.database.pool.query(`update peticiones set created_at = now() - interval '91 days'`)
  await ask('borrado', 'Eva Nogal', '3387654321')
  expect(await listed()).toEqual([['borrado', eva]])
})

test('an outlet asks for its accreditation once per address, and leaves the list when it is answered', async () => {
  const typed = { name: 'Uma Roble', outlet: 'El Eco', email: 'Uma@eco.example' }
  expect(await submitPressRequest(db(), typed)).toEqual({ ok: true })
  expect(await submitPressRequest(db(), { ...typed, outlet: 'El Eco de Azahares' })).toEqual({ ok: true })
  // A stranger who knows the address rewrites nothing.
  expect(await listPressRequests(db())).toMatchObject([{ outlet: typed.outlet, email: 'uma@eco.example' }])
  expect(await submitPressRequest(db(), { ...typed, email: 'no\r\nBcc: a@b.mx' })).toEqual({
    ok: false,
    reason: 'address',
  })
  expect(await submitPressRequest(db(), { ...typed, outlet: 'x'.repeat(121) })).toEqual({
    ok: false,
    reason: 'names',
  })
  await site.database.pool.query(`insert into peticiones (que, nombre, medio, correo)
    select 'acreditacion', 'x', 'x', n || '@x.example' from generate_series(1, 199) n`)
  expect(await submitPressRequest(db(), { ...typed, email: 'otra@eco.example' })).toEqual({
    ok: false,
    reason: 'full',
  })
  await deleteRequest(db(), 'UMA@eco.example')
  expect(await countRequests(db())).toEqual({ entryRequestCount: 0, pressRequestCount: 199 })
})

test('a request about an entry that is being deleted is neither listed nor counted', async () => {
  const iris = await seedEntry(site.services, { titular: 'Iris Lirio', celular: '3399999999' })
  await ask('borrado', 'Iris Lirio', '3399999999')
  expect(await countRequests(db())).toEqual({ entryRequestCount: 1, pressRequestCount: 0 })
  await db()
    .insertInto('borrados')
    .values({ inscripcion_id: iris, acuse: 'B-AAAAA-BBBBB', bucket: 'registro', carpeta: 'x', motivo: 'solicitud' })
    .execute()
  expect(await listed()).toEqual([])
  expect(await countRequests(db())).toEqual({ entryRequestCount: 0, pressRequestCount: 0 })
})

test('a dismissed request of the press leaves a line in the audit log, once', async () => {
  await submitPressRequest(db(), { name: 'Uma Roble', outlet: 'El Eco', email: 'uma@eco.example' })
  const actor = { quien: 'org', desde: 'rastro' }
  await dismissPressRequest(db(), 'UMA@eco.example', actor)
  await dismissPressRequest(db(), 'uma@eco.example', actor)
  expect(await listPressRequests(db())).toEqual([])
  const lines = db().selectFrom('bitacora').select(['quien', 'datos']).where('que', '=', 'acreditacion.descartada')
  expect(await lines.execute()).toEqual([{ quien: 'org', datos: null }])
})
