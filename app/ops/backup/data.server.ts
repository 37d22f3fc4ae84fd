import type { Database } from '#app/core/db/database.server.ts'
import { readErasureKey } from '#app/core/db/erasure-log.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { DAY_MS } from '#app/core/time/durations.ts'
import { hasVotes, loadElection } from '#app/voting/election/data.server.ts'
import { destinationFingerprint } from './identity.server.ts'
import { isInFuture } from './schema.ts'

/** An attempt at a backup, as a row of `copias`. */
export interface BackupAttempt {
  /** Id of the backup; for an attempt that failed, `falla-` and its moment. */
  copia: string
  destino: string
  empezada_at: Date
  /** Moment at which the backup was completed; null if the attempt failed or does not count. */
  hecha_at: Date | null
  /** Reason why the attempt failed or does not count or, for a completed backup, a sentence about missing objects. */
  falla: string | null
  /** Notices about the destination and the clock. */
  aviso: string | null
  /** Moment of the latest rehearsal of the backup, and the fault that it found. */
  ensayada_at: Date | null
  ensayo_falla: string | null
}

/**
 * Lists the latest 400 attempts at backups, the latest first. They are sorted by id, since dates may be wrong.
 * @param destination undefined for attempts at all destinations
 */
export async function listAttempts(db: Database, destination: string | undefined): Promise<BackupAttempt[]> {
  const query = db
    .selectFrom('copias')
    .select(['copia', 'destino', 'empezada_at', 'hecha_at', 'falla', 'aviso', 'ensayada_at', 'ensayo_falla'])
    .orderBy('id', 'desc')
    .limit(400)
  if (destination === undefined) return query.execute()
  const fingerprint = destinationFingerprint(await readErasureKey(db), destination)
  return query.where('destino_huella', '=', fingerprint).execute()
}

export interface BackupStatus {
  /** Moment and destination of the newest complete backup. */
  latest: { at: Date; destination: string } | undefined
  /** Reason why the latest attempt failed or its backup is incomplete; undefined for a complete backup, and without an attempt. */
  failure: string | undefined
  /** Whether the latest backup lacks objects that the site has lost. */
  isIncomplete: boolean
  /** Moment of the latest rehearsal, and why it failed; `failure` is null if it did not. */
  rehearsal: { at: Date; failure: string | null } | undefined
  /** Notices about the destination and the clock from the latest attempt. They are no failure. */
  notice: string | undefined
  /** Whether an attempt or a rehearsal is dated in the future, and no backup was made since with a correct clock. */
  hasFutureDated: boolean
}

/**
 * Reads the state of the site's backups from the latest attempts (`listAttempts`). Attempts dated in the future count only for
 * `hasFutureDated`.
 * @param backupUrl destination of the site's own backups, which alone count; undefined if backups at all destinations count
 */
export async function readBackupStatus(
  db: Database,
  backupUrl: string | undefined,
  now = new Date(),
): Promise<BackupStatus> {
  const attempts = await listAttempts(db, backupUrl)
  const pastAttempts = attempts.filter(
    ({ empezada_at, hecha_at }) => !isInFuture(empezada_at, now) && !isInFuture(hecha_at, now),
  )
  const latestComplete = pastAttempts.find(({ hecha_at, falla }) => hecha_at && falla === null)
  const latestRehearsed = pastAttempts
    .filter(({ ensayada_at }) => ensayada_at && !isInFuture(ensayada_at, now))
    .toSorted((a, b) => b.ensayada_at!.getTime() - a.ensayada_at!.getTime())[0]
  return {
    latest: latestComplete && { at: latestComplete.hecha_at!, destination: latestComplete.destino },
    failure: pastAttempts[0]?.falla ?? undefined,
    isIncomplete: Boolean(pastAttempts[0]?.hecha_at && pastAttempts[0].falla),
    notice: pastAttempts[0]?.aviso ?? undefined,
    rehearsal: latestRehearsed && { at: latestRehearsed.ensayada_at!, failure: latestRehearsed.ensayo_falla },
    hasFutureDated: attempts.some(({ empezada_at, hecha_at, ensayada_at }) =>
      [empezada_at, hecha_at, ensayada_at].some((at) => isInFuture(at, now)),
    ),
  }
}

/** Returns whether there are votes, and the vote is open or closed less than a day ago. Backups are then made every hour. */
export async function isVoteDay({ db, clock }: Pick<Services, 'db' | 'clock'>): Promise<boolean> {
  const { edicion, cierre } = await loadElection()
  return clock.now().getTime() < Date.parse(cierre) + DAY_MS && hasVotes(db, edicion)
}
