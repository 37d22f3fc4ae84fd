import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { listAccounts } from '#app/accounts/data.server.ts'
import { checkClock } from '#app/core/db/clock-guard.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { isoDateOf } from '#app/core/time/mexico-dates.ts'
import { readDiskSpace } from '#app/core/uploads/disk-space.server.ts'
import { findUsedIdempotencyKeys, mailSenderOf, queueMail } from '#app/mail/mutations.server.ts'
import type { Letter } from '#app/mail/schema.ts'
import { type HealthCheck, reasonOf, runChecks } from './check.server.ts'
import { listAllPlannedDeletions, listDiagnoses } from './data.server.ts'
import { EXTERNAL_CHECKS } from './external-checks.server.ts'
import { ping } from './heartbeat.server.ts'
import { INTERNAL_CHECKS } from './internal-checks.server.ts'
import { diskSpaceLetter, faultLetter, faultResolvedLetter, plannedDeletionLetter } from './mails.server.ts'
import { diskSpaceNotice } from './rules.ts'
import type { Diagnosis } from './schema.ts'

/** External checks run once in this many turns; those that have failed run at every turn. */
const EXTERNAL_CHECK_TURNS = 10
/** If a process has not renewed the lease of the health watch for this long, another process takes over. */
const LEASE_SECONDS = 150

type WatchServices = Pick<Services, 'db' | 'settings' | 'keyed' | 'log'>

/** Mails every active `admin`, each once per `keyPrefix`. @returns number of queued mails */
async function mailAdmins(services: WatchServices, letter: Letter, keyPrefix: string): Promise<number> {
  const { db } = services
  const accounts = (await listAccounts(db)).filter(
    ({ role, deactivatedAt }) => role === 'admin' && deactivatedAt === null,
  )
  const usedKeys = await findUsedIdempotencyKeys(
    db,
    accounts.map(({ email }) => `${keyPrefix}:${email}`),
  )
  let queuedCount = 0
  for (const { email } of accounts) {
    const idempotencyKey = `${keyPrefix}:${email}`
    if (usedKeys.has(idempotencyKey)) continue
    const mail = await queueMail(db, { ...letter, to: email, sender: mailSenderOf(services), idempotencyKey })
    if (mail.ok && !mail.isRepeated) queuedCount++
  }
  return queuedCount
}

/**
 * Mails every `admin` about a disk that is full or nearly full, once a day by the machine's clock.
 * @returns number of queued mails
 */
export async function mailDiskSpaceNotice(services: WatchServices, machineNow = new Date()): Promise<number> {
  const { settings, log } = services
  const notice = diskSpaceNotice(await readDiskSpace(settings.dataDir, settings.diskReserve))
  if (notice === undefined) return 0
  log.warn(notice)
  return mailAdmins(services, diskSpaceLetter(notice), `espacio:${isoDateOf(machineNow)}`)
}

/** Mails every `admin` about announced deletions, once per edition and day of announcement. @returns number of queued mails */
export async function notifyPlannedDeletions(services: WatchServices): Promise<number> {
  let queuedCount = 0
  for (const plannedDeletion of await listAllPlannedDeletions(services.db))
    queuedCount += await mailAdmins(
      services,
      plannedDeletionLetter(plannedDeletion),
      `borrado-previsto:${plannedDeletion.edition}:${isoDateOf(plannedDeletion.announcedAt)}`,
    )
  return queuedCount
}

/** Checks whose faults have a mail of their own (`mailDiskSpaceNotice`). */
const CHECKS_WITHOUT_MAIL = new Set(['espacio'])

/**
 * Stores diagnoses, and mails every `admin` about new and resolved faults, but CHECKS_WITHOUT_MAIL.
 * @returns number of queued mails
 */
export async function saveDiagnoses(
  services: WatchServices,
  diagnoses: readonly Diagnosis[],
  machineNow = new Date(),
): Promise<number> {
  const { db, log } = services
  const storedByCheck = new Map((await db.selectFrom('diagnosticos').selectAll().execute()).map((row) => [row.de, row]))
  let queuedCount = 0
  for (const diagnosis of diagnoses) {
    const { de, titulo, nivel, dice, remedio = null } = diagnosis
    const storedDiagnosis = storedByCheck.get(de)
    const since = storedDiagnosis?.nivel === nivel ? storedDiagnosis.desde : machineNow
    const wasBroken = storedDiagnosis?.nivel === 'falla'
    // The mail is queued before the diagnosis is stored, so that no mail is lost. If the process ends in between, the next process
    // finds the diagnosis before this one, and so the same idempotency key: the mail is sent once.
    if (!CHECKS_WITHOUT_MAIL.has(de) && nivel === 'falla' && !wasBroken) {
      log.error({ de }, 'a fault of the site')
      queuedCount += await mailAdmins(
        services,
        faultLetter(diagnosis),
        `falla:${de}:${storedDiagnosis?.desde.toISOString() ?? isoDateOf(machineNow)}`,
      )
    }
    if (!CHECKS_WITHOUT_MAIL.has(de) && nivel !== 'falla' && wasBroken)
      queuedCount += await mailAdmins(
        services,
        faultResolvedLetter(diagnosis),
        `compuesto:${de}:${storedDiagnosis.desde.toISOString()}`,
      )
    const row = { titulo, nivel, dice, remedio, desde: since, visto_at: machineNow }
    await db
      .insertInto('diagnosticos')
      .values({ de, ...row })
      .onConflict((conflict) => conflict.column('de').doUpdateSet(row))
      .execute()
  }
  return queuedCount
}

