import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { freshDatabase } from '#tests/support/persistence/database.ts'
import { startMove, startPresence } from './presence.server.ts'

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
