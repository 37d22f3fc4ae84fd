// Longer than 350 lines: what a place of backups holds, from the first backup to the last that is removed.
import { randomUUID } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readErasuresFromDatabase, writeErasuresBesideBackups } from '#app/core/db/erasure-log.server.ts'
import { deleteEntry } from '#app/entries/retention/deletion.server.ts'
import { seedEntry } from '#tests/support/entries/seeded-entries.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { type BackupOptions, backUpSite, type SiteToBackUp } from './create.server.ts'
import { destinationFault } from './destination-fault.server.ts'
import { rehearseBackup } from './rehearsal.server.ts'
import { openBackup, restoreObjects } from './restore.server.ts'
import { sameDiskNotice } from './same-disk-notice.server.ts'
import { openBackupStore } from './store.server.ts'

// Foreign and damaged files at a destination of backups, and the removal of old backups.

const PASSWORD = 'una frase larga que nadie adivina'
const KEEP_ONE: BackupOptions = { rotation: { count: 1 }, onProgress() {} }
const DAY_MS = 86_400_000
const actor = { quien: null, desde: 'prueba' }

let site: TestSite
let other: TestSite
let destination: string
const siteOf = ({ services: { storage, settings }, database }: TestSite, publicUrl: string): SiteToBackUp => ({
  pool: database.pool,
  storage,
  dataDir: settings.dataDir,
  publicUrl,
  version: '1.0.0',
  secret: 's'.repeat(40),
})
let backedUpSite: SiteToBackUp

/** Tables that these tests back up. Each further table takes as long as a document, so the others, all empty, are dropped. */
const BACKED_UP_TABLES = [
  ...['inscripciones', 'registros', 'trajes_tipicos', 'documentos', 'archivos_de_edicion'],
  ...['migraciones', 'borrados', 'supresiones', 'clave_de_supresiones', 'reloj_visto', 'clave_de_copias'],
]
async function dropOthers({ database: { pool } }: TestSite): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `select quote_ident(table_name) as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> all($1)`,
    [BACKED_UP_TABLES],
  )
  for (const { name } of rows) expect([name, (await pool.query(`select from ${name}`)).rowCount]).toEqual([name, 0])
  await pool.query(`drop table ${rows.map(({ name }) => name).join(', ')} cascade`)
}

beforeAll(async () => {
  ;[site, other] = [await openTestSite(), await openTestSite()]
  for (const one of [site, other]) await dropOthers(one)
  backedUpSite = siteOf(site, 'http://x')
  await seedEntry(site.services, { titular: 'Ana Lirio' })
  await seedEntry(other.services, { titular: 'Eva Nardo' })
})
afterAll(async () => {
  await site.close()
  await other.close()
})
beforeEach(async () => {
  destination = await mkdtemp(join(tmpdir(), 'certamen-lugar-'))
  return () => rm(destination, { recursive: true })
})

