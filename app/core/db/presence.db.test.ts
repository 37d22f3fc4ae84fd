import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openDestination } from '#app/core/storage/open-store.server.ts'
import { freshDatabase } from '#tests/support/persistence/database.ts'
import {
  assertNotMoved,
  markDatabaseMoved,
  markStorageMoved,
  unmarkDatabase,
  unmarkStorage,
} from './moved-marks.server.ts'
import { startMove, startPresence } from './presence.server.ts'
import { listDumpedTables } from './table-dump.server.ts'

test('a move waits for every site that works on the database, and a site for the move', async () => {
  const { db, drop } = await freshDatabase()
  const [here, elsewhere] = [await startPresence(db), await startPresence(db)]
  await expect(startMove(db)).rejects.toThrow('Hay 2 procesos')
  await here()
  await expect(startMove(db)).rejects.toThrow('Hay 1 procesos')
  await elsewhere()
  const moved = await startMove(db)
  await expect(startPresence(db)).rejects.toThrow('se está mudando')
  await moved()
  await (await startPresence(db))()
  // A killed process still counts for some minutes.
  await sql`insert into presencias (quien, que, at) values ('x', 'sitio', clock_timestamp() - interval '100 seconds')`.execute(
    db,
  )
  await expect(startMove(db)).rejects.toThrow('Hay 1 procesos')
  await sql`update presencias set at = at - interval '60 seconds'`.execute(db)
  await (await startMove(db))()
  await drop()
})

test('no site starts on a database or on files that were moved elsewhere, until it is told to', async () => {
  const { db, pool, drop } = await freshDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'certamen-mudado-'))
  const storage = await openDestination(folder)
  await assertNotMoved(db, storage)
  await markStorageMoved(storage, 's3://cubeta')
  await markStorageMoved(storage, 's3://otra')
  await expect(assertNotMoved(db, storage)).rejects.toThrow(/^Los archivos de este lugar se mudaron a s3:\/\/otra el /)
  await markDatabaseMoved(db, '/datos')
  await markDatabaseMoved(db, 'servidor/base')
  await expect(assertNotMoved(db, storage)).rejects.toThrow(
    /^Esta base de datos se mudó a servidor\/base el .*--quedarse/,
  )
  // The mark stays in its place: neither a backup nor a later move carries it.
  const client = await pool.connect()
  expect((await listDumpedTables(client)).map(({ nombre }) => nombre)).not.toContain('mudado')
  client.release()
  await unmarkDatabase(db)
  await unmarkStorage(storage)
  await assertNotMoved(db, storage)
  await rm(folder, { recursive: true })
  await drop()
})
