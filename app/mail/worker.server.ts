import { setTimeout as sleep } from 'node:timers/promises'
import type { Services } from '#app/core/http/services.server.ts'
import type { Mailer, MailOutcome } from '#app/core/mail-transport/mailer.server.ts'
import { errorCode } from '#app/core/process/durable-files.server.ts'
import { HOUR_MS, MINUTE_MS } from '#app/core/time/durations.ts'
import { mailKeyOf } from './cipher.server.ts'
import {
  recordFailed,
  recordSent,
  releaseMails,
  renewMailLeases,
  type TakenMail,
  takeMails,
  wipeMails,
} from './queue.server.ts'
import { restMsAfter, waitMsAfter } from './rules.ts'

const TIMES = {
  /** Interval at which the queue is read while it holds less than a batch; a reading costs one index look-up. */
  pollMs: 500,
  /** Lease of a mail; after a crash of its process, the mail waits until its end. */
  leaseMs: MINUTE_MS,
  /** Lease of an urgent mail: shorter, since a person waits for it. */
  urgentLeaseMs: 15_000,
  /** An attempt is aborted after this time. */
  sendTimeoutMs: 2 * MINUTE_MS,
  /** How long `stop` waits for mails that are being sent. */
  drainMs: 2_500,
  wipeIntervalMs: HOUR_MS,
  waitMsAfter: (attempts: number) => waitMsAfter(attempts, Math.random()),
  restMsAfter: (failures: number) => restMsAfter(failures, Math.random()),
}
/** Mails that are taken at a time. */
const BATCH_SIZE = 50
/** The next batch is taken when this many mails of the last one are left. */
const LOW_WATER_MARK = 25
const DATABASE_RETRY_MS = 250

export interface MailWorker {
  /** Takes no more mails, waits for those that are being sent, and releases the rest. */
  stop(): Promise<void>
}

interface SendResult {
  mail: TakenMail
  outcome: MailOutcome
}

/**
 * Sends queued mail until it is stopped. Any number of processes may do so over one database.
 *
 * A mail is tried until the server accepts it, refuses it for good, or it expires; it survives failures of the server, the
 * database and this process. Delivery is at least once: if the connection breaks between the server's acceptance and its answer,
 * or this process dies between the answer and the commit (some milliseconds, at most four mails a connection), the mail is sent
 * again, with the same Message-ID. During an outage of the database, results are kept, a few more mails are begun, and the
 * results are written before more mails are taken. If the outage is longer than a lease, another process may send a mail again.
 * @param mailer closed when the worker stops
 */