/**
 * Takes or renews the lease of the health watch. A lease from the future, as after the clock was set back, is taken, too.
 * @returns whether this process holds the lease
 */
async function holdLease(db: Database, watcherId: string): Promise<boolean> {
  const { rows } = await sql`
    insert into guardia (quien, at) values (${watcherId}, clock_timestamp())
    on conflict (unica) do update set quien = excluded.quien, at = excluded.at
      where guardia.quien = excluded.quien or guardia.at < clock_timestamp() - ${LEASE_SECONDS} * interval '1 second'
        or guardia.at > clock_timestamp() + interval '1 minute'
    returning quien`.execute(db)
  return rows.length > 0
}

interface WatchOptions {
  root: string
  checks?: readonly HealthCheck[]
}

/**
 * Creates the health watch of a running site. Each process watches its disk and its clock. The process with the lease runs the
 * checks that are due, mails every `admin` about faults and planned deletions, and pings AVISO_URL while there is no fault.
 * @returns a function that runs one turn of the watch
 */
export function createHealthWatch(
  services: WatchServices,
  { root, checks = [...INTERNAL_CHECKS, ...EXTERNAL_CHECKS] }: WatchOptions,
): (signal: AbortSignal) => Promise<void> {
  const { db, settings, log } = services
  const watcherId = randomUUID()
  const latestDiagnoses = new Map<string, Diagnosis>()
  /** Ids of external checks that have failed once, which is not yet a fault, since a single answer may get lost. */
  const doubtfulChecks = new Set<string>()
  let turnNumber = 0
  const isDue = ({ de, isExternal }: HealthCheck) =>
    !isExternal ||
    turnNumber % EXTERNAL_CHECK_TURNS === 1 ||
    doubtfulChecks.has(de) ||
    latestDiagnoses.get(de)?.nivel === 'falla'
  const keepDiagnosis = (diagnosis: Diagnosis, isExternal = false) => {
    const { de, nivel } = diagnosis
    const isNewFault = nivel === 'falla' && latestDiagnoses.get(de)?.nivel !== 'falla' && !doubtfulChecks.has(de)
    if (isExternal && isNewFault) doubtfulChecks.add(de)
    else doubtfulChecks.delete(de)
    latestDiagnoses.set(de, doubtfulChecks.has(de) ? { ...diagnosis, nivel: 'aviso' } : diagnosis)
  }
  return async (signal) => {
    await mailDiskSpaceNotice(services)
    await checkClock(db)
    if (!(await holdLease(db, watcherId))) {
      turnNumber = 0
      return
    }
    turnNumber++
    // A fault that another process found, such as the one before a restart, is no new one.
    if (turnNumber === 1)
      for (const storedDiagnosis of await listDiagnoses(db))
        if (storedDiagnosis.nivel === 'falla' && checks.some(({ de }) => de === storedDiagnosis.de))
          latestDiagnoses.set(storedDiagnosis.de, storedDiagnosis)
    const checkContext = { settings, db, root, isRunning: true, now: new Date() }
    const externalIds = new Set(checks.filter((check) => check.isExternal).map(({ de }) => de))
    for (const diagnosis of await runChecks(checks.filter(isDue), checkContext))
      keepDiagnosis(diagnosis, externalIds.has(diagnosis.de))
    if (signal.aborted) return
    await saveDiagnoses(services, [...latestDiagnoses.values()])
    await notifyPlannedDeletions(services)
    const hasNoFault = [...latestDiagnoses.values()].every(({ nivel }) => nivel !== 'falla')
    if (hasNoFault && settings.heartbeatUrl !== undefined)
      await ping(settings.heartbeatUrl).catch((error: unknown) =>
        log.warn({ reason: reasonOf(error) }, 'AVISO_URL did not answer'),
      )
  }
}
