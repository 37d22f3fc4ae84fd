import { readdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { replayWithdrawals } from '#app/cms/publishing/replay-withdrawals.server.ts'
import { deleteWithdrawnFiles } from '#app/cms/publishing/withdrawal.server.ts'
import {
  type Erasure,
  erasuresInForce,
  insertErasures,
  mergeErasures,
  readErasureKey,
  readErasuresBesideBackups,
  readErasuresBesideData,
  readErasuresFromDatabase,
} from '#app/core/db/erasure-log.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { openDestination } from '#app/core/storage/open-store.server.ts'
import { deleteEntry } from '#app/entries/retention/deletion.server.ts'
import { listErasedEntries } from '#app/entries/retention/stored-objects.server.ts'
import { hasVotes } from '#app/voting/election/data.server.ts'
import type { BackupStore } from './store.server.ts'

/** The erasures in all logs that were found. */
export interface ErasureLogs {
  erasures: Erasure[]
  /** The logs that have lines, with the number of their lines. */
  foundIn: { location: string; lineCount: number }[]
  /** Spanish notices about unreadable logs. */
  notices: string[]
}

/**
 * Reads every erasure log that can be found: beside the backup, at the destination of the site's own backups, beside the data,
 * and in data folders that an operator set aside under a similar name, such as `/var/lib/certamen.antes`. Unreadable logs are
 * reported, and otherwise ignored.
 */
export async function collectErasureLogs(
  { name, storage }: Pick<BackupStore, 'name' | 'storage'>,
  backupUrls: readonly (string | undefined)[],
  dataDirs: readonly string[],
): Promise<ErasureLogs> {
  const notices: string[] = []
  const readLogs: { location: string; lines: Erasure[] }[] = []
  const reportInvalid = (path: string) =>
    notices.push(`El libro de borrados tiene un archivo que no es suyo, y no se usó: ${path}.`)
  const collect = async (location: string, read: () => Promise<Erasure[]>) => {
    try {
      readLogs.push({ location: location, lines: await read() })
    } catch (error) {
      notices.push(`No se pudo leer el libro de borrados de ${location}: ${(error as Error).message}`)
    }
  }
  await collect(name, () => readErasuresBesideBackups(storage, reportInvalid))
  for (const backupUrl of new Set(backupUrls))
    if (backupUrl !== undefined)
      await collect('BACKUP_URL', async () =>
        readErasuresBesideBackups(await openDestination(backupUrl), reportInvalid),
      )
  for (const dataDir of new Set((await Promise.all(dataDirs.map(withSetAside))).flat()))
    await collect(dataDir, () => readErasuresBesideData(dataDir, reportInvalid))
  return {
    erasures: mergeErasures(...readLogs.map(({ lines }) => lines)),
    foundIn: readLogs
      .filter(({ lines }) => lines.length > 0)
      .map(({ location, lines }) => ({ location, lineCount: lines.length })),
    notices,
  }
}

/**
 * Returns a data folder, and the data folders that an operator set aside: their names begin with its name and `.`, `-` or `_`.
 */
async function withSetAside(dataDir: string): Promise<string[]> {
  const dataFolder = resolve(dataDir)
  const names = await readdir(dirname(dataFolder)).catch((): string[] => [])
  const setAsideNames = names.filter(
    (name) => /^[.\-_]/.test(name.slice(basename(dataFolder).length)) && name.startsWith(basename(dataFolder)),
  )
  return [dataFolder, ...setAsideNames.map((name) => join(dirname(dataFolder), name))]
}

/**
 * Describes the erasure logs in Spanish for the operator of a restore, with number of lines, newest date and places, or with a
 * warning if there is no log.
 */
export function erasureLogsInWords({ erasures, foundIn, notices }: ErasureLogs): string[] {
  const newestMoment = erasures
    .map(({ at }) => at)
    .toSorted()
    .at(-1)
  const summary =
    newestMoment === undefined
      ? 'No se encontró ningún libro de borrados: si después del respaldo alguien pidió irse, vuelve con él. Si la carpeta de datos de antes existe, copia su carpeta «supresiones» a la nueva y arranca: el sitio la borra otra vez.'
      : `Libro de borrados: ${erasures.length} renglones, el más nuevo del ${newestMoment.slice(0, 16).replace('T', ' a las ')} UTC (${foundIn.map((log) => `${log.location}: ${log.lineCount}`).join('; ')}).`
  return [...notices, summary]
}

export interface ErasureReplay {
  /** Number of entries that had come back; `candidateCount` likewise. */
  entryCount: number
  candidateCount: number
  /** Ids of entries whose deletion is stored but unfinished. The sweep tries again. */
  pendingIds: number[]
}

/**
 * Erases the entries and candidates of the erasure log again, since the database may have been restored to an earlier moment, by
 * this site's commands or by other tools. An entry that cannot be deleted now is hidden and left to the sweep.
 * @param lines lines of erasure logs outside the database
 * @param root the project's folder, which holds the generated pictures
 */
export async function replayErasures(
  services: Pick<Services, 'db' | 'storage' | 'clock' | 'log' | 'settings'>,
  lines: readonly Erasure[],
  root: string,
): Promise<ErasureReplay> {
  const { db, log } = services
  const erasureKey = await readErasureKey(db)
  await insertErasures(db, lines)
  // Entries and erasure log are read from one snapshot: if it has a reinstated entry, it also has the line of the entry's return.
  const { returnedIds, fingerprints } = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const erasedFingerprints = new Set(
        erasuresInForce(await readErasuresFromDatabase(tx)).map(({ huella }) => huella),
      )
      return {
        fingerprints: erasedFingerprints,
        returnedIds: erasedFingerprints.size === 0 ? [] : await listErasedEntries(tx, erasureKey, erasedFingerprints),
      }
    })
  if (fingerprints.size === 0) return { entryCount: 0, candidateCount: 0, pendingIds: [] }
  const pendingIds: number[] = []
  for (const id of returnedIds) {
    const deletion = await deleteEntry(services, id, 'solicitud', TERMINAL)
    if (deletion.ok && deletion.isPending) pendingIds.push(id)
  }
  const hasVotesIn = (edition: number) => hasVotes(db, edition)
  const candidateCount = await replayWithdrawals(services, erasureKey, fingerprints, hasVotesIn, TERMINAL)
  if (candidateCount > 0)
    // Files that cannot be deleted now are tried again at every publication and start.
    await deleteWithdrawnFiles(services, root).catch((error: unknown) =>
      log.error({ err: error }, 'files of withdrawn candidates could not be removed yet'),
    )
  return { entryCount: returnedIds.length, candidateCount: candidateCount, pendingIds }
}
