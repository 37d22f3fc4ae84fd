import { setTimeout as sleep } from 'node:timers/promises'
import type { Services } from '#app/core/http/services.server.ts'
import type { Mailer, MailOutcome } from '#app/core/mail-transport/mailer.server.ts'
import { errorCode } from '#app/core/process/durable-files.server.ts'
import { HOUR_MS, MINUTE_MS } from '#app/core/time/durations.ts'
import { mailKeyOf } from './cipher.server.ts'
import {
  type ClaimedMail,
  claimMails,
  recordFailed,
  recordSent,
  releaseMails,
  renewMailLeases,
  wipeMails,
} from './queue.server.ts'
import { mailBackoffMsAfter, serverBackoffMsAfter } from './rules.ts'

const TIMES = {
  /** Interval at which the queue is read while it holds less than a batch; a reading costs one index look-up. */
  pollMs: 500,
  /** Lease of a mail, which its process renews; after a crash, the mail becomes claimable when its lease ends. */
  leaseMs: MINUTE_MS,
  /** Lease of an urgent mail, which is shorter, since a person waits for the mail. */
  urgentLeaseMs: 15_000,
  /** An attempt is aborted after this time. */
  sendTimeoutMs: 2 * MINUTE_MS,
  /** How long `stop` waits for mails that are being sent before it aborts them. */
  drainMs: 2_500,
  wipeIntervalMs: HOUR_MS,
  mailBackoffMsAfter: (attempts: number) => mailBackoffMsAfter(attempts, Math.random()),
  serverBackoffMsAfter: (failures: number) => serverBackoffMsAfter(failures, Math.random()),
}
/** Mails that are claimed at a time. */
const BATCH_SIZE = 50
/** The next batch is claimed when this many mails of the last one are left. */
const LOW_WATER_MARK = 25
/** Results that could not be written are written again after this time. */
const DATABASE_RETRY_MS = 250

export interface MailWorker {
  /** Claims no more mails, waits up to `drainMs` for those that are being sent, aborts them then, and releases the rest. */
  stop(): Promise<void>
}

interface SendResult {
  mail: ClaimedMail
  outcome: MailOutcome
}

/**
 * Sends queued mail until it is stopped. Any number of processes may do so over one database.
 *
 * A mail is tried until the server accepts it, refuses it for good, or it expires; it survives failures of the server, the
 * database and this process.
 *
 * Delivery is at least once. If the connection breaks between the server's acceptance and its answer, or this process dies between
 * the answer and the commit, the mail is sent again, with the same Message-ID.
 *
 * During an outage of the database, results are kept, a few more mails are begun, and the results are written before more mails
 * are claimed. If the outage is longer than a lease, another process may send a mail again.
 * @param mailer closed when the worker stops
 */
