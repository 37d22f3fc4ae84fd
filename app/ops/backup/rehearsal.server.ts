import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { openPool } from '#app/core/db/database.server.ts'
import { startPostgres } from '#app/core/postgres/embedded.server.ts'
import { nativeFolder } from '#app/core/postgres/native-binaries.server.ts'
import type { ReportProgress } from '#app/core/process/progress.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { CLUSTER, withTempFolder } from '#app/core/storage/temp-folders.server.ts'
import { BackupFault } from './fault.server.ts'
import { type OpenedBackup, restoreFaultsInWords, restoreSite } from './restore.server.ts'
import type { RowCounts } from './schema.ts'

interface RehearsalOptions {
  /** This folder has the SQL files. */
  migrations: string
  /** This folder has room for the whole database, on the data's disk: the system's temporary folder may be in memory. */
  workFolder: string
  /** This secret signed the votes; undefined: signatures are not checked. */
  secret: string | undefined
  onProgress: ReportProgress
}

/** A database takes about this many bytes per byte of its compressed text; an empty server adds SERVER_BYTES. */
const GROWS = 10
const SERVER_BYTES = 150_000_000

/** Returns whether PostgreSQL binaries for a rehearsal are installed; the image of a container has none. */
export const canRehearse = (): Promise<boolean> =>
  nativeFolder().then(
    () => true,
    () => false,
  )

/**
 * Runs a temporary, empty database with room for a backup's, while `work` runs.
 * @throws StartError when there is no room, or no PostgreSQL, as in the image of a container
 */
export const withTemporaryDatabase = <Done>(
  opened: OpenedBackup,
  { workFolder, onProgress }: Pick<RehearsalOptions, 'workFolder' | 'onProgress'>,
  work: (pool: pg.Pool) => Promise<Done>,
): Promise<Done> =>
  withTempFolder(workFolder, async (folder) => {
    await assertFits(folder, opened)
    const postgres = await startPostgres(join(folder, CLUSTER), onProgress)
    const pool = openPool(postgres.connection, 4)
    try {
      return await work(pool)
    } finally {
      await pool.end().finally(() => postgres.stop())
    }
  })

/**
 * Restores a backup in rehearsal: its database into a temporary server; its objects are read and their checksums verified.
 * @returns Spanish sentences for the terminal, none when the backup restores whole; a summary in numbers without names
 * or paths, which may be stored; row counts of the restored database
 */
export async function rehearseBackup(
  opened: OpenedBackup,
  options: RehearsalOptions,
): Promise<{ faults: string[]; summary: string | undefined; rowCounts: RowCounts }> {
  const dataDir = options.workFolder
  const restored = await withTemporaryDatabase(opened, options, (pool) =>
    restoreSite(opened, { pool, dataDir }, options),
  )
  const { perdidos } = opened.manifest
  const counts: [number, string][] = [
    [restored.differingTables.length, 'tablas que no son las del respaldo'],
    [restored.lostObjects.length, 'archivos que faltan o están dañados'],
    [perdidos.length, 'archivos que ya faltaban cuando se hizo'],
    [restored.voteFaults.length, 'fallas en el recuento de votos'],
  ]
  const summary = counts.flatMap(([count, words]) => (count > 0 ? [`${count} ${words}`] : [])).join(', ')
  return {
    summary: summary === '' ? undefined : `${summary}.`,
    rowCounts: restored.rowCounts!,
    faults: restoreFaultsInWords(restored, opened.manifest),
  }
}

async function assertFits(folder: string, { manifest }: OpenedBackup): Promise<void> {
  if (!(await canRehearse()))
    throw new StartError(
      'Para esto hace falta el PostgreSQL incluido, que esta imagen no trae: repite la orden en una máquina con el paquete del sitio y acceso al respaldo.',
    )
  const needed = manifest.tablas.reduce((sum, { guardado }) => sum + guardado.bytes * GROWS, SERVER_BYTES)
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < needed)
    throw new BackupFault(
      `Para esto hacen falta unos ${Math.ceil(needed / 1_000_000)} MB libres en el disco de los datos, y hay ${Math.floor((bavail * bsize) / 1_000_000)}: libera espacio y repite la orden.`,
      'No cupo en el disco de los datos.',
    )
}