const backups = () => readdir(join(destination, 'objects/copias')).catch((): string[] => [])
const objects = async () =>
  (await readdir(join(destination, 'objects/objetos'), { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
const pathOf = async (catalogEntry: string) => join(destination, 'objects/copias', catalogEntry, 'caratula.json')
async function change(id: string, edit: (page: Record<string, unknown>) => void): Promise<void> {
  const page = JSON.parse(await readFile(await pathOf(id), 'utf8'))
  edit(page)
  await writeFile(await pathOf(id), JSON.stringify(page))
}
/** Sets the modification time of all files at the destination to that many days ago. */
async function age(days: number): Promise<void> {
  const at = new Date(Date.now() - days * DAY_MS)
  for (const entry of await readdir(join(destination, 'objects'), { recursive: true, withFileTypes: true }))
    if (entry.isFile()) await utimes(join(entry.parentPath, entry.name), at, at)
}
const whole = async (passphrase?: string) =>
  restoreObjects(await openBackup(await openBackupStore(destination, passphrase)), undefined, () => {})

test('a site that has lost its documents keeps every backup and all objects', async () => {
  const store = await openBackupStore(destination, undefined)
  const first = await backUpSite(backedUpSite, store, KEEP_ONE)
  const before = await objects()
  await age(40)
  const away = { ...backedUpSite, storage: (await openBackupStore(join(destination, 'vacio'), undefined)).storage }
  for (let night = 0; night < 3; night++) {
    const completed = await backUpSite(away, store, KEEP_ONE)
    expect([completed.perdidos.length, completed.quitadas]).toEqual([first.objetos, 0])
    expect(completed.avisos.join()).toContain('No se quitó ninguna copia')
  }
  expect(await objects()).toEqual(before)
  expect(await restoreObjects(await openBackup(store, first.id), undefined, () => {})).toEqual([])
})

test('a backup that fails on a full place leaves nothing of itself, and the older ones whole', async () => {
  const store = await openBackupStore(destination, undefined)
  const first = await backUpSite(backedUpSite, store, KEEP_ONE)
  const before = await objects()
  await seedEntry(site.services, { titular: 'Iris Nardo' })
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  let roomFor = before.length + 3
  const write: typeof store.write = async (bucket, path, plain, ...rest) => {
    if (!path.endsWith('manifiesto') && roomFor-- >= 0) return store.write(bucket, path, plain, ...rest)
    plain.destroy()
    throw full
  }
  await expect(backUpSite(backedUpSite, { ...store, write }, KEEP_ONE)).rejects.toBe(full)
  expect([await backups(), await objects()]).toEqual([[first.id], before])
  expect(await whole()).toEqual([])
})

test.each([
  ['/disco', { code: 'ENOSPC' }, 'En /disco no queda espacio. Usa otro disco'],
  ['/disco', { code: 'EACCES', path: '/disco/objects/x' }, 'En /disco no se puede escribir: es de otra cuenta'],
  ['/disco/copias', { code: 'ENOENT', path: '/disco' }, '/disco/copias no se puede abrir como carpeta (ENOENT)'],
  ['s3://L:SECRETO@cubeta', { name: 'CredentialsProviderError' }, 's3://cubeta no acepta estas credenciales'],
  ['s3://L:SECRETO@cubeta', { $metadata: { httpStatusCode: 404 } }, 'La cubeta s3://cubeta no existe'],
  ['s3://L:SECRETO@cubeta', { code: 'ECONNREFUSED' }, 's3://cubeta no contesta (ECONNREFUSED)'],
])('a fault of the place %s says what to do', (faultyDestination, error, sentence) => {
  const fault = destinationFault(Object.assign(new Error('raw'), error), faultyDestination)!
  expect(fault.message).toContain(sentence)
  expect(fault.message).not.toContain('L:SECRETO')
  expect(fault.summary).not.toMatch(/disco|cubeta$/)
})

test('an error of the site’s own files is not blamed on the place', () => {
  expect(
    destinationFault(Object.assign(new Error(), { code: 'EACCES', path: '/datos/objects/x' }), '/disco'),
  ).toBeUndefined()
})

test('a backup dated in the future neither counts nor displaces the one that was just made', async () => {
  const store = await openBackupStore(destination, undefined)
  const ahead = await backUpSite(backedUpSite, store, KEEP_ONE)
  const manifest = join(destination, `objects/copias/${ahead.id}/manifiesto`)
  const next = new Date(Date.now() + 300 * DAY_MS).toISOString()
  const { gunzipSync } = await import('node:zlib')
  const list = gzipSync(
    JSON.stringify({ ...JSON.parse(gunzipSync(await readFile(manifest)).toString()), momento: next }),
  )
  await writeFile(manifest, list)
  const { createHash } = await import('node:crypto')
  const sha256 = createHash('sha256').update(list).digest('hex')
  await change(ahead.id, (page) => Object.assign(page, { momento: next, manifiesto: { sha256 } }))
  const completed = await backUpSite(backedUpSite, store, KEEP_ONE)
  expect((await backups()).sort()).toEqual([ahead.id, completed.id].sort())
  expect(completed.avisos.join()).toContain('1 copias de ahí tienen fecha futura')
  const said: string[] = []
  expect((await openBackup(store, undefined, (line) => said.push(line))).catalogEntry.id).toBe(completed.id)
  expect(said.join()).toContain('fecha futura')
  expect((await openBackup(store, ahead.id)).catalogEntry.id).toBe(ahead.id)
})

test('while the clock runs ahead no backup is removed', async () => {
  const store = await openBackupStore(destination, undefined)
  await backUpSite(backedUpSite, store, KEEP_ONE)
  await site.database.pool.query(`update reloj_visto set visto_at = now() - interval '3 days'`)
  const completed = await backUpSite(backedUpSite, store, KEEP_ONE)
  await site.database.pool.query('update reloj_visto set visto_at = now()')
  expect([completed.quitadas, (await backups()).length]).toEqual([0, 2])
  expect(completed.avisos.join()).toContain('reloj')
})

test.each([
  undefined,
  PASSWORD,
])('a truncated object is sent again that night, a rotted one when it is read (key: %s)', async (passphrase) => {
  const store = await openBackupStore(destination, passphrase)
  await backUpSite(backedUpSite, store, KEEP_ONE)
  const [cut, rotten] = (await objects()) as [string, string]
  const { size } = await stat(cut)
  await truncate(cut, size - 5)
  expect((await backUpSite(backedUpSite, store, KEEP_ONE)).repuestos).toBe(1)
  expect((await stat(cut)).size).toBe(size)
  const bytes = await readFile(rotten)
  bytes[bytes.length - 3]! ^= 1
  await writeFile(rotten, bytes)
  expect((await backUpSite(backedUpSite, store, { ...KEEP_ONE, isFullCheck: true })).repuestos).toBe(1)
  expect(await whole(passphrase)).toEqual([])
})

test('a document that differs from the received one is reported, and its stored object stays', async () => {
  const store = await openBackupStore(destination, undefined)
  await backUpSite(backedUpSite, store, KEEP_ONE)
  const { path, sha256 } = await site.services.db
    .selectFrom('documentos')
    .select(['path', 'sha256'])
    .limit(1)
    .executeTakeFirstOrThrow()
  const file = join(backedUpSite.dataDir, 'objects/registro', path)
  const good = await readFile(file)
  await rm(file)
  await writeFile(file, good.subarray(0, 7))
  const completed = await backUpSite(backedUpSite, store, KEEP_ONE)
  expect(completed.perdidos).toEqual([`registro/${path}`])
  expect(await readFile(join(destination, 'objects/objetos', sha256!.slice(0, 2), sha256!))).toEqual(good)
  await writeFile(file, good)
})

test.each([
  [undefined, undefined],
  [PASSWORD, PASSWORD],
  [PASSWORD, undefined],
])('two sites at one destination remove nothing of each other (keys: %s, %s)', async (passphrase, own) => {
  const [store, otherStore] = [await openBackupStore(destination, passphrase), await openBackupStore(destination, own)]
  const theirs = await backUpSite(siteOf(other, 'http://y'), otherStore, KEEP_ONE)
  await age(10)
  for (let night = 0; night < 2; night++) await backUpSite(backedUpSite, store, KEEP_ONE)
  const { quitadas, avisos } = await backUpSite(backedUpSite, store, KEEP_ONE)
  expect(quitadas).toBe(1)
  expect(avisos.join()).toMatch(
    passphrase === own ? /1 copias de ahí son de otro sitio/ : /1 copias de ahí no están cifradas/,
  )
  expect(await restoreObjects(await openBackup(otherStore, theirs.id), undefined, () => {})).toEqual([])
  expect(await whole(passphrase)).toEqual([])
})

test('an object that no backup names is removed a day later, and an abandoned backup after three', async () => {
  const store = await openBackupStore(destination, undefined)
  const orphan = join(destination, 'objects/objetos/ab', `ab${'0'.repeat(62)}`)
  const half = join(destination, 'objects/copias/20260101T000000Z-aaaaaaaa')
  await mkdir(join(orphan, '..'), { recursive: true })
  await mkdir(half, { recursive: true })
  await writeFile(orphan, 'x')
  await writeFile(join(half, 'manifiesto'), 'x')
  await backUpSite(backedUpSite, store, KEEP_ONE)
  expect([(await objects()).includes(orphan), (await backups()).length]).toEqual([true, 2])
  await age(2)
  await backUpSite(backedUpSite, store, KEEP_ONE)
  expect([(await objects()).includes(orphan), (await backups()).length]).toEqual([false, 2])
  await age(4)
  await backUpSite(backedUpSite, store, KEEP_ONE)
  expect((await backups()).length).toBe(1)
})

test('an older backup under a new id is not taken for a newer one', async () => {
  const store = await openBackupStore(destination, PASSWORD)
  const old = await backUpSite(backedUpSite, store, KEEP_ONE)
  const put = `${old.id.slice(0, -8)}ffffffff`
  await cp(join(destination, 'objects/copias', old.id), join(destination, 'objects/copias', put), { recursive: true })
  await change(put, (page) => Object.assign(page, { id: put, momento: new Date(Date.now() + 60_000).toISOString() }))
  await expect(openBackup(store, put)).rejects.toThrow('lleva la lista de otro')
  const said: string[] = []
  expect((await openBackup(store, undefined, (line) => said.push(line))).catalogEntry.id).toBe(old.id)
  expect(said.join()).toContain('alguien lo cambió')
  await change(old.id, (page) => Object.assign(page, { manifiesto: { sha256: '0'.repeat(64) } }))
  await expect(openBackup(store, old.id)).rejects.toThrow('su lista no se puede leer')
})

test('foreign files are skipped, and a decompression bomb is not read', async () => {
  const store = await openBackupStore(destination, undefined)
  const { id } = await backUpSite(backedUpSite, store, KEEP_ONE)
  const folder = join(destination, 'objects/copias')
  const bad = '20260102T000000Z-bbbbbbbb'
  const bomb = '20260103T000000Z-cccccccc'
  for (const name of [bad, bomb]) await mkdir(join(folder, name))
  await writeFile(join(folder, '.DS_Store'), 'x')
  await writeFile(join(folder, bad, 'caratula.json'), '')
  await writeFile(join(destination, 'objects/objetos/.DS_Store'), 'x')
  await mkdir(join(destination, 'objects/supresiones'), { recursive: true })
  await writeFile(join(destination, 'objects/supresiones/.DS_Store'), 'x')
  await writeFile(join(folder, bomb, 'manifiesto'), gzipSync(Buffer.alloc(60_000_000, ' ')))
  await cp(await pathOf(id), await pathOf(bomb))
  await change(bomb, (page) => Object.assign(page, { id: bomb, momento: '2026-01-03T00:00:00.000Z' }))
  expect((await openBackup(store)).catalogEntry.id).toBe(id)
  expect((await openBackup(store, id)).catalogEntry.id).toBe(id)
  await expect(openBackup(store, bomb)).rejects.toThrow('su lista no se puede leer')
  await expect(openBackup(store, bad)).rejects.toThrow('su carátula está dañada')
  const { avisos } = await backUpSite(backedUpSite, store, KEEP_ONE)
  expect(avisos).toHaveLength(2)
  expect(await backups()).toEqual(expect.arrayContaining(['.DS_Store', bad, bomb]))
  expect(await whole()).toEqual([])
})

test('documents of an erased entry are neither restored nor missed in older backups', async () => {
  const store = await openBackupStore(destination, undefined)
  const id = await seedEntry(site.services, { titular: 'Quien se va' })
  const old = await backUpSite(backedUpSite, store, KEEP_ONE)
  await deleteEntry(site.services, id, 'solicitud', actor)
  const { quitadas } = await backUpSite(backedUpSite, store, { ...KEEP_ONE, rotation: { count: 3 } })
  expect(quitadas).toBe(0)
  const opened = await openBackup(store, old.id)
  expect(await restoreObjects(opened, undefined, () => {})).toEqual([])
  expect(await restoreObjects({ ...opened, erasedFingerprints: new Set() }, undefined, () => {})).toHaveLength(6)
  await writeErasuresBesideBackups(store.storage, await readErasuresFromDatabase(site.services.db))
})

test('a missing key file is restored from beside a backup, and never created anew where there are backups', async () => {
  await backUpSite(backedUpSite, await openBackupStore(destination, PASSWORD), KEEP_ONE)
  const passphrase = join(destination, 'objects/clave/clave.age')
  const body = await readFile(passphrase)
  await rm(passphrase)
  await expect(openBackupStore(destination, `${PASSWORD}.`)).rejects.toThrow('no abre estos respaldos')
  expect(await openBackup(await openBackupStore(destination, PASSWORD, { isReadOnly: true }))).toBeDefined()
  expect(await stat(passphrase).catch(() => undefined)).toBeUndefined()
  await openBackupStore(destination, PASSWORD)
  expect(await readFile(passphrase)).toEqual(body)
  await rm(passphrase)
  for (const id of await backups()) await rm(join(destination, 'objects/copias', id, 'clave.age'))
  await expect(openBackupStore(destination, PASSWORD)).rejects.toThrow('falta su llave')
  expect(await stat(passphrase).catch(() => undefined)).toBeUndefined()
})

test('a destination opened for reading is not written to, and a mistyped one is not created', async () => {
  const away = join(destination, randomUUID())
  await expect(openBackupStore(away, PASSWORD, { isReadOnly: true })).rejects.toThrow('no hay ningún respaldo')
  expect(await stat(away).catch(() => undefined)).toBeUndefined()
  await backUpSite(backedUpSite, await openBackupStore(destination, undefined), KEEP_ONE)
  await rm(join(destination, 'objects/.tmp'), { recursive: true })
  await openBackup(await openBackupStore(destination, undefined, { isReadOnly: true }))
  expect(await readdir(join(destination, 'objects'))).not.toContain('.tmp')
  await expect(openBackupStore(destination, PASSWORD, { isReadOnly: true })).rejects.toThrow(
    'repite la orden sin BACKUP_KEY',
  )
})

test.each([
  'sftp://nas/copias',
  'S3://cubeta',
  'nas:copias',
  'yo@nas-1:copias',
  's3:///x',
  '',
])('«%s» is no valid destination', async (typedDestination) => {
  await expect(openBackupStore(typedDestination, undefined)).rejects.toMatchObject({ name: 'StartError' })
})

test('a destination on the disk of the data gives a warning', async () => {
  expect(await sameDiskNotice(join(destination, 'a/b'), destination)).toContain('en el mismo disco')
  expect(await sameDiskNotice('s3://cubeta', destination)).toBeUndefined()
  expect(await sameDiskNotice('/proc/x', destination)).toBeUndefined()
})

test('the stored summary of a rehearsal contains no personal data', async () => {
  const store = await openBackupStore(destination, undefined)
  await backUpSite(backedUpSite, store, KEEP_ONE)
  await rm((await objects())[0]!)
  const { faults, summary } = await rehearseBackup(await openBackup(store), {
    migrationsFolder: 'db/migrations',
    workFolder: destination,
    secret: undefined,
    onProgress() {},
  })
  expect(faults.join()).toMatch(/Ana|registro\//)
  expect(summary).toMatch(/^\d archivos que faltan o están dañados\.$/)
})
