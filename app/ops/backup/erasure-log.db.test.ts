import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  backUpErasures,
  erasuresInForce,
  logErasure,
  readErasuresBesideBackups,
  readErasuresBesideData,
  readErasuresFromDatabase,
  writeErasuresBesideData,
} from '#app/core/db/erasure-log.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { openFolderStorage } from '#app/core/storage/folder-adapter.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { deleteEntry, recoverDeletions } from '#app/entries/retention/deletion.server.ts'
import { changeState } from '#app/entries/states/mutations.server.ts'
import { seedEntry } from '#tests/support/entries/seeded-entries.ts'
import { queueMails } from '#tests/support/mail/queued-mail.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { backUpSite, type SiteToBackUp } from './create.server.ts'
import { reinstateEntry } from './reinstate-entry.server.ts'
import { collectErasureLogs, erasureLogsInWords, replayErasures } from './replay-erasures.server.ts'
import { openBackup } from './restore.server.ts'
import { openBackupStore } from './store.server.ts'

let site: TestSite
let tempFolder: string
let backedUpSite: SiteToBackUp
const actor = { quien: null, desde: 'prueba' }

beforeAll(async () => {
  site = await openTestSite()
  const { storage, settings } = site.services
  backedUpSite = {
    ...{ pool: site.database.pool, storage, dataDir: settings.dataDir, publicUrl: 'http://x', version: '1.0.0' },
    secret: 's'.repeat(40),
  }
})
afterAll(() => site.close())
beforeEach(async () => {
  tempFolder = await mkdtemp(join(tmpdir(), 'certamen-libro-'))
  return () => rm(tempFolder, { recursive: true })
})

const row = (id: number) =>
  site.services.db.selectFrom('inscripciones').select('folio').where('id', '=', id).executeTakeFirst()
const fingerprint = (letter: string) => letter.repeat(64)
const AT = '2026-03-01T10:00:00.000Z'

test('an invalid file of an erasure log is skipped and named, and cannot write elsewhere', async () => {
  const folder = join(tempFolder, 'supresiones')
  await mkdir(folder)
  await writeErasuresBesideData(tempFolder, [{ huella: fingerprint('a'), at: AT }])
  await writeFile(join(folder, `${fingerprint('b')}.json`), JSON.stringify({ huella: fingerprint('b'), at: AT }))
  const bad: Record<string, string> = {
    'vacio.json': '',
    'ajeno.json': '{"otra": 1}',
    [`${fingerprint('c')}.json`]: JSON.stringify({ huella: '../../victima', at: AT }),
    [`${fingerprint('d')}.json`]: JSON.stringify({ huella: fingerprint('e'), at: AT }),
    [`${fingerprint('f')}.json`]: JSON.stringify({ huella: fingerprint('f'), at: 'ayer' }),
    'largo.json': 'x'.repeat(10_000),
    'x.txt': 'nada',
  }
  for (const [name, body] of Object.entries(bad)) await writeFile(join(folder, name), body)
  await mkdir(join(folder, 'carpeta.json'))
  const named: string[] = []
  const lines = await readErasuresBesideData(tempFolder, (name) => named.push(name))
  expect(lines.map((line) => line.huella).toSorted()).toEqual([fingerprint('a'), fingerprint('b')])
  expect(named.map((name) => name.slice(folder.length + 1)).toSorted()).toEqual(
    [...Object.keys(bad), 'carpeta.json'].toSorted(),
  )
  // The same beside backups, where other programs may write.
  const storage = await openFolderStorage(tempFolder)
  const metadata = { contentType: 'application/json', cacheControlSeconds: 0 }
  for (const [name, body] of Object.entries(bad))
    await storage.putBytes('supresiones', name, Buffer.from(body), metadata)
  expect(await readErasuresBesideBackups(storage, () => {})).toEqual([])
  await expect(writeErasuresBesideData(tempFolder, [{ huella: '../../victima', at: AT }])).rejects.toThrow()
})

test('the newest line about an entry holds, in whichever log it stands', () => {
  const [a, b] = [fingerprint('a'), fingerprint('b')]
  const gone = { huella: a, at: AT }
  const back = { huella: a, at: '2026-03-02T10:00:00.000Z', vuelve: true }
  const again = { huella: a, at: '2026-03-03T10:00:00.000Z' }
  expect(erasuresInForce([gone, { huella: b, at: AT }, back])).toEqual([{ huella: b, at: AT }])
  expect(erasuresInForce([back, gone])).toEqual([])
  expect(erasuresInForce([again, back, gone])).toEqual([again])
})

