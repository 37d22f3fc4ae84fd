import { setTimeout as sleep } from 'node:timers/promises'
import type { Services } from '#app/core/http/services.server.ts'
import type { Mailer, MailOutcome } from '#app/core/mail-transport/mailer.server.ts'
import { errorCode } from '#app/core/process/durable-files.server.ts'
import { mailKeyOf } from './cipher.server.ts'
import {
  releaseMails,
  renewMailLeases,
  settleReturned,
  settleSent,
  type TakenMail,
  takeMails,
  wipeMails,
} from './queue.server.ts'
import { restAfter, waitAfter } from './rules.ts'

const TIMES = {
  /** The queue is read this often once it held less than a batch; each reading costs one look into an index. */
  pollMs: 500,
  /** A message is leased for this long: after a crash of its process, the message waits as long. */
  leaseMs: 60_000,
  /** The lease of an urgent message is shorter, since a person waits for it. */
  urgentLeaseMs: 15_000,
  /** One attempt may take this long; then it is aborted. */
  sendMs: 120_000,
  /** A stop waits this long for messages under way. */
  drainMs: 2_500,
  wipeEveryMs: 60 * 60_000,
  waitAfter: (attempts: number) => waitAfter(attempts, Math.random()),
  restAfter: (failures: number) => restAfter(failures, Math.random()),
}
/** BATCH_SIZE messages are taken at a time; while the last LOW_WATER_MARK of them are sent, the next are fetched. */
const BATCH_SIZE = 50
const LOW_WATER_MARK = 25
const DATABASE_RETRY_MS = 250

export interface MailWorker {
  /** Takes no more messages, finishes messages under way, and gives the rest back. */
  stop(): Promise<void>
}

interface Result {
  mail: TakenMail
  outcome: MailOutcome
}

/**
 * Sends queued mail until it is stopped. Any number of processes may do so over one database.
 *
 * A message is tried until the server accepts it, refuses it for good, or it expires; it survives failures of the server,
 * the database and this process. Delivery is at least once: when the connection breaks between the server's acceptance
 * and its answer, or this process dies between the answer and the commit (some milliseconds, at most four messages a
 * connection), the message goes again, with the same Message-ID. While the database is away, results are kept, a few more
 * messages are begun, and the results are written before more messages are taken. When the database is away for longer
 * than a lease, another process may send a message again.
 * @param mailer is closed when the worker stops
 */
