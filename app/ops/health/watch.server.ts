import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { listAccounts } from '#app/accounts/data.server.ts'
import { checkClock } from '#app/core/db/clock-guard.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { isoDateOf } from '#app/core/time/mexico-dates.ts'
import { readDiskSpace } from '#app/core/uploads/disk-space.server.ts'
import { findQueued, mailSenderOf, queueMail } from '#app/mail/mutations.server.ts'
import type { Letter } from '#app/mail/schema.ts'
import { type HealthCheck, reasonOf, runChecks } from './check.server.ts'
import { listAllPlannedDeletions } from './data.server.ts'
import { EXTERNAL_CHECKS } from './external-checks.server.ts'
import { ping } from './heartbeat.server.ts'
import { INTERNAL_CHECKS } from './internal-checks.server.ts'
import { diskSpaceLetter, faultLetter, faultResolvedLetter, plannedDeletionLetter } from './mails.server.ts'
import { diskSpaceNotice } from './rules.ts'
import type { Diagnosis } from './schema.ts'

/** A check of another machine runs again after this many turns; a check that failed runs at every turn. */
const EXTERNAL_CHECK_TURNS = 10
/** The lease of the health watch lasts this many seconds: after such a silence another process takes over. */
const GUARD_S = 150

type Work = Pick<Services, 'db' | 'settings' | 'keyed' | 'log'>

/** Mails every organiser, once per key. @returns number of queued mails */
async function mailOrganisers(services: Work, letter: Letter, key: string): Promise<number> {
  const { db } = services
  const accounts = (await listAccounts(db)).filter(
    ({ role, deactivatedAt }) => role === 'admin' && deactivatedAt === null,
  )
  const queued = await findQueued(
    db,
    accounts.map(({ email }) => `${key}:${email}`),
  )
  let queuedCount = 0
  for (const { email } of accounts) {
    const idempotencyKey = `${key}:${email}`
    if (queued.has(idempotencyKey)) continue
    const made = await queueMail(db, { ...letter, to: email, sender: mailSenderOf(services), idempotencyKey })
    if (made.ok && !made.isRepeated) queuedCount++
  }
  return queuedCount
}

/**
 * Mails every organiser about a disk that is nearly full, once a day by the machine's clock.
 * @returns number of queued mails
 */
export async function watchDiskSpace(services: Work, machineNow = new Date()): Promise<number> {
  const { settings, log } = services
  const notice = diskSpaceNotice(await readDiskSpace(settings.dataDir, settings.diskReserve))
  if (notice === undefined) return 0
  log.warn(notice)
  return mailOrganisers(services, diskSpaceLetter(notice), `espacio:${isoDateOf(machineNow)}`)
}

/** Mails every organiser about announced deletions, once per announcement. @returns number of queued mails */
export async function notifyPlannedDeletions(services: Work): Promise<number> {
  let queuedCount = 0
  for (const plannedDeletion of await listAllPlannedDeletions(services.db))
    queuedCount += await mailOrganisers(
      services,
      plannedDeletionLetter(plannedDeletion),
      // Entries that came in late are announced separately, at most once a day.
      `borrado-previsto:${plannedDeletion.edition}:${isoDateOf(plannedDeletion.announcedAt)}`,
    )
  return queuedCount
}

/** These checks send no mail about faults: the disk has a separate one. */
const SILENT_CHECKS = new Set(['espacio'])

