import { readdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { TERMINAL } from '#app/audit/mutations.server.ts'
import { deleteWithdrawnFiles } from '#app/cms/publishing/withdrawal.server.ts'
import { replayWithdrawals } from '#app/cms/publishing/withdrawal-replay.server.ts'
import {
  type Erasure,
  inForce,
  insertErasures,
  mergeErasures,
  readErasureKey,
  readErasures,
  readErasuresFromDatabase,
  readErasuresOf,
} from '#app/core/db/erasure-log.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { openPlace } from '#app/core/storage/open-store.server.ts'
import { deleteEntry } from '#app/entries/retention/deletion.server.ts'
import { listErasedEntries } from '#app/entries/retention/stored-objects.server.ts'
import { hasVotes } from '#app/voting/election/data.server.ts'
import type { BackupStore } from './store.server.ts'

/** Ledgers that may be there: whether each was, what could not be read of it, and all their lines, each once. */
export interface ErasureLogs {
  lineas: Erasure[]
  /** Where there were lines, and how many. */
  encontrados: { donde: string; lineas: number }[]
  /** Spanish sentences, to be said. */
  avisos: string[]
}

/**
 * Every ledger of deletions that can be found: beside the backup, where the site's own backups go, beside the data, and
 * in data folders that somebody put aside under the same name (`/var/lib/certamen.antes`). What cannot be reached or read
 * is said, and keeps nothing from going on.
 */
export async function collectErasureLogs(
  { nombre, storage }: Pick<BackupStore, 'nombre' | 'storage'>,
  places: readonly (string | undefined)[],
  dataDirs: readonly string[],
): Promise<ErasureLogs> {
  const notices: string[] = []
  const found: { donde: string; lineas: Erasure[] }[] = []
  const mala = (name: string) =>
    notices.push(`El libro de borrados tiene un archivo que no es suyo, y no se usó: ${name}.`)
  const take = async (where: string, read: () => Promise<Erasure[]>) => {
    try {
      found.push({ donde: where, lineas: await read() })
    } catch (error) {
      notices.push(`No se pudo leer el libro de borrados de ${where}: ${(error as Error).message}`)
    }
  }
  await take(nombre, () => readErasuresOf(storage, mala))
  for (const place of new Set(places))
    if (place !== undefined) await take('BACKUP_URL', async () => readErasuresOf(await openPlace(place), mala))
  for (const dataDir of new Set((await Promise.all(dataDirs.map(andThoseAside))).flat()))
    await take(dataDir, () => readErasures(dataDir, mala))
  return {
    lineas: mergeErasures(...found.map(({ lineas }) => lineas)),
    encontrados: found
      .filter(({ lineas }) => lineas.length > 0)
      .map(({ donde, lineas }) => ({ donde, lineas: lineas.length })),
    avisos: notices,
  }
}

/** A data folder, and those beside it whose name goes on behind its own: somebody put them aside. */
async function andThoseAside(dataDir: string): Promise<string[]> {
  const own = resolve(dataDir)
  const names = await readdir(dirname(own)).catch((): string[] => [])
  const aside = names.filter(
    (name) => /^[.\-_]/.test(name.slice(basename(own).length)) && name.startsWith(basename(own)),
  )
  return [own, ...aside.map((name) => join(dirname(own), name))]
}

/** What the ledger said, for whoever restores: how many lines, how new, and where; a warning where there was none. */
export function erasureLogsInWords({ lineas, encontrados, avisos }: ErasureLogs): string[] {
  const newest = lineas
    .map(({ at }) => at)
    .toSorted()
    .at(-1)
  const said =
    newest === undefined
      ? 'No se encontró ningún libro de borrados: si después del respaldo alguien pidió irse, vuelve con él. Si la carpeta de datos de antes existe, copia su carpeta «supresiones» a la nueva y arranca: el sitio la borra otra vez.'
      : `Libro de borrados: ${lineas.length} renglones, el más nuevo del ${newest.slice(0, 16).replace('T', ' a las ')} UTC (${encontrados.map((one) => `${one.donde}: ${one.lineas}`).join('; ')}).`
  return [...avisos, said]
}

/** What came of going through the ledger. */
export interface ErasureReplay {
  inscripciones: number
  candidatas: number
  /** Entries whose deletion is written down and could not come to its end: the sweep tries again. */
  pendientes: number[]
}

/**
 * Deletes again whoever asked to be gone, from a database that was restored to a moment before; by this site's commands,
 * or by whatever else can put one back. What cannot be deleted now is hidden and left to the sweep.
 * @param lines what was found of the ledger outside of the database
 * @param root where the made pictures lie
 */
export async function replayErasures(
  services: Pick<Services, 'db' | 'storage' | 'clock' | 'log' | 'settings'>,
  lines: readonly Erasure[],
  root: string,
): Promise<ErasureReplay> {
  const { db, log } = services
  const passphrase = await readErasureKey(db)
  if (!passphrase) return { inscripciones: 0, candidatas: 0, pendientes: [] }
  await insertErasures(db, lines)
  // In one view of the database: whoever is there because she came back has her line there, too.
  const { back, huellas } = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const gone = new Set(inForce(await readErasuresFromDatabase(tx)).map(({ huella }) => huella))
      return { huellas: gone, back: gone.size === 0 ? [] : await listErasedEntries(tx, passphrase, gone) }
    })
  if (huellas.size === 0) return { inscripciones: 0, candidatas: 0, pendientes: [] }
  const pending: number[] = []
  for (const id of back) {
    const done = await deleteEntry(services, id, 'solicitud', TERMINAL)
    if (done.ok && done.pendiente) pending.push(id)
  }
  const votes = (edition: number) => hasVotes(db, edition)
  const candidates = await replayWithdrawals(services, passphrase, huellas, votes, TERMINAL)
  if (candidates > 0)
    // What the storage does not let go now is tried again with every publication and start.
    await deleteWithdrawnFiles(services, root).catch((error: unknown) =>
      log.error({ err: error }, 'what there is of withdrawn candidates could not be removed yet'),
    )
  return { inscripciones: back.length, candidatas: candidates, pendientes: pending }
}
