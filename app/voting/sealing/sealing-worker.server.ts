import { sql } from 'kysely'
import type { Services } from '#app/core/http/services.server.ts'
import { startJob } from '#app/core/process/recurring-job.server.ts'
import { MINUTE_MS } from '#app/core/time/durations.ts'
import { mailSenderOf, queueMailBatch } from '#app/mail/mutations.server.ts'
import { readSignedBlock } from '#app/voting/chain/published-blocks.server.ts'
import type { Election } from '#app/voting/election/data.server.ts'
import { withHyphens } from '#app/voting/election/receipt.ts'
import { receiptLetter } from './mails.server.ts'
import { readPublicKey } from './record-signature.server.ts'
import { recount } from './recount.server.ts'
import { storeSealCopies } from './seal-copies.server.ts'
import { sealVotes } from './sealing.server.ts'

/** Pause between two turns of the worker. A vote is normally sealed within two turns. */
const TURN_MS = 1_000
/** Fewest votes in a turn that count as a rush. Of the turns in a rush, one in RUSH_MAIL_TURNS also mails receipts. */
const RUSH_VOTES = 500
const RUSH_MAIL_TURNS = 5
/** Text of the letter that each voter's receipt replaces. */
const PLACEHOLDER_RECEIPT = 'XXXX-XXXX-XXXX'

/**
 * Queues the mails with the receipts of one sealed batch. Mailing is separate from sealing, so that votes do not wait for mail.
 * @param failedBatches batches whose mail failed; they are tried again after all other batches
 * @param storedBlock number of the last block whose seal is in the storage, which the receipts state; 0 or −1 for none
 * @returns whether there was a batch to mail, even if its mail failed
 */
export async function mailReceipts(
  services: Services,
  edition: number,
  failedBatches: Set<number>,
  storedBlock: number,
): Promise<boolean> {
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
      // Rows that were written by hand may have no receipt.
      const receipts = voters.flatMap(({ id, recibo, email }) =>
        recibo === null
          ? []
          : [{ idempotencyKey: `recibo:${edition}:${id}`, to: email, individualPart: withHyphens(recibo) }],
      )
      const letter = receiptLetter(
        PLACEHOLDER_RECEIPT,
        await readSignedBlock({ db: tx, keyed }, edition, storedBlock),
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

const RECOUNT_INTERVAL_MS = 10 * MINUTE_MS
/**
 * Votes with at most this many ballots are recounted periodically, in some four seconds of one core (docs/decisions/0014). Larger
 * votes are recounted only at an organiser's request, at the closing and before a proclamation.
 */
const MAX_RECOUNTED_BALLOTS = 300_000
/**
 * Returns a function that recounts at most every RECOUNT_INTERVAL_MS, so that changes in the database are found without an
 * organiser's request.
 */
function createPeriodicRecount(services: Services): (election: Election) => Promise<void> {
  let lastRecountMs = Number.NEGATIVE_INFINITY
  return async (election) => {
    if (performance.now() - lastRecountMs < RECOUNT_INTERVAL_MS) return
    lastRecountMs = performance.now()
    const { papeletas } = await services.db
      .selectFrom('lotes')
      .select(({ fn }) => fn.sum<number>('papeletas').as('papeletas'))
      .where('edicion', '=', election.edicion)
      .executeTakeFirstOrThrow()
    if (!papeletas || papeletas > MAX_RECOUNTED_BALLOTS) return
    const { faults } = await recount(services, election)
    if (faults.length > 0) services.log.error({ fallas: faults }, 'the votes are not as they were sealed')
  }
}

/**
 * Starts the worker that seals votes, stores seals, mails receipts and recounts, turn by turn. Any number of processes may run it
 * on one database.
 * @returns a function that stops the worker
 */
export function startSealing(services: Services, loadElection: () => Promise<Election>): () => Promise<void> {
  let turnCount = 0
  const failedBatches = new Set<number>()
  const recountPeriodically = createPeriodicRecount(services)
  /** The last block whose seal is certainly in the storage; 0 for the opening record alone, −1 for none. */
  let lastStored = { edition: 0, block: -1 }
  /** Runs a part of a turn, and logs its failure, so that the other parts of the turn run nevertheless. */
  const runPart = <Result>(partName: string, work: () => Promise<Result>) =>
    work().catch((error: unknown) => {
      services.log.warn({ err: error }, `${partName} failed; it is tried again`)
      return undefined
    })
  const run = async () => {
    const election = await runPart('reading the edition', loadElection)
    if (!election) return
    const sealedCount = await runPart('sealing of votes', () => sealVotes(services, election))
    if (election.edicion !== lastStored.edition) lastStored = { edition: election.edicion, block: -1 }
    const block = await runPart('storing of seals', () => storeSealCopies(services, election.edicion, lastStored.block))
    if (block !== undefined) lastStored.block = block
    // In a rush, this process seals more often than it mails, since voters already have their receipts on the screen. A turn
    // without a number of votes, as while another process seals, counts as a rush.
    if ((sealedCount ?? RUSH_VOTES) < RUSH_VOTES || turnCount++ % RUSH_MAIL_TURNS === 0)
      await runPart('mailing of receipts', () =>
        mailReceipts(services, election.edicion, failedBatches, lastStored.block),
      )
    await runPart('recounting', () => recountPeriodically(election))
  }
  return startJob(services.log, { name: 'sealing', everyMs: TURN_MS, run })
}
