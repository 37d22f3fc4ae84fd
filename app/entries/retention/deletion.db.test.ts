import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { checkClock, confirmClock, readClock } from '#app/core/db/clock-guard.server.ts'
import { outboxFolderOf } from '#app/core/mail-transport/outbox-folder.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { createClock } from '#app/core/time/clock.server.ts'
import { countEntries, findEntryIdByFolio, listDeletions, listEntries, readEntry } from '#app/entries/data.server.ts'
import { findByFolio } from '#app/entries/folio.server.ts'
import { notifyOfTransition } from '#app/entries/letters/mutations.server.ts'
import { changeState, requestDocument } from '#app/entries/states/mutations.server.ts'
import { seedEntry } from '#tests/support/entries/seeded-entries.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { deleteEntry, deleteExpiredEntries, recoverDeletions, sweepExpiredEntries } from './deletion.server.ts'
import {
  announceDeletions,
  countExpiredEntries,
  DELETION_NOTICE_MS,
  listPlannedDeletions,
  listRetentions,
  setRetentionHold,
} from './schedule.server.ts'

let site: TestSite
beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())

const actor = { quien: null, desde: 'prueba' }
const objects = async () => {
  const paths: string[] = []
  for (const bucket of ['registro', 'registrotrajes'])
    for await (const path of site.services.storage.list(bucket, '')) paths.push(path)
  return paths
}
/** Number of lines in the erasure log. */
const countErasures = async () => (await site.services.db.selectFrom('supresiones').select('huella').execute()).length
/** All text of the tables about entries. */
async function everything(): Promise<string> {
  const tables = ['inscripciones', 'registros', 'trajes_tipicos', 'documentos', 'cambios', 'solicitudes', 'entregas']
  const texts = await Promise.all(
    [...tables, 'correos', 'borrados', 'bitacora'].map((table) =>
      sql<{ text: string }>`select coalesce(string_agg(t::text, ' '), '') as text from ${sql.table(table)} t`.execute(
        site.services.db,
      ),
    ),
  )
  return texts.map(({ rows }) => rows[0]!.text).join(' ')
}

test('an entry is deleted with its objects, rows, history and mail; a line of the log without a name stays', async () => {
  const { db } = site.services
  const id = await seedEntry(site.services, { titular: 'Rosalía Nopal', tipo: 'traje' })
  const other = await seedEntry(site.services, { titular: 'Otra Biznaga' })
  const { folio } = await db.selectFrom('inscripciones').select('folio').where('id', '=', id).executeTakeFirstOrThrow()
  await changeState(db, { id, version: 1 }, { to: 'aceptada', note: 'Rosalía Nopal trajo todo' }, actor)
  await sql`insert into correos (idempotency_key, kind, priority, recipient, subject, body_text, body_html, expires_at, inscripcion_id)
    values (${`inscripcion:${folio}`}, 'inscripcion', 1, 'disenos@correo.example', 'Rosalía Nopal', 'x', 'x', now(), ${id})`.execute(
    db,
  )
  const { documents } = (await readEntry(db, id))!
  const notify = (tx: typeof db) => notifyOfTransition(tx, site.services, id, actor)
  const asked = { documentId: documents[0]!.id, note: 'Está borroso', notify }
  expect(await requestDocument(db, { id, version: 2 }, asked, actor)).toEqual({ ok: true })
  expect(await everything()).toContain('disenos@correo.example')
  const mailed = await db.selectFrom('correos').select(['message_id', 'idempotency_key']).execute()
  const outbox = outboxFolderOf(site.services.settings.dataDir)
  await mkdir(outbox, { recursive: true })
  for (const { message_id } of mailed) await writeFile(join(outbox, `20250801T000000.000Z-x-${message_id}.eml`), 'x')
  await writeFile(join(outbox, '20250801T000000.000Z-x-de-otra.eml'), 'x')
  // The object is lost from the disk already; its stored metadata is not.
  const { path } = await db
    .selectFrom('documentos')
    .select('path')
    .where('id', '=', documents[0]!.id)
    .executeTakeFirstOrThrow()
  await rm(join(site.services.settings.dataDir, 'objects/registrotrajes', path))
  expect(await findEntryIdByFolio(db, ` ${folio.toLowerCase().replaceAll('-', ' ')} `)).toBe(id)
  const done = await deleteEntry(site.services, id, 'solicitud', actor)
  expect(done).toMatchObject({ ok: true, documentCount: 3, isPending: false })
  expect(await everything()).not.toMatch(/Rosalía|disenos@|Rosalia/)
  expect(await objects()).toHaveLength(7)
  expect(await readdir(outbox)).toEqual(['20250801T000000.000Z-x-de-otra.eml'])
  const cards = await readdir(join(site.services.settings.dataDir, 'objects/.meta'), { recursive: true })
  expect(cards.filter((name) => name.endsWith('.json'))).toHaveLength(7)
  expect(await findEntryIdByFolio(db, folio)).toBeUndefined()
  const { pending, finished } = await listDeletions(db)
  expect(pending).toEqual([])
  expect(finished).toMatchObject([{ acknowledgementCode: done.ok && done.acknowledgementCode, reason: 'solicitud' }])
  expect(await countErasures()).toBe(1)
  expect(await deleteEntry(site.services, id, 'solicitud', actor)).toEqual({ ok: false, reason: 'unknown' })
  expect((await deleteEntry(site.services, other, 'solicitud', actor)).ok).toBe(true)
  expect(await objects()).toEqual([])
})

