import type { Database } from '#app/core/db/database.server.ts'
import { readErasureKey } from '#app/core/db/erasure-log.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { DAY_MS } from '#app/core/time/durations.ts'
import { hasVotes, loadElection } from '#app/voting/election/data.server.ts'
import { destinationFingerprint } from './identity.server.ts'
import { isInFuture } from './schema.ts'

/** The table `copias` stores each attempt at a backup. */
export interface Attempt {
  copia: string
  destino: string
  empezada_at: Date
  /** The moment is null where the attempt failed. */
  hecha_at: Date | null
  /** The text is the failure of the attempt; a completed backup has a text where documents are missing in it. */
  falla: string | null
  aviso: string | null
  ensayada_at: Date | null
  ensayo_falla: string | null
}

/**
 * Lists attempts at backups, the latest first by id, since dates may be wrong.
 * @param destination lists attempts at this destination alone; undefined: all
 */
export async function listAttempts(db: Database, destination: string | undefined): Promise<Attempt[]> {
  const all = db
    .selectFrom('copias')
    .select(['copia', 'destino', 'empezada_at', 'hecha_at', 'falla', 'aviso', 'ensayada_at', 'ensayo_falla'])
    .orderBy('id', 'desc')
    .limit(400)
  if (destination === undefined) return all.execute()
  const fingerprint = destinationFingerprint(await readErasureKey(db), destination)
  return all.where('destino_huella', '=', fingerprint).execute()
}

/** A BackupStatus is the state of the site's backups. */
export interface BackupStatus {
  /** The newest complete backup was completed at this moment, at this destination. */
  latest: { at: Date; destination: string } | undefined
  /** The latest attempt failed for this reason; undefined: it succeeded. */
  failure: string | undefined
  /** The latest attempt was completed without the objects that the site has lost. */
  isIncomplete: boolean
  /** The latest rehearsal was at this moment, and found this difference. */
  rehearsal: { at: Date; failure: string | null } | undefined
  /** The latest attempt left this notice, which is no failure. */
  notice: string | undefined
  /** A clock that ran ahead made a backup, and no correct clock has made one since. */
  hasFutureDated: boolean
}

/**
 * Reads the state of the site's backups.
 * @param backupUrl destination of the site's own backups: backups made elsewhere do not count; undefined: all count
 */
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
    latest: whole && { at: whole.hecha_at!, destination: whole.destino },
    failure: past[0]?.falla ?? undefined,
    isIncomplete: Boolean(past[0]?.hecha_at && past[0].falla),
    notice: past[0]?.aviso ?? undefined,
    rehearsal: rehearsed && { at: rehearsed.ensayada_at!, failure: rehearsed.ensayo_falla },
    hasFutureDated: tried.some((one) =>
      [one.empezada_at, one.hecha_at, one.ensayada_at].some((at) => isInFuture(at, now)),
    ),
  }
}

/** Returns whether people vote, or the vote's closing was less than a day ago: an hour's votes are worth a backup then. */
export async function isVoteDay({ db, clock }: Pick<Services, 'db' | 'clock'>): Promise<boolean> {
  const { edicion, cierre } = await loadElection()
  return clock.now().getTime() < Date.parse(cierre) + DAY_MS && hasVotes(db, edicion)
}
