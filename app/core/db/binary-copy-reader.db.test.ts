import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '#tests/support/persistence/database.ts'
import { type CopyRow, column, copyRows } from './binary-copy-reader.server.ts'

let database: TestDatabase
let client: pg.Client

beforeAll(async () => {
  database = await freshDatabase()
  client = new pg.Client(database.connection)
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

const read = (row: CopyRow) => ({
  n: column.integer(row, 0),
  largo: column.bigint(row, 1),
  texto: column.text(row, 2),
  bytes: column.bytes(row, 3),
  momento: column.timestamp(row, 4),
})
async function rowsOf(select: string): Promise<ReturnType<typeof read>[]> {
  const all: ReturnType<typeof read>[] = []
  for await (const rows of copyRows(client, select, 5, read)) all.push(...rows)
  return all
}

test('rows come as the driver reads them, however they were cut on their way', async () => {
  const select = `select n::int, n * 10000000000::bigint as largo, repeat('ñandú 💃', n * 40) as texto,
      decode(repeat('00ff', n), 'hex') as bytes, timestamptz '2025-09-20 12:00:00.123-06' + n * interval '1 s' as momento
    from generate_series(0, 400) n`
  const { rows } = await client.query(`${select} order by n`)
  // Far more than one chunk of the stream, and rows larger than a chunk.
  expect(rows.reduce((sum, { texto }) => sum + Buffer.byteLength(texto), 0)).toBeGreaterThan(30_000_000)
  expect(await rowsOf(`${select} order by n`)).toEqual(rows)
})

test('nulls, a result without rows, and infinite moments are read', async () => {
  expect(await rowsOf('select null::int, null::bigint, null::text, null::bytea, null::timestamptz')).toEqual([
    { n: null, largo: null, texto: null, bytes: null, momento: null },
  ])
  expect(await rowsOf(`select 1, 1::bigint, '', ''::bytea, now() where false`)).toEqual([])
  for (const moment of ['infinity', '-infinity']) {
    const [row] = await rowsOf(`select 1, -5::bigint, '', ''::bytea, timestamptz '${moment}'`)
    expect(row).toMatchObject({ n: 1, largo: -5, texto: '', bytes: Buffer.alloc(0) })
    expect(row!.momento!.getTime()).toBeNaN()
  }
  // The connection can be used again.
  expect((await client.query('select 1 as uno')).rows).toEqual([{ uno: 1 }])
})

test('another number of columns than was said is refused', async () => {
  const other = new pg.Client(database.connection)
  await other.connect()
  await expect(async () => {
    for await (const _ of copyRows(other, 'select 1, 2', 5, read));
  }).rejects.toThrow('2 columns')
  await other.end()
})