test('a deletion that fails halfway is finished later, once, under the same acknowledgement', async () => {
  const id = await seedEntry(site.services, { titular: 'Lidia Pitaya' })
  let left = 2
  const failing: ObjectStorage = Object.assign(Object.create(site.services.storage), {
    async remove(bucket: string, path: string) {
      if (left-- <= 0) throw new Error('the disk does not answer')
      await site.services.storage.remove(bucket, path)
    },
  })
  const half = await deleteEntry({ ...site.services, storage: failing }, id, 'solicitud', actor)
  expect(half).toMatchObject({ ok: true, isPending: true })
  expect(await objects()).toHaveLength(5)
  expect((await listDeletions(site.services.db)).pending).toMatchObject([
    { acknowledgementCode: half.ok && half.acknowledgementCode },
  ])
  // Meanwhile neither the organisers nor the entrant see the entry.
  expect(await readEntry(site.services.db, id)).toBeUndefined()
  expect((await listEntries(site.services.db, { edition: 2025 })).rows.map((one) => one.id)).not.toContain(id)
  const { folio } = await site.services.db
    .selectFrom('inscripciones')
    .select('folio')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  expect((await countEntries(site.services.db, 2025)).candidata.recibida).toBe(0)
  expect(await findEntryIdByFolio(site.services.db, folio)).toBeUndefined()
  expect(await findByFolio(site.services.db, folio, new Date())).toBeUndefined()
  await recoverDeletions({ ...site.services, storage: failing })
  expect(await objects()).toHaveLength(5)
  // Two processes finish the deletion at once.
  await Promise.all([recoverDeletions(site.services), recoverDeletions(site.services)])
  expect(await objects()).toEqual([])
  expect(await everything()).not.toContain('Lidia')
  const { pending, finished } = await listDeletions(site.services.db)
  expect(pending).toEqual([])
  expect(
    finished.filter(({ acknowledgementCode }) => acknowledgementCode === (half.ok && half.acknowledgementCode)),
  ).toHaveLength(1)
})

test('a deletion that another process has finished meanwhile is nothing to report', async () => {
  const ids = [await seedEntry(site.services), await seedEntry(site.services)]
  const broken: ObjectStorage = Object.assign(Object.create(site.services.storage), {
    remove: () => Promise.reject(new Error('the disk does not answer')),
  })
  for (const id of ids) await deleteEntry({ ...site.services, storage: broken }, id, 'solicitud', actor)
  const overtaken: ObjectStorage = Object.assign(Object.create(site.services.storage), {
    // While this process removes the first entry's objects, another one finishes both deletions.
    async remove(bucket: string, path: string) {
      await recoverDeletions(site.services)
      await site.services.storage.remove(bucket, path)
    },
  })
  const error = vi.spyOn(site.services.log, 'error')
  await recoverDeletions({ ...site.services, storage: overtaken })
  expect(error.mock.calls).toEqual([])
  error.mockRestore()
  expect(await objects()).toEqual([])
})

test('a document that arrives while its entry is being deleted leaves no object behind', async () => {
  const { storage } = site.services
  const id = await seedEntry(site.services, { titular: 'Perla Tejocote' })
  const [first] = await objects()
  let isLate = false
  const late: ObjectStorage = Object.assign(Object.create(storage), {
    async *list(bucket: string, prefix: string) {
      yield* storage.list(bucket, prefix)
      if (isLate) return
      isLate = true
      await storage.putBytes(bucket, `${prefix}tarde.jpg`, Buffer.from('tarde'), {
        contentType: 'image/jpeg',
        cacheControlSeconds: 0,
      })
    },
  })
  expect(first).toBeDefined()
  expect(await deleteEntry({ ...site.services, storage: late }, id, 'solicitud', actor)).toMatchObject({
    isPending: false,
  })
  expect(isLate).toBe(true)
  expect(await objects()).toEqual([])
})

