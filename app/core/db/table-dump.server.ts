import { createHash, type Hash } from 'node:crypto'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'

/**
 * This file dumps a database's content as text, table by table, in a form that every version of PostgreSQL writes and reads
 * alike.
 */

export interface DumpedTable {
  nombre: string
  /** These columns are written; generated columns are left out. */
  columnas: string[]
  /** The rows are ordered by these columns, the primary key. */
  orden: string[]
}

/** A sum is the row count of a table, and the SHA-256 of its text in key order, in hex. */
export interface TableSum {
  filas: number
  sha256: string
}

export interface Sequence {
  nombre: string
  valor: number
  /** The value has been handed out already (`is_called` of setval). */
  dado: boolean
}

/** This table is not dumped: a restore fills it by applying the migrations. */
const MIGRATIONS_TABLE = 'migraciones'
/**
 * These tables are not dumped: they hold quotas, leases, the mark of a moved place, and uploads under way, whose chunks are in no
 * backup and whose senders still have the files.
 */
const TRANSIENT_TABLES = ['subidas', 'trozos', 'llegadas_por_red', 'turnos', 'mudado']

type Client = pg.ClientBase

const quoteIdentifier = (text: string) => pg.escapeIdentifier(text)
const columnList = (columns: readonly string[]) => columns.map(quoteIdentifier).join(', ')

/** Makes the text of values independent of server, machine and role, for the open transaction. */
export async function fixTextFormat(client: Client): Promise<void> {
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
 * Lists the site's tables by name, without the migrations' table, the transient tables and unlogged tables, which only describe
 * the present.
 */
export async function listDumpedTables(client: Client): Promise<DumpedTable[]> {
  const { rows } = await client.query<DumpedTable>(
    `select c.relname as nombre,
       array(select a.attname::text from pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
         order by a.attname) as columnas,
       (select array(select a.attname::text from unnest(i.indkey::smallint[]) with ordinality k (attnum, place)
          join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum order by place)
        from pg_index i where i.indrelid = c.oid and i.indisprimary) as orden
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = current_schema and c.relkind = 'r' and c.relpersistence = 'p'
       and c.relname <> all ($1) order by c.relname`,
    [[MIGRATIONS_TABLE, ...TRANSIENT_TABLES]],
  )
  const unordered = rows.find(({ orden }) => orden === null)
  if (unordered) throw new Error(`The table ${unordered.nombre} has no primary key, which orders its rows`)
  return rows
}

/** Streams a table's rows as text, one per line, in key order. */
export function copyOut(client: Client, { nombre, columnas, orden }: DumpedTable): Readable {
  return (client as pg.Client).query(
    copyTo(
      `copy (select ${columnList(columnas)} from ${quoteIdentifier(nombre)} order by ${columnList(orden)}) to stdout`,
    ),
  )
}

/** Creates a stream that passes text on, counts its rows and computes its SHA-256. `sum` is valid once the stream has ended. */
export function createTableSummer(): { through: Transform; sum(): TableSum } {
  const hash: Hash = createHash('sha256')
  let rows = 0
  const through = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      // A line break within a value is written as \n, so each byte 10 ends a row.
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) rows++
      done(null, chunk)
    },
  })
  return { through, sum: () => ({ filas: rows, sha256: hash.digest('hex') }) }
}

export async function sumOf(client: Client, table: DumpedTable): Promise<TableSum> {
  const { through, sum } = createTableSummer()
  await pipeline(copyOut(client, table), through, async (rest) => {
    for await (const _ of rest);
  })
  return sum()
}

export async function readSequences(client: Client): Promise<Sequence[]> {
  const { rows } = await client.query<{ nombre: string; valor: number | null; primero: number }>(
    `select sequencename as nombre, last_value as valor, start_value as primero
     from pg_sequences where schemaname = current_schema order by 1`,
  )
  return rows.map(({ nombre, valor, primero }) => ({ nombre, valor: valor ?? primero, dado: valor !== null }))
}

/**
 * Replaces the rows of tables that the migrations made, in the open transaction. Foreign keys are dropped first and restored at
 * the end, which checks them; user triggers do not run.
 * @param open opens a table's text, as `copyOut` wrote it
 */
export async function loadTables(
  client: Client,
  tables: readonly DumpedTable[],
  sequences: readonly Sequence[],
  open: (table: DumpedTable) => Promise<Readable>,
): Promise<void> {
  const { rows: references } = await client.query<{ tabla: string; nombre: string; texto: string }>(
    `select conrelid::regclass::text as tabla, conname as nombre, pg_get_constraintdef(pg_constraint.oid) as texto
     from pg_constraint where contype = 'f' and connamespace = current_schema::regnamespace order by 1, 2`,
  )
  for (const { tabla: table, nombre } of references)
    await client.query(`alter table ${table} drop constraint ${quoteIdentifier(nombre)}`)
  for (const { nombre } of tables) await client.query(`alter table ${quoteIdentifier(nombre)} disable trigger user`)
  await client.query(`truncate ${columnList(tables.map(({ nombre }) => nombre))}`)
  for (const table of tables)
    await pipeline(
      await open(table),
      (client as pg.Client).query(
        copyFrom(`copy ${quoteIdentifier(table.nombre)} (${columnList(table.columnas)}) from stdin`),
      ),
    )
  for (const { nombre, valor, dado } of sequences)
    await client.query('select setval($1::regclass, $2, $3)', [quoteIdentifier(nombre), valor, dado])
  for (const { tabla: table, nombre, texto } of references)
    await client.query(`alter table ${table} add constraint ${quoteIdentifier(nombre)} ${texto}`)
  for (const { nombre } of tables) await client.query(`alter table ${quoteIdentifier(nombre)} enable trigger user`)
}

/** Lists the names of the migrations applied to a database; empty for an empty database. */
export async function readAppliedMigrations(client: Client | pg.Pool): Promise<string[]> {
  const { rows: found } = await client.query(`select to_regclass('${MIGRATIONS_TABLE}') is not null as hay`)
  if (!found[0].hay) return []
  const { rows } = await client.query<{ nombre: string }>(`select nombre from ${MIGRATIONS_TABLE} order by nombre`)
  return rows.map(({ nombre }) => nombre)
}
