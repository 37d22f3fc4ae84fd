import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { expect, test } from 'vitest'
import { freshDatabase } from '#tests/support/persistence/database.ts'
import { createTableDigest, dumpTable, listDumpedTables } from './table-dump.server.ts'

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

test('rows have one sum in any order and in any chunks, and another row has another sum', async () => {
  const rowSumOf = async (...chunks: string[]) => {
    const { through, digest, rowSum } = createTableDigest()
    await pipeline(Readable.from(chunks.map((chunk) => Buffer.from(chunk))), through, text)
    return [digest().filas, rowSum()]
  }
  const [count, sum] = await rowSumOf('Ángela\t1\nBeatriz\t2\n')
  expect(count).toBe(2)
  expect(await rowSumOf('Bea', 'triz\t2\nÁng', 'ela\t1\n')).toEqual([2, sum])
  expect(await rowSumOf('Beatriz\t1\nÁngela\t2\n')).not.toEqual([2, sum])
})