test('the number of entries that a retention would delete within a day is known beforehand', async () => {
  const early = await seedEntry(site.services, { createdAt: new Date('2025-08-01') })
  const late = await seedEntry(site.services, { createdAt: new Date('2025-10-10') })
  const other = await seedEntry(site.services, { edicion: 1999, createdAt: new Date('1999-06-01') })
  const on = (moment: string, days: number, machine = '2026-06-01') =>
    countExpiredEntries({ ...site.services, clock: createClock(moment) }, days, new Date(machine))
  // The final is on 27 September at 20:00.
  expect(await on('2025-09-20', 1)).toBe(0)
  expect(await on('2025-10-15', 90)).toBe(0)
  expect(await on('2025-10-15', 9)).toBe(1)
  // The second entry is due five days after its arrival, some hours later than the given moment.
  expect(await on('2025-10-14T12:00:00Z', 5)).toBe(2)
  expect(await on('2025-10-13T12:00:00Z', 5)).toBe(1)
  expect(await on('2026-06-01', 9, '2025-09-20')).toBe(0)
  await deleteEntry(site.services, early, 'solicitud', actor)
  expect(await on('2025-10-15', 9)).toBe(0)
  for (const id of [late, other]) await deleteEntry(site.services, id, 'solicitud', actor)
})

test('an entry is deleted when its retention has ended; not before, nor by a clock that was moved ahead', async () => {
  const { db } = site.services
  const old = await seedEntry(site.services, { createdAt: new Date('2025-08-01') })
  const late = await seedEntry(site.services, { createdAt: new Date('2025-12-20') })
  const asked = await countErasures()
  const at = (moment: string) => ({ ...site.services, clock: createClock(moment) })
  const ids = async () =>
    (await db.selectFrom('inscripciones').select('id').orderBy('id').execute()).map(({ id }) => id)
  /** Number of entries that a sweep deletes DELETION_NOTICE_MS after their announcement. */
  const sweep = async (services: typeof site.services, machineNow: Date) => {
    await announceDeletions(services, new Date(machineNow.getTime() - DELETION_NOTICE_MS))
    await sql`update borrados_anunciados set corrido_ms = corrido_ms - ${DELETION_NOTICE_MS}::bigint`.execute(db)
    return deleteExpiredEntries(services, { machineNow })
  }
  // The final is on 27 September at 20:00; ninety days later it is 26 December.
  expect(await listRetentions(db)).toMatchObject([
    { entryCount: 2, days: 90, firstDueAt: new Date('2025-12-27T02:00:00Z') },
  ])
  expect(await sweep(at('2025-12-27T01:59:00Z'), new Date('2026-06-01'))).toBe(0)
  expect(await sweep(at('2026-06-01'), new Date('2025-12-01'))).toBe(0)
  expect(await ids()).toEqual([old, late])
  expect(await sweep(at('2025-12-27T02:01:00Z'), new Date('2026-06-01'))).toBe(1)
  expect(await ids()).toEqual([late])
  // A changed setting holds from the next sweep on.
  await db.insertInto('ajustes').values({ edicion: 2025, nombre: 'privacidad.dias', valor: '10' }).execute()
  // An older edition without a due entry does not keep the later ones'.
  const recent = await seedEntry(site.services, { edicion: 1999, createdAt: new Date('2025-12-30') })
  expect(await sweep(at('2025-12-31'), new Date('2026-06-01'))).toBe(1)
  expect(await ids()).toEqual([recent])
  await deleteEntry(site.services, recent, 'plazo', actor)
  // For an edition whose content is gone, the year is enough.
  await seedEntry(site.services, { edicion: 1999, createdAt: new Date('1999-06-01') })
  expect(await sweep(at('2025-08-01'), new Date('2026-06-01'))).toBe(1)
  expect(await objects()).toEqual([])
  expect(await countErasures()).toBe(asked)
})

const HOUR_MS = 3_600_000

