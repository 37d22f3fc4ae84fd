import type { Database } from '#app/core/db/database.server.ts'
import { readErasureKey } from '#app/core/db/erasure-log.server.ts'
import { comoSeDice } from '#app/core/time/mexico-dates.ts'
import { destinationFingerprint, destinationName } from './identity.server.ts'

/** Machines differ by so much without either being wrong. */
const APART_MS = 5 * 60_000

/** A copy that was tried, as the site wrote it down. */
export interface Attempt {
  copia: string
  destino: string
  empezada_at: Date
  /** null: it was not made. */
  hecha_at: Date | null
  /** What went wrong; with a copy that was made: documents are missing in it. */
  falla: string | null
  aviso: string | null
  ensayada_at: Date | null
  ensayo_falla: string | null
}

/**
 * Copies that were tried, the last first, whatever their dates say.
 * @param destination those made there alone; undefined: wherever they were made
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
        // Those of before there was such a word.
        eb.and([eb('destino_huella', 'is', null), eb('destino', '=', destinationName(destination))]),
      ]),
    )
    .execute()
}

/** Whether a moment is still to come, so that the clock was wrong when it was written down. */
export const isInFuture = (at: Date | null, now: Date): boolean =>
  at !== null && at.getTime() > now.getTime() + APART_MS

/** What is known of the site's backups. */
export interface BackupStatus {
  /** When the newest whole one was done, and where it lies. */
  ultima: { at: Date; destino: string } | undefined
  /** What became of the last one that was tried; undefined: nothing went wrong. */
  falla: string | undefined
  /** Whether that one was made all the same, without what the site has lost. */
  incompleta: boolean
  /** When one was last restored in rehearsal, and what differed. */
  ensayo: { at: Date; falla: string | null } | undefined
  /** What was said of the last one that is no failure. */
  aviso: string | undefined
  /** Whether one was made by a clock that ran ahead, and none since by one that is right. */
  hayFutura: boolean
}

/** Of a database of before copies were judged by where they lie. */
export const NO_BACKUPS: BackupStatus = {
  ...{ ultima: undefined, falla: undefined, incompleta: false, ensayo: undefined, aviso: undefined, hayFutura: false },
}

/** @param backupUrl where the site's own copies go: those made elsewhere do not count */
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

/** The same in the organisers' words. */
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
