import type { Database } from '#app/core/db/database.server.ts'
import { readErasureKey } from '#app/core/db/erasure-log.server.ts'
import { comoSeDice } from '#app/core/time/mexico-dates.ts'
import { destinationFingerprint, destinationName } from './identity.server.ts'

/** Tolerated difference between the clocks of two machines. */
const APART_MS = 5 * 60_000

/** An attempt at a backup, as the table `copias` stores it. */
export interface Attempt {
  copia: string
  destino: string
  empezada_at: Date
  /** null: the attempt failed. */
  hecha_at: Date | null
  /** Failure of the attempt; with a completed backup: documents are missing in it. */
  falla: string | null
  aviso: string | null
  ensayada_at: Date | null
  ensayo_falla: string | null
}

/**
 * Attempts at backups, the latest first by id, since dates may be wrong.
 * @param destination lists attempts at this destination alone; undefined: all
 */
export async function listAttempts(db: Database, destination: string | undefined): Promise<Attempt[]> {
  const all = db
    .selectFrom('copias')
    .select(['copia', 'destino', 'empezada_at', 'hecha_at', 'falla', 'aviso', 'ensayada_at', 'ensayo_falla'])
    .orderBy('id', 'desc')
    .limit(400)
  if (destination === undefined) return all.execute()
  const passphrase = await readErasureKey(db)
  const fingerprint = passphrase ? destinationFingerprint(passphrase, destination) : ''
  return all
    .where((eb) =>
      eb.or([
        eb('destino_huella', '=', fingerprint),
        // Attempts from before the column `destino_huella` existed.
        eb.and([eb('destino_huella', 'is', null), eb('destino', '=', destinationName(destination))]),
      ]),
    )
    .execute()
}

/** Whether a stored moment lies in the future, so that the clock was wrong when it was stored. */
export const isInFuture = (at: Date | null, now: Date): boolean =>
  at !== null && at.getTime() > now.getTime() + APART_MS

/** State of the site's backups. */
export interface BackupStatus {
  /** Completion and destination of the newest complete backup. */
  ultima: { at: Date; destino: string } | undefined
  /** Failure of the latest attempt; undefined: it succeeded. */
  falla: string | undefined
  /** Whether the latest attempt was completed without the objects that the site has lost. */
  incompleta: boolean
  /** Time of the latest rehearsal, and the difference found. */
  ensayo: { at: Date; falla: string | null } | undefined
  /** Notice of the latest attempt that is no failure. */
  aviso: string | undefined
  /** Whether a backup was made by a clock that ran ahead, and none since by a correct clock. */
  hayFutura: boolean
}

/** Status of a database from before the column `copias.destino_huella` existed. */
export const NO_BACKUPS: BackupStatus = {
  ...{ ultima: undefined, falla: undefined, incompleta: false, ensayo: undefined, aviso: undefined, hayFutura: false },
}

/** @param backupUrl destination of the site's own backups: backups made elsewhere do not count; undefined: all count */
export async function readBackupStatus(
  db: Database,
  backupUrl: string | undefined,
  now = new Date(),
): Promise<BackupStatus> {
  const tried = await listAttempts(db, backupUrl)
  const past = tried.filter(({ empezada_at, hecha_at }) => !isInFuture(empezada_at, now) && !isInFuture(hecha_at, now))
  const whole = past.find(({ hecha_at, falla }) => hecha_at && falla === null)
  const rehearsed = past
    .filter(({ ensayada_at }) => ensayada_at && !isInFuture(ensayada_at, now))
    .toSorted((a, b) => b.ensayada_at!.getTime() - a.ensayada_at!.getTime())[0]
  return {
    ultima: whole && { at: whole.hecha_at!, destino: whole.destino },
    falla: past[0]?.falla ?? undefined,
    incompleta: Boolean(past[0]?.hecha_at && past[0].falla),
    aviso: past[0]?.aviso ?? undefined,
    ensayo: rehearsed && { at: rehearsed.ensayada_at!, falla: rehearsed.ensayo_falla },
    hayFutura: tried.some((one) => [one.empezada_at, one.hecha_at, one.ensayada_at].some((at) => isInFuture(at, now))),
  }
}

/** The status in Spanish, for the organisers. */
export function backupsInWords({ ultima, falla, ensayo, hayFutura }: BackupStatus, now: Date): string {
  if (!ultima && !falla && !hayFutura)
    return 'Todavía no hay ninguno. Pídele a quien cuida el servidor que ponga BACKUP_URL.'
  const when = (at: Date) => comoSeDice(at, now)
  const words = [ultima ? `El último, ${when(ultima.at)}.` : 'Todavía no hay ninguno.']
  if (falla) words.push(`El más reciente falló: ${falla}`)
  if (hayFutura) words.push('Hay uno con fecha futura: el reloj del servidor iba adelantado.')
  if (ensayo) words.push(ensayo.falla ? `Al ensayarlo, falló: ${ensayo.falla}` : `Ensayado ${when(ensayo.at)}.`)
  return words.join(' ')
}
