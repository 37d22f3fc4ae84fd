import { readClock } from '#app/core/db/clock-guard.server.ts'
import { type Database, openDatabase } from '#app/core/db/database.server.ts'
import { readErasureKey } from '#app/core/db/erasure-log.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { isS3 } from '#app/core/storage/open-store.server.ts'
import { quantity } from '#app/core/text/quantity.ts'
import { type BackupOptions, backUpSite, type CompletedBackup, type SiteToBackUp } from './create.server.ts'
import { listAttempts } from './data.server.ts'
import { destinationFault } from './destination-fault.server.ts'
import { BackupInProgress, faultReason } from './fault.server.ts'
import { destinationFingerprint, destinationName } from './identity.server.ts'
import { CLOCK_SKEW_MS } from './schema.ts'
import { openBackupStore } from './store.server.ts'

/** A destination of backups, and the passphrase that encrypts them; they are not encrypted without one. */
export interface BackupDestination {
  destination: string
  passphrase: string | undefined
}

/**
 * Makes a backup, and stores the outcome in the site's database for the health watch.
 * @throws the failure, whose reason without paths and values is also stored; and BackupInProgress, which is not stored
 */
export async function runBackup(
  site: SiteToBackUp,
  { destination, passphrase }: BackupDestination,
  options: BackupOptions,
): Promise<CompletedBackup & { destino: string }> {
  const db = openDatabase(site.pool)
  const startedAt = new Date()
  const destinationColumns = {
    destino: destinationName(destination),
    destino_huella: destinationFingerprint(await readErasureKey(db), destination),
  }
  try {
    const store = await openCheckedStore(destination, passphrase, site.dataDir)
    // After a failed rehearsal every object is checked, and damaged objects are written again.
    const lastRehearsed = (await listAttempts(db, destination)).find(({ ensayada_at }) => ensayada_at)
    const isFullCheck = options.isFullCheck ?? Boolean(lastRehearsed?.ensayo_falla)
    const completedBackup = await backUpSite(site, store, { ...options, isFullCheck })
    const { id, bytes, objetos, perdidos, avisos } = completedBackup
    if (!(await readClock(db)).isAhead) await invalidateFutureAttempts(db, startedAt)
    await db
      .insertInto('copias')
      .values({
        copia: id,
        ...destinationColumns,
        empezada_at: startedAt,
        hecha_at: new Date(),
        bytes,
        objetos,
        falla:
          perdidos.length === 0
            ? null
            : `${perdidos.length === 1 ? 'Falta' : 'Faltan'} ${quantity(perdidos.length, 'archivo')} que la base de datos nombra.`,
        aviso: avisos.length === 0 ? null : avisos.join(' '),
      })
      .execute()
    return { ...completedBackup, destino: store.name }
  } catch (thrown) {
    // If the destination is a bucket, an error of S3 is not explained, since it may come from the site's own storage.
    const error = isS3(destination) ? thrown : (destinationFault(thrown, destination) ?? thrown)
    if (!(error instanceof BackupInProgress))
      await db
        .insertInto('copias')
        .values({
          copia: `falla-${startedAt.toISOString()}`,
          ...destinationColumns,
          empezada_at: startedAt,
          falla: faultReason(error),
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
        .catch(() => {})
    throw error
  }
}

/**
 * Opens a destination and checks it.
 * @throws BackupFault with the remedy if the destination cannot be used; StartError if it is invalid or the passphrase is wrong;
 * any other error as it is
 */
async function openCheckedStore(destination: string, passphrase: string | undefined, tempFolder: string) {
  try {
    const store = await openBackupStore(destination, passphrase, { tempFolder })
    await store.storage.check()
    return store
  } catch (error) {
    throw error instanceof StartError ? error : (destinationFault(error, destination) ?? error)
  }
}

/** Invalidates attempts that are dated in the future. Called once a backup has been made with a correct clock. */
async function invalidateFutureAttempts(db: Database, now: Date): Promise<void> {
  const falla = 'Se hizo con el reloj del servidor adelantado: no cuenta.'
  const futureStart = new Date(now.getTime() + CLOCK_SKEW_MS)
  await db
    .updateTable('copias')
    .set({ empezada_at: now, hecha_at: null, ensayada_at: null, ensayo_falla: null, falla })
    .where((eb) => eb.or([eb('empezada_at', '>', futureStart), eb('hecha_at', '>', futureStart)]))
    .execute()
  await db
    .updateTable('copias')
    .set({ ensayada_at: null, ensayo_falla: null })
    .where('ensayada_at', '>', futureStart)
    .execute()
}

/**
 * Stores the result of a rehearsal with its backup.
 * @param backup id of the backup; undefined if none could be opened. If `copias` lacks the backup, a failure is stored with the
 * newest one, and a success is not stored.
 * @param falla the difference that was found, without names or paths; undefined if the rehearsal succeeded
 */
export async function saveRehearsalResult(
  db: Database,
  destination: string,
  backup: string | undefined,
  falla: string | undefined,
): Promise<void> {
  const attempts = (await listAttempts(db, destination)).filter(({ hecha_at }) => hecha_at)
  const rehearsedAttempt =
    attempts.find(({ copia }) => copia === backup) ?? (falla === undefined ? undefined : attempts[0])
  if (!rehearsedAttempt) return
  await db
    .updateTable('copias')
    .set({ ensayada_at: new Date(), ensayo_falla: falla ?? null })
    .where('copia', '=', rehearsedAttempt.copia)
    .execute()
}
