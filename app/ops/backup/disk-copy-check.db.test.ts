import { cp, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPool } from '#app/core/db/database.server.ts'
import { migrate } from '#app/core/db/migrate.server.ts'
import { type EmbeddedPostgres, startPostgres } from '#app/core/postgres/embedded.server.ts'
import { markAtRest } from '#app/core/postgres/in-use-marker.server.ts'
import { openFolderStorage } from '#app/core/storage/folder-adapter.server.ts'
import { checkDiskCopy } from './disk-copy-check.server.ts'

const MIGRATIONS = 'db/migrations'
let folder: string
let copied: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certamen-disco-'))
  copied = join(folder, 'copia')
  const alive = await startPostgres(join(folder, 'postgres'), () => {})
  const pool = openPool(alive.connection, 2)
  await migrate(pool, MIGRATIONS)
  await pool.query(`insert into profiles (id, name, email) select 'u' || n, 'Nombre ' || n, n || '@correo.example'
    from generate_series(1, 500) n`)
  await pool.query(`insert into archivos_de_edicion (sha256, bytes, tipo, guardado)
    values (repeat('a', 64), 1, 'image/png', true)`)
  await pool.query('checkpoint').catch(() => {})
  // The files that a machine leaves on its disk if it crashes at this moment.
  await cp(join(folder, 'postgres'), copied, { recursive: true })
  await pool.end()
  await alive.stop()
}, 120_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

async function review(postgres: EmbeddedPostgres) {
  const pool = openPool(postgres.connection, 4)
  const storage = await openFolderStorage(folder)
  return checkDiskCopy({
    ...{ pool, superuser: postgres.superuser, storage, migrations: MIGRATIONS, secret: undefined, onProgress() {} },
  }).finally(() => pool.end())
}

test('a folder from the disk of a crashed machine is refused, can be checked, and starts once marked as sound', async () => {
  await expect(startPostgres(copied, () => {})).rejects.toThrow('--carpeta-copiada')
  const looked = await startPostgres(copied, () => {}, { isLiveCopy: true })
  const { faults, missing, rowCounts } = await review(looked)
  await looked.stop()
  expect([faults, rowCounts?.cuentas]).toEqual([[], 500])
  expect(missing).toEqual([expect.stringMatching(/^Falta o está dañado el archivo edicion/)])
  // A check alone does not make the folder sound.
  await expect(startPostgres(copied, () => {})).rejects.toThrow('--carpeta-copiada')
  await markAtRest(copied)
  await (await startPostgres(copied, () => {})).stop()
}, 120_000)

test('the check finds a damaged page', async () => {
  const postgres = await startPostgres(copied, () => {})
  const pool = openPool(postgres.connection, 1)
  const { rows } = await pool.query(`select pg_relation_filepath('profiles') as tabla`)
  await pool.end()
  await postgres.stop()
  const handle = await open(join(copied, rows[0].tabla), 'r+')
  await handle.write(Buffer.alloc(64, 0x5a), 0, 64, 4_000)
  await handle.close()
  const looked = await startPostgres(copied, () => {}, { isLiveCopy: true })
  const { faults } = await review(looked).catch((error: Error) => ({ faults: [error.message] }))
  await looked.stop()
  expect(faults.join('\n')).toMatch(/profiles.*dañada|invalid page/)
}, 120_000)
