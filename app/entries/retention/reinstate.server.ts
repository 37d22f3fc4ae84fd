import pg from 'pg'
import { TERMINAL, writeAuditLog } from '#app/audit/mutations.server.ts'
import { type Database, openDatabase } from '#app/core/db/database.server.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { entryFingerprint } from './stored-objects.server.ts'

/** Rows of an entry in a backup, table by table. */
export interface BackedUpEntry {
  id: number
  /** Fingerprint in the erasure log (`entryFingerprint`). */
  fingerprint: string
  bucket: string
  folder: string
  tables: { table: string; rows: Record<string, unknown>[] }[]
}

interface ForeignKey {
  table: string
  column: string
  referencedTable: string
  referencedColumn: string
  mayBeNull: boolean
}

const quoteName = (text: string) => pg.escapeIdentifier(text)

/** Reads the foreign keys between the site's tables; keys of several columns are left out. */
async function readForeignKeys(client: pg.ClientBase): Promise<ForeignKey[]> {
  const { rows } = await client.query<ForeignKey>(
    `select c.relname as "table", a.attname as "column", d.relname as "referencedTable",
       k.attname as "referencedColumn",
       not a.attnotnull as "mayBeNull"
     from pg_constraint r
     join pg_class c on c.oid = r.conrelid join pg_attribute a on a.attrelid = c.oid and a.attnum = r.conkey[1]
     join pg_class d on d.oid = r.confrelid join pg_attribute k on k.attrelid = d.oid and k.attnum = r.confkey[1]
     where r.contype = 'f' and array_length(r.conkey, 1) = 1 and r.connamespace = current_schema::regnamespace`,
  )
  return rows
}

/**
 * Reads from a restored backup an entry and the rows that reference it, but not the rows that reference those rows.
 * @param erasureKey key of the erasure log (`readErasureKey`)
 * @returns undefined if the backup has no entry with that folio
 */
export async function readBackedUpEntry(
  client: pg.ClientBase,
  folio: string,
  erasureKey: Uint8Array,
): Promise<BackedUpEntry | undefined> {
  const { rows } = await client.query<{ id: number; folio: string; created_at: Date; tipo: keyof typeof FORMS }>(
    'select id, folio, created_at, tipo from inscripciones where folio = $1',
    [folio],
  )
  const [entryRow] = rows
  if (!entryRow) return undefined
  const { bucket, table: formTable } = FORMS[entryRow.tipo]
  const keysToEntry = (await readForeignKeys(client)).filter(
    ({ referencedTable }) => referencedTable === 'inscripciones',
  )
  const tables: BackedUpEntry['tables'] = []
  for (const { table, column } of [{ table: 'inscripciones', column: 'id' }, ...keysToEntry]) {
    const { rows: tableRows } = await client.query<{ row: Record<string, unknown> }>(
      `select to_jsonb(t) as "row" from ${quoteName(table)} t where ${quoteName(column)} = $1`,
      [entryRow.id],
    )
    tables.push({ table, rows: tableRows.map(({ row }) => row) })
  }
  const formRow = tables.find(({ table }) => table === formTable)?.rows[0]
  const fingerprint = entryFingerprint(erasureKey, entryRow)
  return { id: entryRow.id, fingerprint, bucket, folder: String(formRow?.carpeta ?? ''), tables }
}

export async function hasFolio(db: Database, folio: string): Promise<boolean> {
  const row = await db.selectFrom('inscripciones').select('id').where('folio', '=', folio).executeTakeFirst()
  return row !== undefined
}

/**
 * Inserts the rows of a backed-up entry in the client's open transaction. A reference to a missing row, such as an account,
 * becomes null; a row that requires the reference is left out. Mail that was still queued is left out, too, so that no old mail is
 * sent. If a row exists already, the insert fails.
 */
export async function insertBackedUpEntry(client: pg.ClientBase, entry: BackedUpEntry): Promise<void> {
  const foreignKeys = await readForeignKeys(client)
  const { rows: columns } = await client.query<{ table: string; column: string }>(
    `select c.relname as "table", a.attname as "column" from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = current_schema::regnamespace and c.relkind = 'r' and a.attnum > 0
       and not a.attisdropped and a.attgenerated = ''`,
  )
  for (const { table, rows: tableRows } of sortByReference(entry.tables, foreignKeys)) {
    const writableColumns = new Set(columns.filter((column) => column.table === table).map(({ column }) => column))
    for (const row of tableRows) {
      if (table === 'correos' && row.sent_at === null && row.failed_at === null) continue
      if (!(await dropDanglingReferences(client, table, row, foreignKeys))) continue
      const columnNames = Object.keys(row).filter((column) => writableColumns.has(column))
      const columnList = columnNames.map(quoteName).join(', ')
      await client.query(
        `insert into ${quoteName(table)} (${columnList}) overriding system value
         select ${columnList} from jsonb_populate_record(null::${quoteName(table)}, $1)`,
        [JSON.stringify(row)],
      )
    }
  }
}

export const logReinstatement = (pool: pg.Pool, id: number): Promise<void> =>
  writeAuditLog(openDatabase(pool), TERMINAL, { que: 'inscripcion.devuelta', inscripcion: id })

/** Sorts tables so that each follows the tables that it references, unless references form a cycle. */
function sortByReference(tables: BackedUpEntry['tables'], foreignKeys: readonly ForeignKey[]): BackedUpEntry['tables'] {
  const unsortedTables = [...tables]
  const sortedTables: BackedUpEntry['tables'] = []
  while (unsortedTables.length > 0) {
    const names = new Set(unsortedTables.map(({ table }) => table))
    const nextIndex = unsortedTables.findIndex(({ table }) =>
      foreignKeys.every(
        (key) => key.table !== table || key.referencedTable === table || !names.has(key.referencedTable),
      ),
    )
    sortedTables.push(...unsortedTables.splice(Math.max(0, nextIndex), 1))
  }
  return sortedTables
}

/** Sets the row's references to missing rows to null. @returns false if the row requires such a reference */
async function dropDanglingReferences(
  client: pg.ClientBase,
  table: string,
  row: Record<string, unknown>,
  foreignKeys: readonly ForeignKey[],
): Promise<boolean> {
  for (const { column, referencedTable, referencedColumn, mayBeNull } of foreignKeys.filter(
    (key) => key.table === table,
  )) {
    if (row[column] === null || row[column] === undefined) continue
    const { rowCount } = await client.query(
      `select 1 from ${quoteName(referencedTable)} where ${quoteName(referencedColumn)}::text = $1`,
      [String(row[column])],
    )
    if (rowCount !== 0) continue
    if (!mayBeNull) return false
    row[column] = null
  }
  return true
}