test('a deletion is logged in its transaction, and the next process copies the line', async () => {
  const { db } = site.services
  const h = fingerprint('1')
  // A process that ended right after its commit, with another data folder.
  await db.transaction().execute((tx) => logErasure(tx, h))
  // A transaction that is rolled back leaves nothing.
  await db
    .transaction()
    .execute(async (tx) => {
      await logErasure(tx, fingerprint('2'))
      throw new Error('rolled back')
    })
    .catch(() => {})
  const other = {
    ...site.services,
    settings: { ...site.services.settings, dataDir: join(tempFolder, 'b'), backupUrl: tempFolder },
  }
  await recoverDeletions(other)
  const found = [
    await readErasuresBesideData(join(tempFolder, 'b')),
    await readErasuresBesideBackups(await openFolderStorage(tempFolder)),
  ]
  for (const lines of found) expect(lines.map((line) => line.huella)).toEqual([h])
  // A second run writes nothing twice.
  await backUpErasures(db, other.settings)
  expect(await readdir(join(tempFolder, 'b/supresiones'))).toHaveLength(1)
})

test('an entry that cannot be deleted again at a start is hidden and left to the sweep', async () => {
  const { db } = site.services
  const id = await seedEntry(site.services, { titular: 'Se queda pegada' })
  const gone = await seedEntry(site.services, { titular: 'Se va bien' })
  await backUpSite(backedUpSite, await openBackupStore(tempFolder, undefined), {
    rotation: { count: 3 },
    onProgress() {},
  })
  const { clave } = await db.selectFrom('clave_de_supresiones').select('clave').executeTakeFirstOrThrow()
  const { entryFingerprint } = await import('#app/entries/retention/stored-objects.server.ts')
  const rows = await db.selectFrom('inscripciones').select(['id', 'folio', 'created_at']).execute()
  const lines = rows
    .filter((one) => [id, gone].includes(one.id))
    .map((one) => ({ huella: entryFingerprint(clave, one), at: AT }))
  const { path } = await db
    .selectFrom('documentos')
    .select('path')
    .where('inscripcion_id', '=', id)
    .limit(1)
    .executeTakeFirstOrThrow()
  const stubborn: ObjectStorage = Object.assign(Object.create(site.services.storage), {
    async remove(bucket: string, one: string) {
      if (one === path) throw new Error('AccessDenied')
      await site.services.storage.remove(bucket, one)
    },
  })
  const services: Services = { ...site.services, storage: stubborn }
  expect(await replayErasures(services, lines, tempFolder)).toEqual({
    entryCount: 2,
    candidateCount: 0,
    pendingIds: [id],
  })
  expect(await row(gone)).toBeUndefined()
  expect(await row(id)).toBeDefined()
  // Pending again at the next start, and finished once the storage allows the deletion.
  expect((await replayErasures(services, lines, tempFolder)).pendingIds).toEqual([id])
  await recoverDeletions(site.services)
  expect(await row(id)).toBeUndefined()
})

test('an erasure requested during a pending retention deletion is logged', async () => {
  const { db } = site.services
  const id = await seedEntry(site.services, { titular: 'Pide a tiempo' })
  const broken: ObjectStorage = Object.assign(Object.create(site.services.storage), {
    remove: () => Promise.reject(new Error('away')),
  })
  const before = (await readErasuresFromDatabase(db)).length
  await deleteEntry({ ...site.services, storage: broken }, id, 'plazo', actor)
  expect((await readErasuresFromDatabase(db)).length).toBe(before)
  await deleteEntry({ ...site.services, storage: broken }, id, 'solicitud', actor)
  expect((await readErasuresFromDatabase(db)).length).toBe(before + 1)
  await recoverDeletions(site.services)
  const said = await db.selectFrom('bitacora').select('que').orderBy('id', 'desc').limit(1).executeTakeFirst()
  expect(said).toEqual({ que: 'borrado.solicitud' })
})

