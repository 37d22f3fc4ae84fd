import { sql } from 'kysely'
import type { Services } from '#app/core/http/services.server.ts'
import { mailSenderOf, queueMailBatch } from '#app/mail/mutations.server.ts'
import { readNewestBlock } from '#app/voting/chain/published-blocks.server.ts'
import type { Election } from '#app/voting/election/data.server.ts'
import { withHyphens } from '#app/voting/election/receipt.ts'
import { adoptFlags } from '#app/voting/origins/flagging.server.ts'
import { readRecord } from './data.server.ts'
import { keepGivenAway } from './disclosed-seals.server.ts'
import { receiptLetter } from './mails.server.ts'
import { readPublicKey } from './record-signature.server.ts'
import { recount } from './recount.server.ts'
import { isOurTurn, sealVotes } from './sealing.server.ts'

/** Pause between two turns; a vote is sealed within two turns. */
const TURN_MS = 1_000
/** Votes per turn from which receipts are mailed only in every fifth turn. */
const RUSH = 500
const RUSH_MAIL_TURNS = 5
/** Replaced in the letter by each voter's receipt. */
const PLACEHOLDER_RECEIPT = 'XXXX-XXXX-XXXX'

/**
 * Queues the mails with the receipts of one sealed batch, apart from the sealing: a rush of votes does not wait for mail.
 * @param apart batches whose mail failed: later batches go first, then the failed ones are tried again
 * @returns whether there was a batch to mail
 */
export async function mailReceipts(services: Services, edition: number, apart: Set<number>): Promise<boolean> {
  const { db, log, keyed } = services
  let number: number | undefined
  try {
    await db.transaction().execute(async (tx) => {
      const { rows } = await sql<{ numero: number }>`
        update lotes set avisado = true where (edicion, numero) =
          (select edicion, numero from lotes
           where edicion = ${edition} and not avisado and numero <> all (${[...apart]}::int[])
           order by numero limit 1 for update skip locked)
        returning numero`.execute(tx)
      number = rows[0]?.numero
      if (number === undefined) return apart.clear()
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
    apart.add(number)
  }
  return number !== undefined
}

const RECOUNT_MS = 10 * 60_000
/** Maximum ballots of a periodic recount: some ten seconds of one core. Larger votes wait for an organiser or the closing. */
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

/** Takes over the flags of earlier versions, once (`adoptFlags`). */
function createFlagAdoption(services: Services): (election: Election) => Promise<void> {
  let done = false
  return async (election) => {
    if (done) return
    await services.db.transaction().execute(async (tx) => {
      if (!(await isOurTurn(tx, election.edicion))) return
      if (!(await readRecord(tx, election.edicion, 'cierre')))
        await adoptFlags({ ...services, db: tx }, election, services.clock.now())
      done = true
    })
  }
}

/** Seals and mails, turn by turn, until stopped. Any number of processes may do so over one database. */
export function startSealing(services: Services, loadElection: () => Promise<Election>): { stop(): Promise<void> } {
  let stopped = false
  let turns = 0
  let timer: NodeJS.Timeout | undefined
  const apart = new Set<number>()
  const recheck = createPeriodicRecount(services)
  const adopt = createFlagAdoption(services)
  /** The last block whose seal this process knows to be stored outside the database. */
  let given = { edicion: 0, upTo: -1 }
  /** A failure in one part of a turn does not keep the others from running. */
  const attempt = <Result>(what: string, work: () => Promise<Result>) =>
    work().catch((error: unknown) => {
      services.log.warn({ err: error }, `${what} failed; it is tried again`)
      return undefined
    })
  const turn = async () => {
    const election = await attempt('reading the edition', loadElection)
    if (election) {
      const sealed = await attempt('sealing of votes', () => sealVotes(services, election))
      if (election.edicion !== given.edicion) given = { edicion: election.edicion, upTo: -1 }
      const upTo = await attempt('keeping of seals', () => keepGivenAway(services, election.edicion, given.upTo))
      if (upTo !== undefined) given.upTo = upTo
      // In a rush votes come before mail: voters already have their receipts on the screen.
      if ((sealed ?? 0) < RUSH || turns++ % RUSH_MAIL_TURNS === 0)
        await attempt('mailing of receipts', () => mailReceipts(services, election.edicion, apart))
      await attempt('adopting marks', () => adopt(election))
      await attempt('recounting', () => recheck(election))
    }
    if (stopped) return
    timer = setTimeout(() => {
      running = turn()
    }, TURN_MS)
  }
  let running = turn()
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
