import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '#tests/support/persistence/database.ts'
import { migrate, postgresFault } from './migrate.server.ts'

let database: TestDatabase
let folder: string
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certamen-migraciones-'))
  await database.pool.query('drop table if exists migraciones, muestra')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const put = (name: string, text: string) => writeFile(join(folder, name), text)

/**
 * The pool as seen behind a pooler in transaction mode: outside a transaction each statement goes to another connection of the
 * server, within one they stay together.
 */
async function behindPooler(pool: pg.Pool): Promise<{ pool: pg.Pool; end(): void }> {
  const servers = await Promise.all([pool.connect(), pool.connect(), pool.connect()])
  let turn = 0
  let held: pg.PoolClient | undefined
  const query = (text: string, values?: unknown[]) => {
    const server = held ?? servers[turn++ % servers.length]!
    if (/^begin/i.test(text)) held = server
    if (/^(commit|rollback)/i.test(text)) held = undefined
    return server.query(text, values)
  }
  const client = { query, release() {} }
  return {
    pool: { connect: async () => client } as unknown as pg.Pool,
    end: () => {
      for (const server of servers) server.release(true)
    },
  }
}

test('a PostgreSQL before 15 is named, and nothing is done to it', async () => {
  const asked: string[] = []
  const query = async (text: string) => {
    asked.push(text)
    return { rows: [{ version: 140_012 }] }
  }
  const old = { connect: async () => ({ query, release() {} }) } as unknown as pg.Pool
  await expect(migrate(old, folder)).rejects.toThrow(/^La base de datos es PostgreSQL 14, y el sitio necesita el 15/)
  expect(asked).toHaveLength(1)
  expect([150_000, 170_004].map(postgresFault)).toEqual([undefined, undefined])
})

test('behind a pooler a start leaves no lock behind that a later one would wait for', async () => {
  await put('1_tabla.sql', 'create table muestra (a int)')
  const pooler = await behindPooler(database.pool)
  try {
    expect(await migrate(pooler.pool, folder)).toEqual(['1_tabla.sql'])
    const { rows } = await database.pool.query(
      `select 1 from pg_locks where locktype = 'advisory'
       and database = (select oid from pg_database where datname = current_database())`,
    )
    expect(rows).toEqual([])
    await put('2_columna.sql', 'alter table muestra add b int')
    expect(await migrate(pooler.pool, folder)).toEqual(['2_columna.sql'])
  } finally {
    pooler.end()
  }
})

test('of several processes that start at once one applies, the others wait, and each names its own migrations', async () => {
  await put('1_tabla.sql', 'create table muestra (a int); select pg_sleep(0.4)')
  await put('2_columna.sql', 'alter table muestra add b int')
  const said: string[] = []
  const warn = (line: string) => said.push(line)
  const done = await Promise.all([1, 2, 3].map(() => migrate(database.pool, folder, { warn })))
  expect(done.flat().sort()).toEqual(['1_tabla.sql', '2_columna.sql'])
  expect(said).toContain('Otro proceso está aplicando migraciones; se espera a que termine.')
})

test('a long reader holds up the migration, not the queries after it', async () => {
  await put('1_tabla.sql', 'create table muestra (a int)')
  await migrate(database.pool, folder)
  await put('2_columna.sql', 'alter table muestra add b int')
  const reader = await database.pool.connect()
  const said: string[] = []
  let waited = 0
  try {
    await reader.query('begin')
    await reader.query('select * from muestra')
    const migrated = migrate(database.pool, folder, { warn: (line) => said.push(line) })
    await expect.poll(() => said.length, { timeout: 15_000 }).toBeGreaterThan(0)
    // A write meanwhile waits for one attempt at most.
    const began = performance.now()
    await database.pool.query('insert into muestra values (1)')
    waited = performance.now() - began
    await reader.query('commit')
    expect(await migrated).toEqual(['2_columna.sql'])
  } finally {
    reader.release()
  }
  expect(said[0]).toMatch(/^La migración 2_columna\.sql espera: otra consulta usa sus tablas/)
  expect(waited).toBeLessThan(5_000)
})

test('where the reader stays, the start ends with one line, and nothing is half done', async () => {
  await put('1_tabla.sql', 'create table muestra (a int)')
  await migrate(database.pool, folder)
  await put('2_columna.sql', 'create table a_medias (a int); alter table muestra add b int')
  const reader = await database.pool.connect()
  try {
    await reader.query('begin')
    await reader.query('select * from muestra')
    await expect(migrate(database.pool, folder, { maxBlockedMs: 0 })).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringMatching(/^La migración 2_columna\.sql no pudo aplicarse: otra consulta usa sus tablas/),
    })
  } finally {
    await reader.query('rollback')
    reader.release()
  }
  expect((await database.pool.query(`select to_regclass('a_medias') as there`)).rows).toEqual([{ there: null }])
})

test('a database that is ahead of this version is refused in one line', async () => {
  await put('1_tabla.sql', 'create table muestra (a int)')
  await put('2_de_mas_tarde.sql', 'select 1')
  await migrate(database.pool, folder)
  await rm(join(folder, '2_de_mas_tarde.sql'))
  await put('1_5_nueva.sql', 'alter table muestra add b int')
  await expect(migrate(database.pool, folder)).rejects.toMatchObject({
    name: 'StartError',
    message: expect.stringMatching(/que esta versión del sitio no conoce \(2_de_mas_tarde\.sql\)\. Inicia la versión/),
  })
  const { rows } = await database.pool.query('select nombre from migraciones order by nombre')
  expect(rows).toEqual([{ nombre: '1_tabla.sql' }, { nombre: '2_de_mas_tarde.sql' }])
})

test('a migration that fails ends with one line: its file, and the message of the database', async () => {
  await put('1_tabla.sql', 'create table muestra (a int)')
  await put('2_mal.sql', 'create table a_medias (a int);\nalter table muestra add a int')
  await expect(migrate(database.pool, folder)).rejects.toMatchObject({
    name: 'StartError',
    message: expect.stringMatching(/^La migración 2_mal\.sql no pudo aplicarse; .* already exists \(42701\)\. [^\n]*$/),
  })
  expect((await database.pool.query(`select to_regclass('a_medias') as there`)).rows).toEqual([{ there: null }])
  expect((await database.pool.query('select nombre from migraciones')).rows).toEqual([{ nombre: '1_tabla.sql' }])
})

test('the previous version works over additions of a newer one, and over removals of parts that it had stopped using', async () => {
  await put('1_tabla.sql', 'create table muestra (a int, b int)')
  await migrate(database.pool, folder)
  await put('2_mas.sql', 'alter table muestra add c int')
  await migrate(database.pool, folder)
  await put('3_menos.sql', '-- Contrae, desde que nadie lo usa: b, en la versión de antes.\nalter table muestra drop b')
  await put('4_mas.sql', 'alter table muestra add d int')
  await migrate(database.pool, folder)

  const said: string[] = []
  const start = () => migrate(database.pool, folder, { warn: (line) => said.push(line) })
  await rm(join(folder, '4_mas.sql'))
  await rm(join(folder, '3_menos.sql'))
  expect(await start()).toEqual([])
  expect(said).toEqual([expect.stringMatching(/de una versión más nueva \(3_menos\.sql, 4_mas\.sql\)/)])
  // Two versions back, the removed column may still be in use.
  await rm(join(folder, '2_mas.sql'))
  await expect(start()).rejects.toMatchObject({ name: 'StartError', message: expect.stringContaining('no conoce') })
})
