import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readErasureKey, readErasuresBesideBackups, readErasuresBesideData } from '#app/core/db/erasure-log.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { createKeyDeriver } from '#app/core/process/session-secret.server.ts'
import { openDestination } from '#app/core/storage/open-store.server.ts'
import { HOUR_MS } from '#app/core/time/durations.ts'
import { deleteEntry } from '#app/entries/retention/deletion.server.ts'
import { seedEntry } from '#tests/support/entries/seeded-entries.ts'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { isVoteDay, readBackupStatus } from './data.server.ts'
import { destinationFingerprint } from './identity.server.ts'
import { runBackup, saveRehearsalResult } from './mutations.server.ts'
import { isBackupDue, runNightlyBackup } from './nightly.server.ts'
import { backupPassphrase, isKeyUnsaved, ownBackupKey, saveKeyNoted } from './own-key.server.ts'
import { openBackup } from './restore.server.ts'
import { ROTATION_RULE } from './rotation.ts'
import { openBackupStore } from './store.server.ts'

let site: TestSite
let destination: string
let services: Services

beforeAll(async () => {
  site = await openTestSite()
  destination = await mkdtemp(join(tmpdir(), 'certamen-noche-'))
  const settings = { ...site.services.settings, backupUrl: destination, backupKey: 'una frase larga que nadie adivina' }
  services = { ...site.services, settings }
})
afterAll(async () => {
  await site.close()
  await rm(destination, { recursive: true })
})

const turn = (now?: Date) => {
  const { host, port, user, database } = site.database.pool.options
  const connection = { host: host!, port: port!, user: user!, database: database! }
  return runNightlyBackup({ services, connection, secret: 's'.repeat(40), root: '.' }, now)
}
const copies = async () => (await readdir(join(destination, 'objects/copias')).catch(() => [])).length

const hourOf = (moment: Date) => Math.floor(moment.getTime() / HOUR_MS)

test('one backup is made each night and rehearsed once a week', async () => {
  const startedAt = new Date()
  expect((await readBackupStatus(site.database.db, destination)).latest).toBeUndefined()
  expect(await isBackupDue(site.database.db, destination, new Date())).toBe(true)
  await turn()
  await turn()
  expect(await copies()).toBe(1)
  const { latest, failure, rehearsal } = await readBackupStatus(site.database.db, destination)
  expect([latest?.destination, failure, rehearsal?.failure]).toEqual([destination, undefined, null])
  await site.database.pool.query(
    `update copias set empezada_at = empezada_at - interval '1 day', hecha_at = hecha_at - interval '1 day'`,
  )
  await turn()
  // Both backups are of the same day, of which one is kept; two if an hour began between them.
  expect(hourOf(new Date()) === hourOf(startedAt) ? [1] : [1, 2]).toContain(await copies())
  const { rows } = await site.database.pool.query(
    'select count(hecha_at)::int as made, count(ensayada_at)::int as rehearsed from copias',
  )
  expect(rows).toEqual([{ made: 2, rehearsed: 1 }])
})

test('without BACKUP_KEY the site encrypts with its own key, which opens a backup elsewhere', async () => {
  const { db, pool } = site.database
  const [elsewhere, keyed] = [await mkdtemp(join(tmpdir(), 'certamen-clave-')), createKeyDeriver('s'.repeat(40))]
  const { backupKey: _, ...settings } = { ...services.settings, backupUrl: elsewhere }
  const key = ownBackupKey(keyed)
  expect(key).toMatch(/^([0-9a-f]{5}-){7}[0-9a-f]{5}$/)
  expect(ownBackupKey(createKeyDeriver('x'.repeat(40)))).not.toBe(key)
  // A site with older backups, which the migration finds, goes on without a key.
  await pool.query('update clave_de_copias set propia = false')
  expect(await backupPassphrase(db, { backupKey: undefined }, keyed)).toBeUndefined()
  await pool.query('update clave_de_copias set propia = true')
  expect(await isKeyUnsaved(db, { backupKey: undefined })).toBe(true)
  expect(await isKeyUnsaved(db, services.settings)).toBe(false)
  const { host, port, user, database } = pool.options
  const connection = { host: host!, port: port!, user: user!, database: database! }
  await runNightlyBackup({
    services: { ...services, settings: { ...settings, backupKey: undefined } },
    connection,
    secret: 's'.repeat(40),
    root: '.',
  })
  const opened = await openBackup(await openBackupStore(elsewhere, key, { isReadOnly: true }))
  expect([opened.catalogEntry.cifrada, opened.manifest.secreto]).toEqual([true, 's'.repeat(40)])
  await expect(openBackupStore(elsewhere, ownBackupKey(createKeyDeriver('x'.repeat(40))))).rejects.toThrow('no abre')
  await saveKeyNoted(db, { quien: null, desde: 'prueba' })
  expect(await isKeyUnsaved(db, { backupKey: undefined })).toBe(false)
  await rm(elsewhere, { recursive: true })
})

