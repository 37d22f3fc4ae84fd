import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { openPool } from '#app/core/db/database.server.ts'
import { startPostgres } from '#app/core/postgres/embedded.server.ts'
import { markAtRest } from '#app/core/postgres/in-use-marker.server.ts'
import { lockDataDir } from '#app/core/process/data-folder-lock.server.ts'
import type { Settings } from '#app/core/process/env.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { openStorage } from '#app/core/storage/open-store.server.ts'
import { checkDiskCopy } from '#app/ops/backup/disk-copy-check.server.ts'
import { COUNTED_TABLES } from '#app/ops/backup/schema.ts'
import { toItsEnd, type Undo, undoAll } from '../../server/undo.ts'
import { readSecret } from './open-site.ts'
import type { CommandOutcome, ReportProgress } from './run-command.ts'

/** Checks the data folder copied from a dead machine's disk, and lets a site start over it only when its database is whole. */
export async function adoptCopiedDataFolder(
  given: Settings,
  dataDir: string,
  migrations: string,
  onProgress: ReportProgress,
  undo: Undo,
): Promise<CommandOutcome> {
  const settings = { ...given, dataDir, databaseUrl: undefined }
  const cluster = join(dataDir, 'postgres')
  await stat(join(cluster, 'PG_VERSION')).catch(() => {
    throw new StartError(`En ${dataDir} no hay una carpeta de datos con su base de datos (postgres).`)
  })
  undo.push(await lockDataDir(dataDir, settings.publicUrl))
  const postgres = await startPostgres(cluster, (message) => console.error(message), { isLiveCopy: true })
  undo.push(toItsEnd(() => postgres.stop()))
  onProgress('La base de datos abrió, y puso lo que su bitácora tenía pendiente.')
  const pool = openPool(postgres.connection, 4)
  undo.push(() => pool.end())
  const { faults, missing, rowCounts } = await checkDiskCopy({
    ...{ pool, superuser: postgres.superuser, storage: await openStorage(settings), migrations, onProgress },
    secret: await readSecret(settings),
  })
  const isWhole = faults.length === 0
  const linesBefore = [
    ...COUNTED_TABLES.map(({ nombre }) => `${nombre.padEnd(15)}${String(rowCounts?.[nombre] ?? '?').padStart(12)}`),
    ...faults,
    ...missing,
  ]
  // PostgreSQL shuts down cleanly before the folder is marked as usable.
  await undoAll(undo)
  if (isWhole) await markAtRest(cluster)
  return {
    ok: isWhole && missing.length === 0,
    linesBefore,
    line: !isWhole
      ? `La base de datos de ${dataDir} tiene ${faults.length} fallas y no se usa: ${faults[0]} Restaura el último respaldo.`
      : missing.length === 0
        ? `La carpeta ${dataDir} está entera y ya se puede usar: arranca el sitio con DATA_DIR=${dataDir}.`
        : `La base de datos de ${dataDir} está entera y ya se puede usar, pero le faltan ${missing.length} archivos: búscalos en un respaldo. ${missing[0]}`,
    data: { cuentas: rowCounts, fallas: faults, faltan: missing },
  }
}