test('a reinstated entry stays despite the older log of another process, and a new request erases it for good', async () => {
  const { db } = site.services
  const id = await seedEntry(site.services, { titular: 'Va y viene' })
  const { folio } = (await row(id))!
  await queueMails(db, 2)
  await db.updateTable('correos').set({ inscripcion_id: id }).execute()
  const mails = () => db.selectFrom('correos').select('sent_at').where('inscripcion_id', '=', id).execute()
  const [sent] = await db.selectFrom('correos').select('id').where('inscripcion_id', '=', id).execute()
  await db
    .updateTable('correos')
    .set({ sent_at: new Date(AT) })
    .where('id', '=', sent!.id)
    .execute()
  // The message about a change of state needs its mail, which is still queued.
  await changeState(db, { id, version: 1 }, { to: 'aceptada', note: '' }, actor)
  await sql`insert into mensajes (inscripcion_id, paso, correo_id, ocasion, version, vez, at)
    select ${id}, (select max(id) from cambios where inscripcion_id = ${id}), id, 'aceptada', 0, 1, now()
    from correos where inscripcion_id = ${id} and sent_at is null`.execute(db)
  const messages = () => db.selectFrom('mensajes').select('paso').where('inscripcion_id', '=', id).execute()
  expect(await messages()).toHaveLength(1)
  const store = await openBackupStore(tempFolder, undefined)
  await backUpSite(backedUpSite, store, { rotation: { count: 3 }, onProgress() {} })
  await deleteEntry(site.services, id, 'solicitud', actor)
  // Another process copied the log, as it was, to another data folder.
  const other = { ...site.services, settings: { ...site.services.settings, dataDir: join(tempFolder, 'otra') } }
  await backUpErasures(db, other.settings)
  const old = await readErasuresBesideData(other.settings.dataDir)
  const { erasures } = await collectErasureLogs(store, [], [backedUpSite.dataDir])
  const asked = {
    folio,
    erasures,
    mayUndoErasure: true,
    backupUrl: undefined,
    migrationsFolder: 'db/migrations',
    onProgress() {},
  }
  await reinstateEntry(await openBackup(store), backedUpSite, asked)
  expect(await replayErasures(other, old, tempFolder)).toMatchObject({ entryCount: 0 })
  expect(await row(id)).toBeDefined()
  // A message that still waited when the backup was made is not sent so much later.
  expect(await mails()).toEqual([{ sent_at: new Date(AT) }])
  expect(await messages()).toEqual([])
  await deleteEntry(site.services, id, 'solicitud', actor)
  await backUpErasures(db, other.settings)
  expect(erasuresInForce(await readErasuresBesideData(other.settings.dataDir)).length).toBe(erasuresInForce(old).length)
  // An entry whose deletion is unfinished cannot be reinstated.
  await db
    .insertInto('borrados')
    .values({ inscripcion_id: id, acuse: 'B-X', bucket: 'registro', carpeta: 'x', motivo: 'solicitud', quien: null })
    .execute()
  await expect(reinstateEntry(await openBackup(store), backedUpSite, asked)).rejects.toThrow('todavía no termina')
  await db.deleteFrom('borrados').execute()
})

test('a restore finds the erasure log set aside with the old data folder, and reports it', async () => {
  const data = join(tempFolder, 'certamen')
  await writeErasuresBesideData(join(tempFolder, 'certamen.antes'), [{ huella: fingerprint('a'), at: AT }])
  await writeErasuresBesideData(join(tempFolder, 'certamen-otro'), [{ huella: fingerprint('b'), at: AT }])
  await writeErasuresBesideData(join(tempFolder, 'certamenes'), [{ huella: fingerprint('c'), at: AT }])
  const store = await openBackupStore(join(tempFolder, 'copias'), undefined)
  const ledgers = await collectErasureLogs(store, [join(tempFolder, 'no-es/\0carpeta')], [data])
  expect(ledgers.erasures.map((line) => line.huella).toSorted()).toEqual([fingerprint('a'), fingerprint('b')])
  expect(erasureLogsInWords(ledgers).join(' ')).toMatch(/2 renglones, el más nuevo del 2026-03-01 a las 10:00 UTC/)
  expect(erasureLogsInWords(ledgers)[0]).toContain('No se pudo leer el libro de borrados de BACKUP_URL')
  const none = await collectErasureLogs(store, [], [join(tempFolder, 'vacia')])
  expect(erasureLogsInWords(none).join(' ')).toContain('No se encontró ningún libro de borrados')
  expect(
    await readFile(
      join(tempFolder, 'certamen.antes/supresiones', `${fingerprint('a')}.${Date.parse(AT)}.json`),
      'utf8',
    ),
  ).toBe(JSON.stringify({ huella: fingerprint('a'), at: AT }))
})
