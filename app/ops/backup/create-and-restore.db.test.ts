import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { unzipSync } from 'fflate'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { erasuresInForce } from '#app/core/db/erasure-log.server.ts'
import { zipResponse } from '#app/core/http/zip-response.server.ts'
import { openFolderStorage } from '#app/core/storage/folder-adapter.server.ts'
import type { ObjectMetadata, ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { deleteEntry } from '#app/entries/retention/deletion.server.ts'
import { createVoting } from '#app/voting/ballot/mutations.server.ts'
import { recountAllChains } from '#app/voting/chain/recount.server.ts'
import { seedEntry } from '#tests/support/entries/seeded-entries.ts'
import { dumpOf, emptyDatabase, type TestDatabase } from '#tests/support/persistence/database.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { OPEN, sealAll, vote } from '#tests/support/voting/votes.ts'
import { aftermathInWords, endStaleState } from './after-restore.server.ts'
import { type BackupOptions, backUpSite, type SiteToBackUp } from './create.server.ts'
import { countRows } from './load-database.server.ts'
import { moveSite } from './move.server.ts'
import { runBackup } from './mutations.server.ts'
import { listNewestBackup } from './newest-backup-archive.server.ts'
import { rehearseBackup } from './rehearsal.server.ts'
import { reinstateEntry } from './reinstate-entry.server.ts'
import { collectErasureLogs, replayErasures } from './replay-erasures.server.ts'
import { assertTargetEmpty, openBackup, restoreDatabase, restoreObjects } from './restore.server.ts'
import { openBackupStore } from './store.server.ts'

const MIGRATIONS = 'db/migrations'
const PASSWORD = 'una frase larga que nadie adivina'
const SECRET = 's'.repeat(40)
const options: BackupOptions = { rotation: { count: 3 }, onProgress() {} }
const actor = { quien: null, desde: 'prueba' }

let site: TestSite
let destination: string
let backedUpSite: SiteToBackUp
const made: TestDatabase[] = []

beforeAll(async () => {
  site = await openTestSite()
  const { db, storage, settings } = site.services
  backedUpSite = {
    ...{ pool: site.database.pool, storage, dataDir: settings.dataDir, publicUrl: 'http://x', version: '1.0.0' },
    secret: SECRET,
  }
  for (let n = 0; n < 3; n++) await seedEntry(site.services, { titular: `Ana "la ${n}"\\ Ñandú\n\tde allá` })
  await seedEntry(site.services, { tipo: 'traje', titular: 'Luz Biznaga' })
  const services = { ...site.services, clock: { now: () => OPEN } }
  const voting = createVoting(services)
  for (let n = 0; n < 12; n++) expect(await vote(voting, (n % 3) + 1)).toMatchObject({ ok: true })
  await sealAll(services)
  await sql`insert into correos (idempotency_key, kind, priority, recipient, subject, body_text, body_html, expires_at)
    values ('x', 'inscripcion', 1, 'a@correo.example', 'Á', 'x', 'x', 'infinity')`.execute(db)
})
afterAll(async () => {
  for (const database of made) await database.drop()
  await site.close()
})
beforeEach(async () => {
  destination = await mkdtemp(join(tmpdir(), 'certamen-copia-'))
  return () => rm(destination, { recursive: true })
})

async function emptyTarget(): Promise<{ database: TestDatabase; storage: ObjectStorage; dataDir: string }> {
  const database = await emptyDatabase()
  made.push(database)
  const dataDir = join(destination, randomUUID())
  return { database, storage: await openFolderStorage(dataDir), dataDir }
}

async function restored(passphrase?: string) {
  const statement: string[] = []
  const opened = await openBackup(await openBackupStore(destination, passphrase), undefined, (line) =>
    statement.push(line),
  )
  const target = await emptyTarget()
  const { differingTables } = await restoreDatabase(target.database.pool, opened, MIGRATIONS, () => {})
  const bad = await restoreObjects(opened, target, () => {})
  return { statement, ...target, opened, differingTables, bad }
}

/** All rows of a database, without their order. */
const rowsOf = async ({ pool }: TestDatabase, ...except: string[]) =>
  (await dumpOf(pool, ['migraciones', ...except])).split('\n').toSorted()

const objectsOf = async (storage: ObjectStorage) => {
  const found: Record<string, unknown> = {}
  for (const bucket of ['registro', 'registrotrajes', 'edicion'])
    for await (const path of storage.list(bucket, '')) found[`${bucket}/${path}`] = await storage.head(bucket, path)
  return found
}

test.each([
  undefined,
  PASSWORD,
])('a restore equals the backup, row by row and file by file (key: %s)', async (passphrase) => {
  const before = await rowsOf(site.database)
  const completed = await backUpSite(backedUpSite, await openBackupStore(destination, passphrase), options)
  expect(completed).toMatchObject({
    cifrada: passphrase !== undefined,
    perdidos: [],
    cuentas: { entradas: 4, votos: 12 },
  })
  const { database, storage, differingTables, bad, opened, statement } = await restored(passphrase)
  expect(statement).toEqual(
    passphrase ? [] : [expect.stringMatching(/no está cifrado: no se puede saber si lo cambió alguien/)],
  )
  expect([differingTables, bad]).toEqual([[], []])
  expect(await rowsOf(database)).toEqual(before)
  expect(await objectsOf(storage)).toEqual(await objectsOf(backedUpSite.storage))
  expect(await countRows(database.pool)).toEqual(completed.cuentas)
  expect(await recountAllChains(database.db, site.services.keyed)).toEqual([])
  // Rows inserted after the restore get new ids.
  const { rows } = await database.pool.query(`insert into correos
    (idempotency_key, kind, priority, recipient, subject, body_text, body_html, expires_at)
    values ('y', 'x', 1, 'a@correo.example', 'x', 'x', 'x', now()) returning id > (select max(id) from correos) as newer`)
  expect(rows).toEqual([{ newer: true }])
  // Only an encrypted backup contains the secret.
  expect(opened.manifest.secreto).toBe(passphrase && SECRET)
  await expect(assertTargetEmpty(database.pool, storage, opened)).rejects.toThrow('no está vacía')
  // State from before the backup does not continue: the queued message may have been sent since.
  const closed = await endStaleState(database.db)
  expect(closed).toMatchObject({ withheldMailCount: 2, accountEmails: [] })
  const waiting = await database.pool.query('select 1 from correos where failed_at is null and sent_at is null')
  expect([waiting.rowCount, aftermathInWords(closed).length]).toEqual([0, 1])
})

test('uploads in progress are in no backup, and hinder no restore', async () => {
  const { staging } = site.intake
  const newOne = { clase: 'fotoRostro' as const, lado: null, filename: 'cara-de-paso.jpg', size: 9 }
  const { id } = await staging.create('a'.repeat(64), newOne, 'red')
  await staging.append('a'.repeat(64), id, Readable.from([Buffer.from('abc')]), 0)
  expect((await rowsOf(site.database)).join()).toContain('cara-de-paso')
  await backUpSite(backedUpSite, await openBackupStore(destination, undefined), options)
  const { database, differingTables, bad, opened, storage } = await restored()
  expect([differingTables, bad]).toEqual([[], []])
  expect(opened.manifest.tablas.map(({ nombre }) => nombre)).not.toContain('subidas')
  expect((await rowsOf(database)).join()).not.toContain('cara-de-paso')
  for await (const path of storage.list('subidas', '')) expect(path).toBe('nothing')
  await staging.removeAll('a'.repeat(64))
  await sql`truncate llegadas_por_red`.execute(site.services.db)
})

test('an encrypted backup reveals no name, path or secret, and opens with its key alone', async () => {
  const real = await backUpSite(backedUpSite, await openBackupStore(destination, PASSWORD), options)
  for (const path of await readdir(destination, { recursive: true })) {
    expect(path).not.toMatch(/Ana|Luz|fotoRostro|\.jpg/i)
    const bytes = await readFile(join(destination, path)).catch(() => Buffer.alloc(0))
    for (const secret of ['Luz Biznaga', SECRET, 'votante'])
      expect(bytes.includes(secret), `${path}: ${secret}`).toBe(false)
  }
  await expect(openBackupStore(destination, `${PASSWORD}.`)).rejects.toThrow('no abre estos respaldos')
  await expect(openBackup(await openBackupStore(destination, undefined))).rejects.toThrow('BACKUP_KEY')
  // A writer without the key cannot put a forged backup in front of the real one.
  const planted = await backUpSite(backedUpSite, await openBackupStore(destination, undefined), options)
  const store = await openBackupStore(destination, PASSWORD)
  const said: string[] = []
  expect((await openBackup(store, undefined, (line) => said.push(line))).catalogEntry.id).toBe(real.id)
  expect(said.join()).toContain('pudo ponerlos ahí otra persona')
  await expect(openBackup(store, planted.id)).rejects.toThrow('pudo ponerlo ahí otra persona')
  const after = await backUpSite(backedUpSite, store, { ...options, rotation: { count: 1 } })
  expect([after.quitadas, after.avisos]).toEqual([1, [expect.stringContaining('1 copias de ahí no están cifradas')]])
})

test('the second backup sends new objects alone; the rotation rule keeps backups and the objects that they need', async () => {
  const store = await openBackupStore(destination, undefined)
  const first = await backUpSite(backedUpSite, store, options)
  const id = await seedEntry(site.services, { titular: 'Nueva Palma' })
  const second = await backUpSite(backedUpSite, store, { ...options, rotation: { count: 1 } })
  // The entry's six documents; the seventh object has the same few bytes for every entry of this test.
  expect([first.objetos, second.objetos - first.objetos, second.nuevos]).toEqual([25, 7, 6])
  expect(second).toMatchObject({ quitadas: 1 })
  expect((await restored()).bad).toEqual([])
  await expect(openBackup(store, first.id)).rejects.toThrow('no está el respaldo')
  await deleteEntry(site.services, id, 'solicitud', actor)
})

test('a rehearsal reports a damaged object, and a restore refuses a damaged table', async () => {
  const { id } = await backUpSite(backedUpSite, await openBackupStore(destination, undefined), options)
  const opened = await openBackup(await openBackupStore(destination, undefined))
  const [object] = opened.manifest.objetos
  await writeFile(join(destination, 'objects/objetos', object!.guardado.nombre), 'otra cosa')
  const { faults } = await rehearseBackup(opened, {
    migrationsFolder: MIGRATIONS,
    workFolder: destination,
    secret: undefined,
    onProgress() {},
  })
  expect(faults).toEqual([`Falta o está dañado el archivo ${object!.bucket}/${object!.path}.`])
  await writeFile(join(destination, `objects/copias/${id}/tablas/inscripciones`), 'otra cosa')
  const { database } = await emptyTarget()
  await expect(restoreDatabase(database.pool, opened, MIGRATIONS, () => {})).rejects.toThrow('están dañados')
  expect((await database.pool.query('select count(*)::int as n from profiles')).rows).toEqual([{ n: 0 }])
})

test('an entry erased after the backup does not return with a restore, and its documents leave older backups', async () => {
  const store = await openBackupStore(destination, undefined)
  const id = await seedEntry(site.services, { titular: 'Quien se va' })
  const stays = await seedEntry(site.services, { titular: 'Quien vence' })
  const documents = site.services.db.selectFrom('documentos').select('path').where('inscripcion_id', '=', id)
  const hers = (await documents.execute()).map(({ path }) => `registro/${path}`)
  await backUpSite(backedUpSite, store, options)
  await deleteEntry(site.services, id, 'solicitud', actor)
  await deleteEntry(site.services, stays, 'plazo', actor)
  const { database, storage, dataDir } = await restored()
  const services = { ...site.services, db: database.db, storage, settings: { ...site.services.settings, dataDir } }
  const entrants = async () =>
    (await database.db.selectFrom('inscripciones').select('titular').execute()).map(({ titular }) => titular)
  expect(await entrants()).toContain('Quien se va')
  const { erasures } = await collectErasureLogs(store, [undefined], [backedUpSite.dataDir])
  expect(erasures.length).toBeGreaterThan(0)
  for (const { huella, ...rest } of erasures) {
    expect(huella).toMatch(/^[0-9a-f]{64}$/)
    expect(Object.keys(rest)).toEqual(['at'])
  }
  expect(await replayErasures(services, erasures, destination)).toEqual({
    entryCount: 1,
    candidateCount: 0,
    pendingIds: [],
  })
  expect(await entrants()).not.toContain('Quien se va')
  expect(await entrants()).toContain('Quien vence')
  const there = Object.keys(await objectsOf(storage))
  expect([hers.length, hers.filter((path) => there.includes(path))]).toEqual([6, []])
  // The next backup removes the erased entry's documents from the older one, whose other objects stay good.
  const before = await openBackup(store)
  await backUpSite(backedUpSite, store, options)
  const left = await restoreObjects(before, undefined, () => {})
  expect(left.toSorted()).toEqual(hers.toSorted())
})

test('one entry is reinstated whole from a backup, with a line in the audit log, unless its erasure was requested', async () => {
  const store = await openBackupStore(destination, PASSWORD)
  const id = await seedEntry(site.services, { titular: 'Vuelve Azucena' })
  const { folio } = await site.services.db
    .selectFrom('inscripciones')
    .select('folio')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await backUpSite(backedUpSite, store, options)
  const opened = await openBackup(store)
  const [rows, objects] = [
    await rowsOf(site.database, 'bitacora', 'supresiones'),
    await objectsOf(backedUpSite.storage),
  ]
  const asked = { folio, mayUndoErasure: false, backupUrl: undefined, migrationsFolder: MIGRATIONS, onProgress() {} }
  await expect(reinstateEntry(opened, backedUpSite, { ...asked, erasures: [] })).rejects.toThrow('sigue en el sitio')
  await deleteEntry(site.services, id, 'solicitud', actor)
  const { erasures } = await collectErasureLogs(store, [], [backedUpSite.dataDir])
  await expect(reinstateEntry(opened, backedUpSite, { ...asked, erasures })).rejects.toThrow(
    'a solicitud de la persona',
  )
  expect(await reinstateEntry(opened, backedUpSite, { ...asked, erasures, mayUndoErasure: true })).toEqual({
    documentCount: 7,
  })
  expect(await rowsOf(site.database, 'bitacora', 'supresiones')).toEqual(rows)
  expect(await objectsOf(backedUpSite.storage)).toEqual(objects)
  const { rows: said } = await site.database.pool.query(
    'select que, inscripcion from bitacora order by id desc limit 1',
  )
  expect(said).toEqual([{ que: 'inscripcion.devuelta', inscripcion: id }])
  const after = await collectErasureLogs(store, [], [backedUpSite.dataDir])
  expect(erasuresInForce(after.erasures).length).toBe(erasuresInForce(erasures).length - 1)
})

test('objects that the storage has lost are named, and the rest is backed up', async () => {
  const id = await seedEntry(site.services, { titular: 'Sin Acta' })
  const { path } = await site.services.db
    .selectFrom('documentos')
    .select('path')
    .where('inscripcion_id', '=', id)
    .limit(1)
    .executeTakeFirstOrThrow()
  await rm(join(backedUpSite.dataDir, 'objects/registro', path))
  expect((await runBackup(backedUpSite, { destination, passphrase: undefined }, options)).perdidos).toEqual([
    `registro/${path}`,
  ])
  const { rows } = await site.database.pool.query('select hecha_at is not null as hecha, falla from copias')
  expect(rows).toEqual([{ hecha: true, falla: 'Falta 1 archivo que la base de datos nombra.' }])
  await deleteEntry(site.services, id, 'solicitud', actor)
})

test('a backup that lacks a file at the destination gets no catalog entry, not even for a moment', async () => {
  const store = await openBackupStore(destination, undefined)
  const put: string[] = []
  const storage: ObjectStorage = Object.assign(Object.create(store.storage), {
    async *list(bucket: string, prefix: string) {
      for await (const path of store.storage.list(bucket, prefix)) if (!path.endsWith('/profiles')) yield path
    },
    putBytes: (bucket: string, path: string, ...rest: [Uint8Array, ObjectMetadata]) => {
      put.push(`${bucket}/${path}`)
      return store.storage.putBytes(bucket, path, ...rest)
    },
  })
  await expect(backUpSite(backedUpSite, { ...store, storage }, options)).rejects.toThrow('no muestra 1 archivo ')
  expect(put.filter((path) => path.endsWith('caratula.json'))).toEqual([])
  await expect(openBackup(store)).rejects.toThrow('no hay ningún respaldo entero')
})

test('a moved site equals the old one; a move goes into an empty place only, and names lost objects', async () => {
  const { pool } = site.database
  const moveOptions = { migrationsFolder: MIGRATIONS, secret: SECRET, onProgress() {} }
  const { database, storage, dataDir } = await emptyTarget()
  const target = { pool: database.pool, storage, dataDir }
  // Signatures are of the test site's own secret.
  const moved = await moveSite({ pool, storage: backedUpSite.storage }, target, { ...moveOptions, secret: undefined })
  expect(moved).toMatchObject({ differingTables: [], changedTables: [], lostObjects: [], voteFaults: [] })
  expect(moved.rowCounts).toEqual(moved.before)
  expect(await rowsOf(database)).toEqual(await rowsOf(site.database))
  expect(await objectsOf(storage)).toEqual(await objectsOf(backedUpSite.storage))
  await expect(moveSite(backedUpSite, target, moveOptions)).rejects.toThrow('no está vacía')
  // The objects alone may be sent again; a foreign object shows that the place is not empty.
  const { path } = await site.services.db.selectFrom('documentos').select('path').limit(1).executeTakeFirstOrThrow()
  const file = join(backedUpSite.dataDir, 'objects/registro', path)
  const good = await readFile(file)
  await rm(file)
  await storage.remove('registro', path)
  const again = await moveSite(backedUpSite, { storage, dataDir }, moveOptions)
  expect([again.lostObjects, again.rowCounts]).toEqual([[`registro/${path}`], undefined])
  await writeFile(file, good)
  await storage.putBytes('registro', 'ajeno/x', good, { contentType: 'x/x', cacheControlSeconds: 0 })
  await expect(moveSite(backedUpSite, { storage, dataDir }, moveOptions)).rejects.toThrow('no está vacío')
})

test('the newest backup that an organiser takes away as a ZIP restores from the folder that it is opened in', async () => {
  const newest = await backUpSite(backedUpSite, await openBackupStore(destination, PASSWORD), options)
  const { entries } = await listNewestBackup(destination, PASSWORD, tmpdir())
  const { database, dataDir: folder } = await emptyTarget()
  for (const [name, bytes] of Object.entries(unzipSync(await zipResponse(entries, false, {}).bytes()))) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), bytes)
  }
  const opened = await openBackup(await openBackupStore(folder, PASSWORD, { isReadOnly: true }))
  expect([opened.catalogEntry.id, opened.manifest.secreto]).toEqual([newest.id, SECRET])
  expect(await restoreObjects(opened, undefined, () => {})).toEqual([])
  expect(await restoreDatabase(database.pool, opened, MIGRATIONS, () => {})).toMatchObject({ differingTables: [] })
})

test('of two backups at once, the second is refused', async () => {
  const store = await openBackupStore(destination, undefined)
  const done = await Promise.allSettled([
    backUpSite(backedUpSite, store, options),
    backUpSite(backedUpSite, store, options),
  ])
  expect(done.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
})