/** Stores findings, and mails every organiser about new and resolved faults. @returns number of queued mails */
export async function saveDiagnoses(
  services: Work,
  diagnoses: readonly Diagnosis[],
  machineNow = new Date(),
): Promise<number> {
  const { db, log } = services
  const before = new Map((await db.selectFrom('diagnosticos').selectAll().execute()).map((one) => [one.de, one]))
  let queuedCount = 0
  for (const one of diagnoses) {
    const { de, titulo, nivel, dice, remedio = null } = one
    const known = before.get(de)
    const from = known?.nivel === nivel ? known.desde : machineNow
    const wasBroken = known?.nivel === 'falla'
    // The mail is queued first: a process that ends in between queues it again under the same idempotency key, and it is sent
    // once.
    if (!SILENT_CHECKS.has(de) && nivel === 'falla' && !wasBroken) {
      log.error({ de }, 'a fault of the site')
      queuedCount += await mailOrganisers(services, faultLetter(one), `falla:${de}:${from.toISOString()}`)
    }
    if (!SILENT_CHECKS.has(de) && nivel !== 'falla' && wasBroken)
      queuedCount += await mailOrganisers(
        services,
        faultResolvedLetter(one),
        `compuesto:${de}:${known.desde.toISOString()}`,
      )
    const row = { titulo, nivel, dice, remedio, desde: from, visto_at: machineNow }
    await db
      .insertInto('diagnosticos')
      .values({ de, ...row })
      .onConflict((conflict) => conflict.column('de').doUpdateSet(row))
      .execute()
  }
  return queuedCount
}

/** Takes or renews the lease of the health watch. @returns whether this process holds it */
async function holdLease(db: Database, watcherId: string): Promise<boolean> {
  const { rows } = await sql`
    insert into guardia (quien, at) values (${watcherId}, clock_timestamp())
    on conflict (unica) do update set quien = excluded.quien, at = excluded.at
      where guardia.quien = excluded.quien or guardia.at < clock_timestamp() - ${GUARD_S} * interval '1 second'
        or guardia.at > clock_timestamp() + interval '1 minute'
    returning quien`.execute(db)
  return rows.length > 0
}

interface WatchOptions {
  root: string
  checks?: readonly HealthCheck[]
}

/**
 * Creates the watch of a running site: over its disk in each process, over the rest in one of them. Organisers get mail
 * about faults and announced deletions; AVISO_URL is called while there is no fault.
 * @returns one turn of the watch, which remembers the turns before
 */
export function createHealthWatch(
  services: Work,
  { root, checks = [...INTERNAL_CHECKS, ...EXTERNAL_CHECKS] }: WatchOptions,
): (stopping: AbortSignal) => Promise<void> {
  const { db, settings, log } = services
  const watcherId = randomUUID()
  const last = new Map<string, Diagnosis>()
  /** The set has the ids of checks of other machines that failed once: one lost answer is no fault yet. */
  const doubtfulChecks = new Set<string>()
  let turns = 0
  const isDue = ({ de, isExternal }: HealthCheck) =>
    !isExternal || turns % EXTERNAL_CHECK_TURNS === 1 || doubtfulChecks.has(de) || last.get(de)?.nivel === 'falla'
  const noteDiagnosis = (one: Diagnosis, outside = false) => {
    const isNew = one.nivel === 'falla' && last.get(one.de)?.nivel !== 'falla' && !doubtfulChecks.has(one.de)
    if (outside && isNew) doubtfulChecks.add(one.de)
    else doubtfulChecks.delete(one.de)
    last.set(one.de, doubtfulChecks.has(one.de) ? { ...one, nivel: 'aviso' } : one)
  }
  return async (stopping) => {
    await watchDiskSpace(services)
    await checkClock(db)
    if (!(await holdLease(db, watcherId))) {
      turns = 0
      return
    }
    turns++
    const checkContext = { settings, db, root, isRunning: true, now: new Date() }
    const outside = new Set(checks.filter((one) => one.isExternal).map(({ de }) => de))
    for (const one of await runChecks(checks.filter(isDue), checkContext)) noteDiagnosis(one, outside.has(one.de))
    if (stopping.aborted) return
    await saveDiagnoses(services, [...last.values()])
    await notifyPlannedDeletions(services)
    const well = [...last.values()].every(({ nivel }) => nivel !== 'falla')
    if (well && settings.heartbeatUrl !== undefined)
      await ping(settings.heartbeatUrl).catch((error: unknown) =>
        log.warn({ reason: reasonOf(error) }, 'AVISO_URL did not answer'),
      )
  }
}
