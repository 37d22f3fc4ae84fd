import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { freshDatabase } from '#tests/support/persistence/database.ts'
import { dumpTable, listDumpedTables } from './table-dump.server.ts'

test('a table is dumped in the order of its primary key, and one without a key in the order of its text', async () => {
  const { pool, drop } = await freshDatabase()
  await pool.query(`
    create table con_clave (b int, a int primary key);
    insert into con_clave values (1, 10), (2, 9);
    create table sin_clave (dato json, b int);
    insert into sin_clave values ('{"z":1}', 2), ('{"a":1}', 3), ('{"a":1}', 1)`)
  const client = await pool.connect()
  const tables = await listDumpedTables(client)
  const dumpOf = (name: string) => text(dumpTable(client, tables.find(({ nombre }) => nombre === name)!))
  expect(await dumpOf('con_clave')).toBe('9\t2\n10\t1\n')
  expect(await dumpOf('sin_clave')).toBe('1\t{"a":1}\n3\t{"a":1}\n2\t{"z":1}\n')
  client.release()
  await drop()
})
