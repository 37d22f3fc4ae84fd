import { sql } from 'kysely'
import type { Services } from '#app/core/http/services.server.ts'
import { startJob } from '#app/core/process/recurring-job.server.ts'
import { mailSenderOf, queueMailBatch } from '#app/mail/mutations.server.ts'
import { readNewestBlock } from '#app/voting/chain/published-blocks.server.ts'
import type { Election } from '#app/voting/election/data.server.ts'
import { withHyphens } from '#app/voting/election/receipt.ts'
import { storeDisclosedSeals } from './disclosed-seals.server.ts'
import { receiptLetter } from './mails.server.ts'
import { readPublicKey } from './record-signature.server.ts'
import { recount } from './recount.server.ts'
import { sealVotes } from './sealing.server.ts'

/** This many milliseconds pass between two turns; a vote is normally sealed within two turns. */
const TURN_MS = 1_000
/** From this many votes per turn on, receipts are mailed only in every fifth turn. */
const RUSH = 500
const RUSH_MAIL_TURNS = 5
/** Each voter's receipt replaces this text in the letter. */
const PLACEHOLDER_RECEIPT = 'XXXX-XXXX-XXXX'

/**
 * Queues the mails with the receipts of one sealed batch, apart from the sealing: a rush of votes does not wait for mail.
 * @param failedBatches batches whose mail failed: later batches go first, then the failed ones are tried again
 * @returns whether there was a batch to mail, even if its mail failed
 */
export async function mailReceipts(services: Services, edition: number, failedBatches: Set<number>): Promise<boolean> {
  const { db, log, keyed } = services
  let number: number | undefined
  try {
    await db.transaction().execute(async (tx) => {
      const { rows } = await sql<{ numero: number }>`
        update lotes set avisado = true where (edicion, numero) =
          (select edicion, numero from lotes
           where edicion = ${edition} and not avisado and numero <> all (${[...failedBatches]}::int[])
           order by numero limit 1 for update skip locked)
        returning numero`.execute(tx)
      number = rows[0]?.numero
      if (number === undefined) return failedBatches.clear()
      const voters = await tx
        .selectFrom('banda_digital_votes as v')
        .innerJoin('profiles as p', 'p.id', 'v.user_id')
        .select(['v.id', 'v.recibo', 'p.email'])
        .where('v.edicion', '=', edition)
        .where('v.lote', '=', number)
        .execute()
      // A row that was written by hand has no receipt.
      const receipts = voters.flatMap(({ id, recibo, email }) =>
        recibo === null ? [] : [{ idempotencyKey: `recibo:${edition}:${id}`, to: email, ownPart: withHyphens(recibo) }],
      )
      const letter = receiptLetter(
        PLACEHOLDER_RECEIPT,
        await readNewestBlock({ db: tx, keyed }, edition),
        await readPublicKey(tx, edition),
      )
      await queueMailBatch(tx, letter, mailSenderOf(services), PLACEHOLDER_RECEIPT, receipts)
    })
  } catch (error) {
    if (number === undefined) throw error
    log.error({ err: error, lote: number }, 'the receipts of a batch could not be mailed; they are tried again')
    failedBatches.add(number)
  }
  return number !== undefined
}

const RECOUNT_MS = 10 * 60_000
/**
 * A periodic recount takes at most this many ballots, some four seconds of one core (0014). Larger votes wait for an organiser or the
 * closing.
 */
const MAX_RECOUNTED = 300_000
/** Recounts at intervals, so that a change made in the database shows without a request. */
function createPeriodicRecount(services: Services): (election: Election) => Promise<void> {
  let recountedMs = Number.NEGATIVE_INFINITY
  return async (election) => {
    if (performance.now() - recountedMs < RECOUNT_MS) return
    recountedMs = performance.now()
    const { papeletas } = await services.db
      .selectFrom('lotes')
      .select(({ fn }) => fn.sum<number>('papeletas').as('papeletas'))
      .where('edicion', '=', election.edicion)
      .executeTakeFirstOrThrow()
    if (!papeletas || papeletas > MAX_RECOUNTED) return
    const { faults } = await recount(services, election)
    if (faults.length > 0) services.log.error({ fallas: faults }, 'the votes are not as they were sealed')
  }
}

/**
 * Seals and mails, turn by turn. Any number of processes may do so over one database.
 * @returns a function that stops the turns
 */
export function startSealing(services: Services, loadElection: () => Promise<Election>): () => Promise<void> {
  let turns = 0
  const failedBatches = new Set<number>()
  const recountPeriodically = createPeriodicRecount(services)
  /** `given` names the last block whose seal this process knows to be stored outside the database. */
  let given = { edicion: 0, upTo: -1 }
  /** Runs one part of a turn. Its failure is logged and does not keep the other parts from running. */
  const attempt = <Result>(what: string, work: () => Promise<Result>) =>
    work().catch((error: unknown) => {
      services.log.warn({ err: error }, `${what} failed; it is tried again`)
      return undefined
    })
  const run = async () => {
    const election = await attempt('reading the edition', loadElection)
    if (!election) return
    const sealed = await attempt('sealing of votes', () => sealVotes(services, election))
    if (election.edicion !== given.edicion) given = { edicion: election.edicion, upTo: -1 }
    const upTo = await attempt('keeping of seals', () => storeDisclosedSeals(services, election.edicion, given.upTo))
    if (upTo !== undefined) given.upTo = upTo
    // In a rush votes come before mail: voters already have their receipts on the screen.
    if ((sealed ?? 0) < RUSH || turns++ % RUSH_MAIL_TURNS === 0)
      await attempt('mailing of receipts', () => mailReceipts(services, election.edicion, failedBatches))
    await attempt('recounting', () => recountPeriodically(election))
  }
  return startJob(services.log, { name: 'sealing', everyMs: TURN_MS, run })
}
