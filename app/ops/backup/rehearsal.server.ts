import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { openPool } from '#app/core/db/database.server.ts'
import { startPostgres } from '#app/core/postgres/embedded.server.ts'
import { nativeFolder } from '#app/core/postgres/native-binaries.server.ts'
import type { ReportProgress } from '#app/core/process/progress.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { CLUSTER_FOLDER_NAME, withTempFolder } from '#app/core/storage/temp-folders.server.ts'
import { BackupFault } from './fault.server.ts'
import { type OpenedBackup, restoreFaultsInWords, restoreSite } from './restore.server.ts'
import type { RowCounts } from './schema.ts'

interface RehearsalOptions {
  migrationsFolder: string
  /** Folder on the data's disk, for the whole database. The system's temporary folder may be in memory. */
  workFolder: string
  /** Secret that signed the votes; without it, signatures are not checked. */
  secret: string | undefined
  onProgress: ReportProgress
}

/** A database takes some ten times as many bytes as its compressed text. */
const DATABASE_GROWTH = 10
/** Size of an empty PostgreSQL cluster. */
const SERVER_BYTES = 150_000_000

/** Returns whether PostgreSQL binaries for a rehearsal are installed. Container images have none. */
export const canRehearse = (): Promise<boolean> =>
  nativeFolder().then(
    () => true,
    () => false,
  )

/**
 * Runs `work` with a temporary, empty database, after checking that there is room for the backup's rows.
 * @throws StartError if there is not enough room, or no PostgreSQL, as in a container's image
 */
export const withTemporaryDatabase = <Result>(
  openedBackup: OpenedBackup,
  { workFolder, onProgress }: Pick<RehearsalOptions, 'workFolder' | 'onProgress'>,
  work: (pool: pg.Pool) => Promise<Result>,
): Promise<Result> =>
  withTempFolder(workFolder, async (folder) => {
    await assertFits(folder, openedBackup)
    const postgres = await startPostgres(join(folder, CLUSTER_FOLDER_NAME), onProgress)
    const pool = openPool(postgres.connection, 4)
    try {
      return await work(pool)
    } finally {
      await pool.end().finally(() => postgres.stop())
    }
  })

/**
 * Restores a backup in rehearsal: loads its database into a temporary server, and verifies the checksums of its objects.
 * @returns `faults`: Spanish sentences for the terminal, empty if the backup restores completely; `summary`: the numbers of
 * faults, which may be stored, since they contain no names or paths; undefined without faults
 */
export async function rehearseBackup(
  openedBackup: OpenedBackup,
  options: RehearsalOptions,
): Promise<{ faults: string[]; summary: string | undefined; rowCounts: RowCounts }> {
  const dataDir = options.workFolder
  const restoreResult = await withTemporaryDatabase(openedBackup, options, (pool) =>
    restoreSite(openedBackup, { pool, dataDir }, options),
  )
  const { perdidos } = openedBackup.manifest
  const counts: [number, string][] = [
    [restoreResult.differingTables.length, 'tablas que no son las del respaldo'],
    [restoreResult.lostObjects.length, 'archivos que faltan o están dañados'],
    [perdidos.length, 'archivos que ya faltaban cuando se hizo'],
    [restoreResult.voteFaults.length, 'fallas en el recuento de votos'],
  ]
  const summary = counts.flatMap(([count, words]) => (count > 0 ? [`${count} ${words}`] : [])).join(', ')
  return {
    summary: summary === '' ? undefined : `${summary}.`,
    rowCounts: restoreResult.rowCounts!,
    faults: restoreFaultsInWords(restoreResult, openedBackup.manifest),
  }
}

async function assertFits(folder: string, { manifest }: OpenedBackup): Promise<void> {
  if (!(await canRehearse()))
    throw new StartError(
      'Para esto hace falta el PostgreSQL incluido, que esta imagen no trae: repite la orden en una máquina con el paquete del sitio y acceso al respaldo.',
    )
  const neededBytes = manifest.tablas.reduce(
    (sum, { guardado }) => sum + guardado.bytes * DATABASE_GROWTH,
    SERVER_BYTES,
  )
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < neededBytes)
    throw new BackupFault(
      `Para esto hacen falta unos ${Math.ceil(neededBytes / 1_000_000)} MB libres en el disco de los datos, y hay ${Math.floor((bavail * bsize) / 1_000_000)}: libera espacio y repite la orden.`,
      'No cupo en el disco de los datos.',
    )
}