export function startMailWorker(
  { db, log, keyed }: Pick<Services, 'db' | 'log' | 'keyed'>,
  mailer: Mailer,
  change: Partial<typeof TIMES> = {},
): MailWorker {
  const key = mailKeyOf({ keyed })
  const times = { ...TIMES, ...change }
  const urgentMs = Math.min(times.urgentLeaseMs, times.leaseMs)
  const leaseOf = ({ isUrgent }: TakenMail) => (isUrgent ? urgentMs : times.leaseMs)
  const now = () => performance.now()
  const stopping = new AbortController()
  const isStopped = () => stopping.signal.aborted
  const until = async (moment: () => number) => {
    while (now() < moment() && !isStopped())
      await sleep(Math.max(1, moment() - now()), undefined, { signal: stopping.signal }).catch(() => {})
  }

  /** These messages have no result yet. Each is held by its lease until `leaseEndMs`, and worth sending until `expiryMs`. */
  const heldMails = new Map<TakenMail, { leaseEndMs: number; expiryMs: number }>()
  /** These messages are taken, and their turn has not come. */
  const waiting: TakenMail[] = []
  const activeSends = new Set<AbortController>()
  const results: Result[] = []

  let isDatabaseAway = false
  const onDatabaseFault = (error: unknown) => {
    if (!isDatabaseAway)
      log.warn({ fault: errorCode(error) ?? (error as Error).name }, 'the mail queue does not answer')
    isDatabaseAway = true
  }

  let nextTake = 0
  let taking: Promise<void> | undefined
  const takeBatch = () => {
    taking ??= (async () => {
      // The results of an outage must be written before more messages are taken.
      if (isDatabaseAway) await settle()
      const askedAtMs = now()
      try {
        const takenMails = await takeMails(db, key, BATCH_SIZE, times.leaseMs, urgentMs)
        for (const email of takenMails)
          heldMails.set(email, { leaseEndMs: askedAtMs + leaseOf(email), expiryMs: askedAtMs + email.expiresInMs })
        waiting.unshift(...takenMails.filter(({ isUrgent }) => isUrgent))
        waiting.push(...takenMails.filter(({ isUrgent }) => !isUrgent))
        nextTake = takenMails.length < BATCH_SIZE ? now() + times.pollMs : 0
        isDatabaseAway = false
      } catch (error) {
        onDatabaseFault(error)
        nextTake = now() + times.pollMs
      }
      taking = undefined
    })()
    return taking
  }

  async function nextMail(): Promise<TakenMail | undefined> {
    if (waiting.length === 0) {
      await until(() => nextTake)
      if (!isStopped()) await takeBatch()
    } else if (waiting.length <= LOW_WATER_MARK && now() >= nextTake) void takeBatch()
    return waiting.shift()
  }

  /** While the mail server cannot be reached no message is tried, so that of thousands only a few wait longer. */
  let restUntil = 0
  let failures = 0
  function noteOutcome(outcome: MailOutcome) {
    if (outcome.ok) {
      if (failures > 0) log.info('the mail server answers again')
      failures = 0
    } else if (outcome.reason === 'unreachable' && now() >= restUntil) {
      if (failures === 0) log.warn({ code: outcome.code }, 'the mail server does not take mail')
      failures++
      restUntil = now() + times.restAfter(failures)
    }
  }

  async function attempt(email: TakenMail): Promise<MailOutcome | undefined> {
    const { leaseEndMs, expiryMs } = heldMails.get(email)!
    // The process slept past the lease, so another process may have taken the message.
    if (now() >= leaseEndMs) return undefined
    if (now() >= expiryMs) return { ok: false, reason: 'refused', code: 'expired' }
    if (email.isUnreadable) return { ok: false, reason: 'later', code: 'unreadable' }
    const control = new AbortController()
    const limit = setTimeout(() => control.abort(), times.sendMs)
    activeSends.add(control)
    const outcome = await mailer.send(email, control.signal)
    activeSends.delete(control)
    clearTimeout(limit)
    noteOutcome(outcome)
    return outcome
  }

  async function sendLoop(): Promise<void> {
    while (!isStopped()) {
      const email = await nextMail()
      if (!email) continue
      await until(() => restUntil)
      if (isStopped()) {
        waiting.unshift(email)
        break
      }
      const outcome = await attempt(email)
      heldMails.delete(email)
      if (outcome) results.push({ mail: email, outcome })
      const settled = settle()
      // The next message is begun meanwhile, but only this many results may be unwritten (backpressure).
      if (results.length > mailer.maxConcurrent) await settled
    }
  }

  let stopBy = Number.POSITIVE_INFINITY
  let settling: Promise<void> | undefined
  /** Writes results as they come. Results that came together go in one statement for sent mail and one for returned mail. */
  function settle(): Promise<void> {
    if (results.length > 0) settling ??= writeResults()
    return settling ?? Promise.resolve()
  }
  async function writeResults(): Promise<void> {
    do {
      const batch = results.splice(0)
      try {
        await renewing
        await writeDown(batch)
        isDatabaseAway = false
      } catch (error) {
        // Writing a result twice changes nothing.
        results.unshift(...batch)
        onDatabaseFault(error)
        await sleep(DATABASE_RETRY_MS)
      }
    } while (results.length > 0 && now() < stopBy)
    settling = undefined
  }
  async function writeDown(batch: readonly Result[]): Promise<void> {
    const sentMails = batch.filter(({ outcome }) => outcome.ok).map(({ mail }) => mail)
    if (sentMails.length > 0) await settleSent(db, sentMails, mailer.isFolder)
    const returned = batch.flatMap(({ mail, outcome }) =>
      outcome.ok
        ? []
        : [
            {
              mail,
              code: outcome.code,
              isFinal: outcome.reason === 'refused',
              waitMs: times.waitAfter(mail.attempts),
            },
          ],
    )
    if (returned.length === 0) return
    const givenUp = await settleReturned(db, returned)
    for (const { mail, code } of returned) {
      const facts = { correo: mail.id, kind: mail.kind, attempts: mail.attempts, code }
      if (givenUp.has(mail.id)) log.warn(facts, 'a mail was given up')
      else log.info(facts, 'a mail waits for its next attempt')
    }
  }

  let renewing: Promise<void> | undefined
  async function renew(): Promise<void> {
    const askedAtMs = now()
    const ownMails = [...heldMails.keys()]
    if (ownMails.length === 0) return
    try {
      const stillHeld = await renewMailLeases(db, ownMails, times.leaseMs, urgentMs)
      for (const email of ownMails) {
        const lease = heldMails.get(email)
        if (lease) lease.leaseEndMs = stillHeld.has(email.id) ? askedAtMs + leaseOf(email) : 0
      }
    } catch (error) {
      onDatabaseFault(error)
    }
  }
  const renewals = setInterval(() => {
    renewing ??= renew().finally(() => {
      renewing = undefined
    })
  }, urgentMs / 3)

  const wipe = () => void wipeMails(db).catch(onDatabaseFault)
  const wiping = setInterval(wipe, times.wipeEveryMs)
  wipe()

  const senders = Array.from({ length: mailer.maxConcurrent }, sendLoop)
  return {
    async stop() {
      stopping.abort()
      stopBy = now() + times.drainMs
      const abortTimer = setTimeout(() => {
        for (const control of activeSends) control.abort()
      }, times.drainMs)
      await Promise.all(senders)
      clearTimeout(abortTimer)
      clearInterval(renewals)
      clearInterval(wiping)
      await taking
      // Aborted attempts have a result only now.
      stopBy = now() + DATABASE_RETRY_MS
      await settle()
      if (waiting.length > 0) await releaseMails(db, waiting).catch(onDatabaseFault)
      mailer.close()
    },
  }
}
