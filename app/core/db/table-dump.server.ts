import { createHash, type Hash, hash } from 'node:crypto'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { escapeIdentifier } from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'

// A dump is a database's content as text, table by table, in a form that every version of PostgreSQL writes and reads alike.

export interface DumpedTable {
  nombre: string
  /** All columns but generated ones. */
  columnas: string[]
  /** The primary key, by which the rows are ordered. Empty for a table without one, whose rows are ordered by their text. */
  orden: string[]
}

export interface TableDigest {
  filas: number
  /** SHA-256 of the dumped text, in hex. */
  sha256: string
}

export interface Sequence {
  nombre: string
  valor: number
  /** Whether the value has been handed out (`is_called` of setval). */
  dado: boolean
}

/** The migrations' table is not dumped, since a restore fills it by applying the migrations. */
const MIGRATIONS_TABLE = 'migraciones'
/**
 * These tables are not dumped: uploads under way, whose chunks are in no backup and whose senders still have the files; quotas;
 * leases; and the mark that the site has moved (moved-marks.server.ts).
 */
const TRANSIENT_TABLES = ['subidas', 'trozos', 'llegadas_por_red', 'turnos', 'mudado']

type Client = pg.ClientBase

const columnList = (columns: readonly string[]) => columns.map((column) => escapeIdentifier(column)).join(', ')

/** Prepares the open transaction for a dump: without limits of time, and with the same text of a row on every server and role. */
export async function prepareDumpTransaction(client: Client): Promise<void> {
  await client.query(`
    set local timezone = 'UTC';
    set local datestyle = 'ISO, YMD';
    set local intervalstyle = 'postgres';
    set local extra_float_digits = 1;
    set local bytea_output = 'hex';
    set local idle_in_transaction_session_timeout = 0;
    set local statement_timeout = 0;
  `)
}

/**
 * Lists the tables to dump, by name: all but the migrations' table, the transient tables, and unlogged tables, which a crash may
 * empty anyway.
 */
export async function listDumpedTables(client: Client): Promise<DumpedTable[]> {
  const { rows } = await client.query<DumpedTable>(
    `select c.relname as nombre,
       array(select a.attname::text from pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
         order by a.attname) as columnas,
       coalesce((select array(select a.attname::text from unnest(i.indkey::smallint[]) with ordinality k (attnum, place)
          join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum order by place)
        from pg_index i where i.indrelid = c.oid and i.indisprimary), '{}') as orden
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = current_schema and c.relkind = 'r' and c.relpersistence = 'p'
       and c.relname <> all ($1) order by c.relname`,
    [[MIGRATIONS_TABLE, ...TRANSIENT_TABLES]],
  )
  return rows
}

/**
 * Streams a table's rows as text, one per line, in the order of `orden` (texts by the database's collation) or, if `orden` is
 * empty, of the rows' text.
 */
export function dumpTable(client: Client, { nombre, columnas, orden }: DumpedTable): Readable {
  const quotedTable = escapeIdentifier(nombre)
  const order = orden.length > 0 ? columnList(orden) : `${quotedTable}::text collate "C"`
  return (client as pg.Client).query(
    copyTo(`copy (select ${columnList(columnas)} from ${quotedTable} order by ${order}) to stdout`),
  )
}

/**
 * Creates a stream that digests a table's text and passes it on. `digest` may be called once, and `digest` and `rowSum` only after
 * the stream has ended. Row sums compare the rows in any order, since another database's collation may order texts otherwise.
 */
export function createTableDigest(): { through: Transform; digest(): TableDigest; rowSum(): bigint } {
  const tableHash: Hash = createHash('sha256')
  let rowCount = 0
  let sum = 0n
  let unfinishedRow = Buffer.alloc(0)
  const through = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      tableHash.update(chunk)
      let start = 0
      // A line break within a value is written as \n, so each byte 10 ends a row.
      for (let offset = chunk.indexOf(10); offset !== -1; offset = chunk.indexOf(10, start)) {
        const row = Buffer.concat([unfinishedRow, chunk.subarray(start, offset)])
        sum += hash('sha256', row, 'buffer').readBigUInt64LE()
        unfinishedRow = Buffer.alloc(0)
        start = offset + 1
        rowCount++
      }
      unfinishedRow = Buffer.concat([unfinishedRow, chunk.subarray(start)])
      callback(null, chunk)
    },
  })
  return { through, digest: () => ({ filas: rowCount, sha256: tableHash.digest('hex') }), rowSum: () => sum }
}

/** Reads a table of the database, and digests it. */
export async function digestTable(
  client: Client,
  table: DumpedTable,
): Promise<{ digest: TableDigest; rowSum: bigint }> {
  const { through, digest, rowSum } = createTableDigest()
  await pipeline(dumpTable(client, table), through, async (text) => {
    for await (const _ of text);
  })
  return { digest: digest(), rowSum: rowSum() }
}

export async function readSequences(client: Client): Promise<Sequence[]> {
  const { rows } = await client.query<{ nombre: string; valor: number | null; start_value: number }>(
    `select sequencename as nombre, last_value as valor, start_value
     from pg_sequences where schemaname = current_schema order by 1`,
  )
  return rows.map(({ nombre, valor, start_value }) => ({ nombre, valor: valor ?? start_value, dado: valor !== null }))
}

/**
 * Replaces the rows of tables that the migrations created, and sets the sequences, in the open transaction. Drops the foreign
 * keys first and adds them again at the end, which checks them. Triggers do not run.
 * @param openText opens a table's text, as `dumpTable` wrote it
 */
export async function loadTables(
  client: Client,
  tables: readonly DumpedTable[],
  sequences: readonly Sequence[],
  openText: (table: DumpedTable) => Promise<Readable>,
): Promise<void> {
  const { rows: foreignKeys } = await client.query<{ table: string; name: string; definition: string }>(
    `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(pg_constraint.oid) as definition
     from pg_constraint where contype = 'f' and connamespace = current_schema::regnamespace order by 1, 2`,
  )
  for (const { table, name } of foreignKeys)
    await client.query(`alter table ${table} drop constraint ${escapeIdentifier(name)}`)
  for (const { nombre } of tables) await client.query(`alter table ${escapeIdentifier(nombre)} disable trigger user`)
  await client.query(`truncate ${columnList(tables.map(({ nombre }) => nombre))}`)
  for (const table of tables)
    await pipeline(
      await openText(table),
      (client as pg.Client).query(
        copyFrom(`copy ${escapeIdentifier(table.nombre)} (${columnList(table.columnas)}) from stdin`),
      ),
    )
  for (const { nombre, valor, dado } of sequences)
    await client.query('select setval($1::regclass, $2, $3)', [escapeIdentifier(nombre), valor, dado])
  for (const { table, name, definition } of foreignKeys)
    await client.query(`alter table ${table} add constraint ${escapeIdentifier(name)} ${definition}`)
  for (const { nombre } of tables) await client.query(`alter table ${escapeIdentifier(nombre)} enable trigger user`)
}

export async function readAppliedMigrations(client: Client | pg.Pool): Promise<string[]> {
  const { rows: tableRows } = await client.query<{ exists: boolean }>(
    `select to_regclass('${MIGRATIONS_TABLE}') is not null as exists`,
  )
  if (!tableRows[0]!.exists) return []
  const { rows } = await client.query<{ nombre: string }>(`select nombre from ${MIGRATIONS_TABLE} order by nombre`)
  return rows.map(({ nombre }) => nombre)
}