test('a requested erasure is logged beside the backups before its deletion counts as finished', async () => {
  const id = await seedEntry(services, { titular: 'Se va hoy' })
  const actor = { quien: null, desde: 'prueba' }
  const broken = join(destination, 'roto')
  await writeFile(broken, '')
  const away = { ...services, settings: { ...services.settings, backupUrl: broken } }
  expect(await deleteEntry(away, id, 'solicitud', actor)).toMatchObject({ ok: true, isPending: true })
  const left = async () => (await site.database.pool.query('select count(*)::int as n from borrados')).rows[0].n
  expect([await left(), (await readErasuresBesideData(site.dataDir)).length]).toEqual([1, 1])
  const { recoverDeletions } = await import('#app/entries/retention/deletion.server.ts')
  await recoverDeletions(services)
  expect(await left()).toBe(0)
  expect(await readErasuresBesideBackups(await openDestination(destination))).toEqual(
    await readErasuresBesideData(site.dataDir),
  )
})

test('a backup is due every hour while people vote, until a day after the closing', async () => {
  const { db, pool } = site.database
  const [{ at }] = (await pool.query('select max(empezada_at) as at from copias')).rows
  const due = (minutes: number, isHourly: boolean) =>
    isBackupDue(db, destination, new Date(at.getTime() + minutes * 60_000), { isHourly })
  expect([await due(40, true), await due(52, true), await due(52, false)]).toEqual([false, true, false])
  const isVoteDayAt = (moment: string) => isVoteDay({ db, clock: { now: () => new Date(moment) } })
  const during = '2025-09-20T12:00:00-06:00'
  expect(await isVoteDayAt(during)).toBe(false)
  await pool.query(`insert into banda_digital_votes (user_id, candidata, edicion) values ('vota', 'x', 2025)`)
  expect([await isVoteDayAt(during), await isVoteDayAt('2025-10-20T12:00:00-06:00')]).toEqual([true, false])
  await pool.query('delete from banda_digital_votes')
})

const rows = async (sql: string) => (await site.database.pool.query(sql)).rows
const state = () => readBackupStatus(site.database.db, destination)

test('backups and rehearsals at other destinations do not count as the nightly ones', async () => {
  const { db } = site.database
  const elsewhere = await mkdtemp(join(tmpdir(), 'certamen-usb-'))
  const { settings, storage } = services
  const backedUpSite = {
    ...{ pool: site.database.pool, storage, dataDir: settings.dataDir, publicUrl: 'http://x', version: '1' },
    secret: undefined,
  }
  await site.database.pool.query(`update copias set empezada_at = empezada_at - interval '2 days',
    hecha_at = hecha_at - interval '2 days', ensayada_at = ensayada_at - interval '8 days'`)
  const { latest } = await state()
  const { id } = await runBackup(
    backedUpSite,
    { destination: `${elsewhere}/`, passphrase: undefined },
    { rotation: ROTATION_RULE, onProgress() {} },
  )
  expect(await isBackupDue(db, destination, new Date())).toBe(true)
  expect(await isBackupDue(db, elsewhere, new Date())).toBe(false)
  expect((await state()).latest).toEqual(latest)
  await saveRehearsalResult(db, elsewhere, id, undefined)
  expect((await state()).rehearsal!.at.getTime()).toBeLessThan(Date.now() - 7 * 86_400_000)
  expect((await readBackupStatus(db, undefined)).latest?.destination).toBe(`${elsewhere}/`)
  await rm(elsewhere, { recursive: true })
})

