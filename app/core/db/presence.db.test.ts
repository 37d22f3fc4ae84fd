import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { freshDatabase } from '../../../tests/database.ts'
import { startMudanza, startPresencia } from './presence.server.ts'

test('a move waits for every site that works on the database, and a site for the move', async () => {
  const { db, drop } = await freshDatabase()
  const [here, elsewhere] = [await startPresencia(db), await startPresencia(db)]
  await expect(startMudanza(db)).rejects.toThrow('Hay 2 procesos')
  await here()
  await expect(startMudanza(db)).rejects.toThrow('Hay 1 procesos')
  await elsewhere()
  const moved = await startMudanza(db)
  await expect(startPresencia(db)).rejects.toThrow('se está mudando')
  await moved()
  await (await startPresencia(db))()
  // Who was killed is believed for some minutes.
  await sql`insert into presencias (quien, que, at) values ('x', 'sitio', clock_timestamp() - interval '100 seconds')`.execute(
    db,
  )
  await expect(startMudanza(db)).rejects.toThrow('Hay 1 procesos')
  await sql`update presencias set at = at - interval '60 seconds'`.execute(db)
  await (await startMudanza(db))()
  await drop()
})