export function startMailWorker(
  { db, log, keyed }: Pick<Services, 'db' | 'log' | 'keyed'>,
  mailer: Mailer,
  changedTimes: Partial<typeof TIMES> = {},
): MailWorker {
  const key = mailKeyOf({ keyed })
  const times = { ...TIMES, ...changedTimes }
  const urgentMs = Math.min(times.urgentLeaseMs, times.leaseMs)
  const leaseOf = ({ isUrgent }: TakenMail) => (isUrgent ? urgentMs : times.leaseMs)
  const now = () => performance.now()
  const stopController = new AbortController()
  const isStopped = () => stopController.signal.aborted
  /** Waits until a moment, which may change meanwhile, or until the worker stops. */
  const waitUntil = async (momentMs: () => number) => {
    while (now() < momentMs() && !isStopped())
      await sleep(Math.max(1, momentMs() - now()), undefined, { signal: stopController.signal }).catch(() => {})
  }

  /** Mails without a result. Each is held by its lease until `leaseEndMs`, and worth sending until `expiryMs`. */
  const heldMails = new Map<TakenMail, { leaseEndMs: number; expiryMs: number }>()
  /** Taken mails whose attempt has not begun. */
  const waitingMails: TakenMail[] = []
  const activeSends = new Set<AbortController>()
  const unwrittenResults: SendResult[] = []

  let isDatabaseAway = false
  const onDatabaseFault = (error: unknown) => {
    if (!isDatabaseAway)
      log.warn({ fault: errorCode(error) ?? (error as Error).name }, 'the mail queue does not answer')
    isDatabaseAway = true
  }

  let nextTakeMs = 0
  let taking: Promise<void> | undefined
  const takeBatch = () => {
    taking ??= (async () => {
      // After an outage, the results must be written before more mails are taken.
      if (isDatabaseAway) await writeResultsOnce()
      const requestedAtMs = now()
      try {
        const takenMails = await takeMails(db, key, BATCH_SIZE, times.leaseMs, urgentMs)
        for (const mail of takenMails)
          heldMails.set(mail, {
            leaseEndMs: requestedAtMs + leaseOf(mail),
            expiryMs: requestedAtMs + mail.expiresInMs,
          })
        waitingMails.unshift(...takenMails.filter(({ isUrgent }) => isUrgent))
        waitingMails.push(...takenMails.filter(({ isUrgent }) => !isUrgent))
        nextTakeMs = takenMails.length < BATCH_SIZE ? now() + times.pollMs : 0
        isDatabaseAway = false
      } catch (error) {
        onDatabaseFault(error)
        nextTakeMs = now() + times.pollMs
      }
      taking = undefined
    })()
    return taking
  }

  async function nextMail(): Promise<TakenMail | undefined> {
    if (waitingMails.length === 0) {
      await waitUntil(() => nextTakeMs)
      if (!isStopped()) await takeBatch()
    } else if (waitingMails.length <= LOW_WATER_MARK && now() >= nextTakeMs) void takeBatch()
    return waitingMails.shift()
  }

  /** No mail is tried before this moment, so that an unreachable server delays only a few mails by their own waits. */
  let restEndMs = 0
  let failureCount = 0
  function noteOutcome(outcome: MailOutcome) {
    if (outcome.ok) {
      if (failureCount > 0) log.info('the mail server answers again')
      failureCount = 0
    } else if (outcome.reason === 'unreachable' && now() >= restEndMs) {
      if (failureCount === 0) log.warn({ code: outcome.code }, 'the mail server does not take mail')
      failureCount++
      restEndMs = now() + times.restMsAfter(failureCount)
    }
  }

  async function attempt(mail: TakenMail): Promise<MailOutcome | undefined> {
    const { leaseEndMs, expiryMs } = heldMails.get(mail)!
    // After the end of the lease, another process may have taken the mail.
    if (now() >= leaseEndMs) return undefined
    if (now() >= expiryMs) return { ok: false, reason: 'refused', code: 'expired' }
    if (mail.isUnreadable) return { ok: false, reason: 'later', code: 'unreadable' }
    const controller = new AbortController()
    const timeout = setTimeout(() => controller.abort(), times.sendTimeoutMs)
    activeSends.add(controller)
    const outcome = await mailer.send(mail, controller.signal)
    activeSends.delete(controller)
    clearTimeout(timeout)
    noteOutcome(outcome)
    return outcome
  }

  async function sendLoop(): Promise<void> {
    while (!isStopped()) {
      const mail = await nextMail()
      if (!mail) continue
      await waitUntil(() => restEndMs)
      if (isStopped()) {
        waitingMails.unshift(mail)
        break
      }
      const outcome = await attempt(mail)
      heldMails.delete(mail)
      if (outcome) unwrittenResults.push({ mail, outcome })
      const written = writeResultsOnce()
      // The next mail is begun meanwhile, unless too many results are unwritten (backpressure).
      if (unwrittenResults.length > mailer.maxConcurrent) await written
    }
  }

  let writeDeadlineMs = Number.POSITIVE_INFINITY
  let writing: Promise<void> | undefined
  /** Writes the results, unless they are being written already. */
  function writeResultsOnce(): Promise<void> {
    if (unwrittenResults.length > 0) writing ??= writeResults()
    return writing ?? Promise.resolve()
  }
  async function writeResults(): Promise<void> {
    do {
      const batch = unwrittenResults.splice(0)
      try {
        await renewing
        await writeBatch(batch)
        isDatabaseAway = false
      } catch (error) {
        // The results may have been written; writing them twice changes nothing.
        unwrittenResults.unshift(...batch)
        onDatabaseFault(error)
        await sleep(DATABASE_RETRY_MS)
      }
    } while (unwrittenResults.length > 0 && now() < writeDeadlineMs)
    writing = undefined
  }
  async function writeBatch(batch: readonly SendResult[]): Promise<void> {
    const sentMails = batch.filter(({ outcome }) => outcome.ok).map(({ mail }) => mail)
    if (sentMails.length > 0) await recordSent(db, sentMails, mailer.isFolder)
    const failedMails = batch.flatMap(({ mail, outcome }) =>
      outcome.ok
        ? []
        : [
            {
              mail,
              code: outcome.code,
              isFinal: outcome.reason === 'refused',
              waitMs: times.waitMsAfter(mail.attempts),
            },
          ],
    )
    if (failedMails.length === 0) return
    const givenUpIds = await recordFailed(db, failedMails)
    for (const { mail, code } of failedMails) {
      const logFields = { correo: mail.id, kind: mail.kind, attempts: mail.attempts, code }
      if (givenUpIds.has(mail.id)) log.warn(logFields, 'a mail was given up')
      else log.info(logFields, 'a mail waits for its next attempt')
    }
  }

  let renewing: Promise<void> | undefined
  async function renewLeases(): Promise<void> {
    const requestedAtMs = now()
    const ownMails = [...heldMails.keys()]
    if (ownMails.length === 0) return
    try {
      const heldIds = await renewMailLeases(db, ownMails, times.leaseMs, urgentMs)
      for (const mail of ownMails) {
        const lease = heldMails.get(mail)
        if (lease) lease.leaseEndMs = heldIds.has(mail.id) ? requestedAtMs + leaseOf(mail) : 0
      }
    } catch (error) {
      onDatabaseFault(error)
    }
  }
  const renewTimer = setInterval(() => {
    renewing ??= renewLeases().finally(() => {
      renewing = undefined
    })
  }, urgentMs / 3)

  const wipe = () => void wipeMails(db).catch(onDatabaseFault)
  const wipeTimer = setInterval(wipe, times.wipeIntervalMs)
  wipe()

  const senders = Array.from({ length: mailer.maxConcurrent }, sendLoop)
  return {
    async stop() {
      stopController.abort()
      writeDeadlineMs = now() + times.drainMs
      const abortTimer = setTimeout(() => {
        for (const controller of activeSends) controller.abort()
      }, times.drainMs)
      await Promise.all(senders)
      clearTimeout(abortTimer)
      clearInterval(renewTimer)
      clearInterval(wipeTimer)
      await taking
      // Results of aborted attempts exist only now.
      writeDeadlineMs = now() + DATABASE_RETRY_MS
      await writeResultsOnce()
      if (waitingMails.length > 0) await releaseMails(db, waitingMails).catch(onDatabaseFault)
      mailer.close()
    },
  }
}
