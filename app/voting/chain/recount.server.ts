import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { quantity } from '#app/core/text/quantity.ts'
import { isSealSigned } from '#app/voting/election/seal-signature.server.ts'
import { isVoteSigned, VOTE_KEY_PURPOSE } from '#app/voting/election/vote-signature.server.ts'
import { type Ballot, GENESIS_SEAL } from '#app/voting/record/block-seal.ts'
import { readBatches } from './batch-reader.server.ts'
import type { BlockRow } from './published-blocks.server.ts'
import { hashReceipt, sealOf, sortBallots } from './seal-hash.server.ts'

/** A recount names at most this many changed batches, changed votes, and blocks that differ from their ballots. */
export const MAX_NAMED_FAULTS = 5
/**
 * The recount lets waiting requests run after this many votes: 2,000 in a row blocked the event loop for 27 ms
 * (docs/decisions/0014).
 */
const VOTES_PER_TURN = 500

export interface ChainRecount {
  ballotCount: number
  batchCount: number
  /** An empty chain has 0. */
  lastBatchNumber: number
  /** Seal of the last batch, or the genesis seal of an empty chain. */
  lastSeal: string
  /** Number of votes by the name on the ballots. */
  votesByName: Map<string, number>
  /** Spanish sentences about votes and batches; empty if they are as they were sealed. */
  faults: string[]
  blocks: {
    /** Blocks whose ballots differ from their seal. */
    differingBlockNumbers: number[]
    /** Blocks that were not compared, since their last batch and all later batches are missing. */
    missingBlockNumbers: number[]
    /** Number of ballots after the last compared block. */
    trailingBallotCount: number
  }
}

/**
 * Checks each vote's signature, the seals and the order of the batches, and the ballots of the blocks.
 * @param keyed undefined without the site's secret; signatures are then not checked
 */
export async function recountChain(
  { db, keyed }: { db: Database; keyed: Services['keyed'] | undefined },
  edition: number,
  blocks: readonly BlockRow[] = [],
): Promise<ChainRecount> {
  const voteKey = keyed?.(VOTE_KEY_PURPOSE)
  const votesByName = new Map<string, number>()
  const faults: string[] = []
  const changedVoteIds: number[] = []
  const differingBlockNumbers: number[] = []
  let [ballotCount, batchCount, comparedBlockCount, trailingBallotCount] = [0, 0, 0, 0]
  let [lastBatchNumber, lastSeal] = [0, GENESIS_SEAL]
  let openBallots: Ballot[] = []
  let isBroken = false
  for await (const { batch, votes } of readBatches(db, edition)) {
    batchCount++
    const ballots: Ballot[] = []
    for (const vote of votes) {
      if (++ballotCount % VOTES_PER_TURN === 0) await setImmediate()
      if (voteKey && !isVoteSigned(voteKey, vote)) changedVoteIds.push(vote.id)
      const candidate = vote.candidata ?? ''
      votesByName.set(candidate, (votesByName.get(candidate) ?? 0) + 1)
      ballots.push({ recibo: hashReceipt(vote.recibo), candidata: candidate })
    }
    const matchesSeal =
      votes.length === batch.papeletas && sealOf(batch.numero, batch.anterior, sortBallots(ballots)) === batch.sello
    if (!matchesSeal && faults.length < MAX_NAMED_FAULTS)
      faults.push(
        votes.length === batch.papeletas
          ? `El lote ${batch.numero} no coincide con su sello: cambió algún voto.`
          : `El lote ${batch.numero} se selló con ${quantity(batch.papeletas, 'voto')} y ahora tiene ${votes.length}.`,
      )
    compareWithBlock(batch.numero, ballots)
    const isLinked = batch.numero === batchCount && batch.anterior === lastSeal
    const isSealAuthentic = !keyed || isSealSigned({ keyed }, `${edition} ${batch.numero} ${batch.sello}`, batch.firma)
    if (!isBroken && !(isLinked && isSealAuthentic)) {
      isBroken = true
      faults.push(`La cadena se rompe en el lote ${batch.numero}.`)
    }
    ;[lastBatchNumber, lastSeal] = [batch.numero, batch.sello]
  }
  if (changedVoteIds.length > 0)
    faults.push(
      `${quantity(changedVoteIds.length, 'voto fue cambiado', 'votos fueron cambiados')} después de emitirse (${changedVoteIds.slice(0, MAX_NAMED_FAULTS).join(', ')}).`,
    )
  const missingBlockNumbers = blocks.slice(comparedBlockCount).map(({ numero }) => numero)
  return {
    ballotCount,
    batchCount,
    lastBatchNumber,
    lastSeal,
    votesByName,
    faults,
    blocks: { differingBlockNumbers, missingBlockNumbers, trailingBallotCount },
  }

  function compareWithBlock(batchNumber: number, ballots: Ballot[]): void {
    const block = blocks[comparedBlockCount]
    trailingBallotCount += ballots.length
    if (!block) return
    if (openBallots.length === 0) openBallots = ballots
    else for (const ballot of ballots) openBallots.push(ballot)
    if (batchNumber < block.hasta_lote) return
    const matchesSeal =
      openBallots.length === block.papeletas &&
      sealOf(block.numero, block.anterior, sortBallots(openBallots)) === block.sello
    if (!matchesSeal) differingBlockNumbers.push(block.numero)
    comparedBlockCount++
    trailingBallotCount = 0
    openBallots = []
  }
}

/** Recounts the chain of every edition. @returns faults as Spanish sentences; empty if the chains are as they were sealed */
export async function recountAllChains(db: Database, keyed: Services['keyed'] | undefined): Promise<string[]> {
  const { rows } = await sql<{ edicion: number }>`select distinct edicion from lotes order by 1`.execute(db)
  const faults: string[] = []
  for (const { edicion } of rows)
    for (const fault of (await recountChain({ db, keyed }, edicion)).faults)
      faults.push(`Votación ${edicion}: ${fault}`)
  return faults
}
