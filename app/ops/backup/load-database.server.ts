import { copyFile, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type pg from 'pg'
import { migrate } from '#app/core/db/migrate.server.ts'
import {
  createTableDigest,
  type DumpedTable,
  digestTable,
  listDumpedTables,
  loadTables,
  prepareDumpTransaction,
  readAppliedMigrations,
  type Sequence,
  type TableDigest,
} from '#app/core/db/table-dump.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { withTempFolder } from '#app/core/storage/temp-folders.server.ts'
import { BackupFault } from './fault.server.ts'
import { COUNTED_TABLES, countsOf, type RowCounts } from './schema.ts'
import { pipeThrough } from './store.server.ts'

export interface DatabaseToLoad {
  migraciones: readonly string[]
  tablas: readonly (DumpedTable & TableDigest)[]
  secuencias: readonly Sequence[]
}

/**
 * Checks that a database is empty.
 * @throws StartError if one of COUNTED_TABLES has rows, or the database belongs to another program
 */
export async function assertDatabaseEmpty(pool: pg.Pool): Promise<void> {
  const client = await pool.connect()
  try {
    const isForeign = (await listDumpedTables(client)).length > 0 && (await readAppliedMigrations(client)).length === 0
    if (isForeign || Object.values(await countTables(client)).some((count) => count > 0))
      throw new StartError(
        'La base de datos de destino no está vacía, y nunca se escribe encima de otra. Elige otra carpeta, o una base de datos nueva.',
      )
  } finally {
    client.release()
  }
}

/**
 * Loads rows into an empty database in one transaction, and migrates the database to this version.
 * @param migrationsFolder folder of the SQL files
 * @param openTable opens a table's text
 * @returns tables whose rows, read back, differ from the loaded rows
 * @throws StartError if this version is older than the data; BackupFault if the data is damaged
 */
export async function loadDatabase(
  pool: pg.Pool,
  { migraciones, tablas, secuencias }: DatabaseToLoad,
  migrationsFolder: string,
  onProgress: (progress: string) => void,
  openTable: (table: DumpedTable) => Promise<Readable> | Readable,
): Promise<{ differingTables: string[] }> {
  const knownMigrations = new Set(await readdir(migrationsFolder))
  const unknownMigrations = migraciones.filter((name) => !knownMigrations.has(name))
  if (unknownMigrations.length > 0)
    throw new StartError(
      `Estos datos son de una versión más nueva del sitio (${unknownMigrations.at(-1)}): actualiza el sitio primero, y repite después.`,
    )
  await withTempFolder(tmpdir(), async (folder) => {
    for (const name of migraciones) await copyFile(join(migrationsFolder, name), join(folder, name))
    await migrate(pool, folder)
  })
  const client = await pool.connect()
  const differingTables: string[] = []
  try {
    await client.query('begin')
    await prepareDumpTransaction(client)
    const damagedTables: string[] = []
    const rowSums = new Map<string, bigint>()
    await loadTables(client, tablas, secuencias, async (table) => {
      const expectedTable = tablas.find(({ nombre }) => nombre === table.nombre)!
      const { through, digest, rowSum } = createTableDigest()
      through.once('end', () => {
        rowSums.set(table.nombre, rowSum())
        if (digest().sha256 !== expectedTable.sha256) damagedTables.push(table.nombre)
      })
      return pipeThrough(await openTable(table), through)
    }).catch((error: unknown) => {
      throw new BackupFault(
        `Los datos están dañados o no son de este sitio: ${(error as Error).message}`,
        'Una tabla está dañada o no es de este sitio.',
      )
    })
    if (damagedTables.length > 0)
      throw new BackupFault(
        `Los datos están dañados: no coincide la suma de ${damagedTables.join(', ')}.`,
        'Una tabla no es la que se guardó.',
      )
    for (const table of tablas)
      if ((await digestTable(client, table)).rowSum !== rowSums.get(table.nombre)) differingTables.push(table.nombre)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    client.release()
  }
  await pool.query('analyze')
  await migrate(pool, migrationsFolder)
  onProgress(`Base de datos: ${tablas.length} tablas, ${countsOf(tablas).votos} votos.`)
  return { differingTables }
}

export async function countRows(pool: pg.Pool): Promise<RowCounts> {
  const client = await pool.connect()
  try {
    return await countTables(client)
  } finally {
    client.release()
  }
}

async function countTables(client: pg.ClientBase): Promise<RowCounts> {
  const existingTables = new Set((await listDumpedTables(client)).map(({ nombre }) => nombre))
  const counts: { nombre: string; filas: number }[] = []
  for (const { tabla: table } of COUNTED_TABLES) {
    if (!existingTables.has(table)) continue
    const { rows } = await client.query(`select count(*)::int as filas from "${table}"`)
    counts.push({ nombre: table, filas: rows[0].filas })
  }
  return countsOf(counts)
}