test('a clock that runs ahead makes no backup, and records dated in the future do not count', async () => {
  const { pool, db } = site.database
  const before = await copies()
  await pool.query(`update reloj_visto set visto_at = now() - interval '300 days'`)
  await turn()
  expect(await copies()).toBe(before)
  await pool.query('update reloj_visto set visto_at = now()')
  const later = new Date(Date.now() + 365 * 86_400_000)
  const where = { destino: destination, destino_huella: destinationFingerprint(await readErasureKey(db), destination) }
  await db
    .insertInto('copias')
    .values({ copia: 'futura', ...where, empezada_at: later, hecha_at: later, ensayada_at: later })
    .execute()
  for (const days of [0, 30, 200])
    expect(await isBackupDue(db, destination, new Date(Date.now() + days * 86_400_000)), `${days}`).toBe(true)
  const ahead = await state()
  expect(ahead.hasFutureDated).toBe(true)
  expect(ahead.latest!.at.getTime()).toBeLessThan(Date.now())
  await turn()
  expect(await copies()).toBeGreaterThanOrEqual(1)
  expect(await state()).toMatchObject({ hasFutureDated: false, failure: undefined, rehearsal: { failure: null } })
})

test('a failed rehearsal is reported and repeated the next day, and the next backup sends damaged objects again', async () => {
  const { pool, db } = site.database
  const back = (what: string, by: string) =>
    pool.query(
      `update copias set ${what
        .split(',')
        .map((one) => `${one} = ${one} - interval '${by}'`)
        .join(', ')}`,
    )
  await seedEntry(services, { titular: 'Rosa Palma' })
  await back('empezada_at,hecha_at', '2 days')
  await turn()
  const [newest] = (await readdir(join(destination, 'objects/copias'))).toSorted().toReversed()
  const table = join(destination, 'objects/copias', newest!, 'tablas/inscripciones')
  const body = await readFile(table)
  await writeFile(table, body.subarray(0, 40))
  await back('ensayada_at', '8 days')
  await turn()
  const first = await state()
  expect(first.rehearsal).toMatchObject({ failure: 'Una tabla está dañada o no es de este sitio.' })
  await turn()
  expect((await state()).rehearsal).toEqual(first.rehearsal)
  await writeFile(table, body)
  await writeFile(join(destination, 'objects/copias', newest!, 'manifiesto'), 'otra cosa')
  await back('ensayada_at', '25 hours')
  await turn()
  expect((await state()).rehearsal).toMatchObject({ failure: 'La lista del respaldo está dañada.' })
  // Objects that rotted without a change of size, on a night when their turn for a full check has not come.
  const folder = join(destination, 'objects/objetos')
  const rotten = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) => one.isFile())
  for (const one of rotten) {
    const bytes = await readFile(join(one.parentPath, one.name))
    bytes[bytes.length - 3]! ^= 1
    await writeFile(join(one.parentPath, one.name), bytes)
  }
  await back('ensayada_at', '25 hours')
  await back('empezada_at,hecha_at', '2 days')
  await turn()
  expect(await state()).toMatchObject({ failure: undefined, rehearsal: { failure: null } })
  expect(await isBackupDue(db, destination, new Date())).toBe(false)
})

test('a recorded failure contains no personal data, and a concurrent backup is no failure', async () => {
  const { settings, storage } = services
  const backedUpSite = {
    ...{ pool: site.database.pool, storage, dataDir: settings.dataDir, publicUrl: 'http://x', version: '1' },
    secret: undefined,
  }
  const broken = join(destination, 'nadie')
  await writeFile(broken, '')
  const options = { rotation: ROTATION_RULE, onProgress() {} }
  await expect(
    runBackup(backedUpSite, { destination: join(broken, 'Ana Lirio'), passphrase: undefined }, options),
  ).rejects.toThrow(/no se puede abrir como carpeta \((ENOTDIR|EEXIST)\)\. Revisa su nombre/)
  expect((await rows('select falla from copias order by id desc limit 1'))[0].falla).toBe(
    'El lugar donde se guarda no se puede abrir.',
  )
  const ownDestination = { destination: destination, passphrase: settings.backupKey }
  const [{ n }] = await rows('select count(*)::int as n from copias')
  await Promise.allSettled([
    runBackup(backedUpSite, ownDestination, options),
    runBackup(backedUpSite, ownDestination, options),
  ])
  expect(await rows('select count(*)::int as n from copias')).toEqual([{ n: n + 1 }])
})