test('a machine whose clock is a year ahead deletes nothing, until the clock is set right', async () => {
  const { db, clock } = site.services
  const id = await seedEntry(site.services, { createdAt: new Date('2025-08-01') })
  const ids = async () => (await db.selectFrom('inscripciones').select('id').execute()).map((one) => one.id)
  const ahead = { ...site.services, clock: createClock('2026-12-01') }
  const inAYear = (days: number) => new Date(Date.now() + (365 + days) * 24 * HOUR_MS)
  // However long the process runs, though an embedded database's clock would be as far ahead.
  await confirmClock(db, new Date())
  for (const days of [0, 1, 4, 30]) {
    expect(await sweepExpiredEntries(ahead, { machineNow: inAYear(days), uptimeMs: 90 * 24 * HOUR_MS })).toBe(0)
    expect(await listPlannedDeletions(db)).toEqual([])
  }
  expect(await ids()).toEqual([id])
  expect((await readClock(db, inAYear(0))).isAhead).toBe(true)
  // Once the clock is set right, deletions go on by themselves.
  expect((await checkClock(db, new Date())).isAhead).toBe(false)
  expect(clock.now() < new Date('2026-01-01')).toBe(true)
  await deleteEntry(site.services, id, 'solicitud', actor)
})

test('a deletion by time is announced 72 hours before, can be held, and waits for the first hour after a start', async () => {
  const { db } = site.services
  const id = await seedEntry(site.services, { createdAt: new Date('2025-08-01') })
  const due = { ...site.services, clock: createClock('2026-03-01') }
  const began = new Date()
  await sql`update reloj_visto set visto_at = ${new Date(began.getTime() - 90 * HOUR_MS)}`.execute(db)
  const after = (hours: number) => new Date(began.getTime() - (80 - hours) * HOUR_MS)
  const turn = async (hours: number, uptimeMs = 2 * HOUR_MS) => {
    // As if the site had looked at its clock every minute.
    await sql`update reloj_visto set corrido_ms = ${Math.round(hours * HOUR_MS)}::bigint`.execute(db)
    return sweepExpiredEntries(due, { machineNow: after(hours), uptimeMs })
  }
  expect(await turn(0, 0)).toBe(0)
  expect(await listPlannedDeletions(db)).toMatchObject([
    { edition: 2025, entryCount: 1, firstDueAt: after(72), announcedAt: after(0), heldAt: undefined },
  ])
  for (const hours of [20, 40, 60]) expect(await turn(hours)).toBe(0)
  expect(await turn(71.9)).toBe(0)
  // Every start begins anew with its hour.
  expect(await turn(72.1, HOUR_MS - 1)).toBe(0)
  await setRetentionHold(db, 2025, true, actor)
  await setRetentionHold(db, 2025, true, actor)
  expect(await turn(73)).toBe(0)
  expect((await listPlannedDeletions(db))[0]!.heldAt).toBeInstanceOf(Date)
  await setRetentionHold(db, 2025, false, actor)
  const said = await sql<{
    que: string
  }>`select que from bitacora where que ~ '^borrado.(det|seg)' order by id`.execute(db)
  expect(said.rows.map(({ que }) => que)).toEqual(['borrado.detenido', 'borrado.seguido'])
  // With a longer retention the entry is not due any more; with a shorter one it is announced anew.
  await db.updateTable('ajustes').set({ valor: '3000' }).where('edicion', '=', 2025).execute()
  expect(await turn(74)).toBe(0)
  expect(await listPlannedDeletions(db)).toEqual([])
  await db.updateTable('ajustes').set({ valor: '10' }).where('edicion', '=', 2025).execute()
  expect(await turn(75)).toBe(0)
  expect(await listPlannedDeletions(db)).toMatchObject([{ announcedAt: after(75) }])
  await sql`update borrados_anunciados set anunciado_at = ${after(0)}, corrido_ms = 0`.execute(db)
  expect(await turn(76)).toBe(1)
  expect(await db.selectFrom('inscripciones').select('id').where('id', '=', id).execute()).toEqual([])
})

test('leaps of the clock, each small enough to be accepted, do not add up to the 72 hours', async () => {
  const { db } = site.services
  const id = await seedEntry(site.services, { createdAt: new Date('2025-08-01') })
  const due = { ...site.services, clock: createClock('2026-03-01') }
  const began = Date.now() - 90 * HOUR_MS
  await sql`update reloj_visto set visto_at = ${new Date(began)}`.execute(db)
  const turn = (hours: number) =>
    sweepExpiredEntries(due, { machineNow: new Date(began + hours * HOUR_MS), uptimeMs: 2 * HOUR_MS })
  for (const hours of [0, 20, 40, 60, 80]) expect(await turn(hours)).toBe(0)
  const { rows } = await sql<{ at: Date }>`
    select anunciado_at as at from borrados_anunciados where inscripcion_id = ${id}`.execute(db)
  expect(rows).toEqual([{ at: new Date(began) }])
  expect((await db.selectFrom('inscripciones').select('id').execute()).map((one) => one.id)).toContain(id)
  await deleteEntry(site.services, id, 'solicitud', actor)
})