export function startMailWorker(
  { db, log, keyed }: Pick<Services, 'db' | 'log' | 'keyed'>,
  mailer: Mailer,
  changedTimes: Partial<typeof TIMES> = {},
): MailWorker {
  const key = mailKeyOf({ keyed })
  const times = { ...TIMES, ...changedTimes }
  const urgentLeaseMs = Math.min(times.urgentLeaseMs, times.leaseMs)
  const leaseOf = ({ isUrgent }: ClaimedMail) => (isUrgent ? urgentLeaseMs : times.leaseMs)
  const now = () => performance.now()
  const stopController = new AbortController()
  const isStopped = () => stopController.signal.aborted
  /** Waits until a moment, which may change meanwhile, or until the worker stops. */
  const waitUntil = async (momentMs: () => number) => {
    while (now() < momentMs() && !isStopped())
      await sleep(Math.max(1, momentMs() - now()), undefined, { signal: stopController.signal }).catch(() => {})
  }

  /** Mails without a result. Each is held by its lease until `leaseEndMs`, and worth sending until `expiryMs`. */
  const heldMails = new Map<ClaimedMail, { leaseEndMs: number; expiryMs: number }>()
  /** Claimed mails whose attempt has not begun. */
  const waitingMails: ClaimedMail[] = []
  const activeSends = new Set<AbortController>()
  const unwrittenResults: SendResult[] = []

  let isDatabaseUnreachable = false
  const onDatabaseFault = (error: unknown) => {
    if (!isDatabaseUnreachable)
      log.warn({ fault: errorCode(error) ?? (error as Error).name }, 'the mail queue does not answer')
    isDatabaseUnreachable = true
  }

  let nextClaimMs = 0
  let runningClaim: Promise<void> | undefined
  const claimBatch = () => {
    runningClaim ??= (async () => {
      // After an outage, the results must be written before more mails are claimed.
      if (isDatabaseUnreachable) await flushResults()
      const requestedAtMs = now()
      try {
        const claimedMails = await claimMails(db, key, BATCH_SIZE, times.leaseMs, urgentLeaseMs)
        for (const mail of claimedMails)
          heldMails.set(mail, {
            leaseEndMs: requestedAtMs + leaseOf(mail),
            expiryMs: requestedAtMs + mail.expiresInMs,
          })
        waitingMails.unshift(...claimedMails.filter(({ isUrgent }) => isUrgent))
        waitingMails.push(...claimedMails.filter(({ isUrgent }) => !isUrgent))
        nextClaimMs = claimedMails.length < BATCH_SIZE ? now() + times.pollMs : 0
        isDatabaseUnreachable = false
      } catch (error) {
        onDatabaseFault(error)
        nextClaimMs = now() + times.pollMs
      }
      runningClaim = undefined
    })()
    return runningClaim
  }

  async function nextMail(): Promise<ClaimedMail | undefined> {
    if (waitingMails.length === 0) {
      await waitUntil(() => nextClaimMs)
      if (!isStopped()) await claimBatch()
    } else if (waitingMails.length <= LOW_WATER_MARK && now() >= nextClaimMs) void claimBatch()
    return waitingMails.shift()
  }

  /** No mail is tried before this moment, so that an unreachable server delays only a few mails by their own backoff. */
  let serverBackoffEndMs = 0
  let failureCount = 0
  function noteOutcome(outcome: MailOutcome) {
    if (outcome.ok) {
      if (failureCount > 0) log.info('the mail server answers again')
      failureCount = 0
    } else if (outcome.reason === 'unreachable' && now() >= serverBackoffEndMs) {
      if (failureCount === 0) log.warn({ code: outcome.code }, 'the mail server does not take mail')
      failureCount++
      serverBackoffEndMs = now() + times.serverBackoffMsAfter(failureCount)
    }
  }

  async function attempt(mail: ClaimedMail): Promise<MailOutcome | undefined> {
    const { leaseEndMs, expiryMs } = heldMails.get(mail)!
    // After the end of the lease, another process may have claimed the mail.
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
      await waitUntil(() => serverBackoffEndMs)
      if (isStopped()) {
        waitingMails.unshift(mail)
        break
      }
      const outcome = await attempt(mail)
      heldMails.delete(mail)
      if (outcome) unwrittenResults.push({ mail, outcome })
      const flush = flushResults()
      // The next mail is begun meanwhile, unless too many results are unwritten (backpressure).
      if (unwrittenResults.length > mailer.maxConcurrent) await flush
    }
  }

  let writeDeadlineMs = Number.POSITIVE_INFINITY
  let runningFlush: Promise<void> | undefined
  /** Writes the results, unless they are being written already. */
  function flushResults(): Promise<void> {
    if (unwrittenResults.length > 0) runningFlush ??= writeResults()
    return runningFlush ?? Promise.resolve()
  }
  async function writeResults(): Promise<void> {
    do {
      const batch = unwrittenResults.splice(0)
      try {
        // A renewal that ends later would replace the wait that a failed mail gets.
        await runningRenewal
        await writeBatch(batch)
        isDatabaseUnreachable = false
      } catch (error) {
        // The results may have been written; writing them twice changes nothing.
        unwrittenResults.unshift(...batch)
        onDatabaseFault(error)
        await sleep(DATABASE_RETRY_MS)
      }
    } while (unwrittenResults.length > 0 && now() < writeDeadlineMs)
    runningFlush = undefined
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
              waitMs: times.mailBackoffMsAfter(mail.attempts),
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

  let runningRenewal: Promise<void> | undefined
  async function renewLeases(): Promise<void> {
    const requestedAtMs = now()
    const ownMails = [...heldMails.keys()]
    if (ownMails.length === 0) return
    try {
      const heldIds = await renewMailLeases(db, ownMails, times.leaseMs, urgentLeaseMs)
      for (const mail of ownMails) {
        const lease = heldMails.get(mail)
        if (lease) lease.leaseEndMs = heldIds.has(mail.id) ? requestedAtMs + leaseOf(mail) : 0
      }
    } catch (error) {
      onDatabaseFault(error)
    }
  }
  // One renewal may fail before a lease ends.
  const renewTimer = setInterval(() => {
    runningRenewal ??= renewLeases().finally(() => {
      runningRenewal = undefined
    })
  }, urgentLeaseMs / 3)

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
      await runningClaim
      // Results of aborted attempts exist only now.
      writeDeadlineMs = now() + DATABASE_RETRY_MS
      await flushResults()
      if (waitingMails.length > 0) await releaseMails(db, waitingMails).catch(onDatabaseFault)
      mailer.close()
    },
  }
}
