import type { KeyObject } from 'node:crypto'
import { isSealSigned } from '#app/voting/election/seal-signature.server.ts'
import { quantity } from '#app/voting/election/tally-rules.ts'
import { isVoteSigned, VOTE_KEY } from '#app/voting/election/vote-signature.server.ts'
import { type ByKind, createPossibleBursts, mergedByKind } from '#app/voting/origins/possible-bursts.ts'
import type { Ballot } from '#app/voting/record/block-seal.ts'
import type { Batch, Vote } from './batch-reader.server.ts'
import { hashReceipt, sealOf, sortBallots } from './block-seal.server.ts'
import type { Block } from './published-blocks.server.ts'

/** At most this many faults of one kind are named one by one. */
export const MAX_NAMED = 5

/** A `Measure` is the input for recounting a segment of the chain. */
export interface Measure {
  edition: number
  /** Without `keyed` the site's secret is not at hand, and signatures are not checked. */
  keyed: ((purpose: string) => KeyObject) | undefined
  /** `previous` is the batch before the segment; without a seal that batch does not exist. */
  previous: { number: number; seal: string | undefined }
  /** `blocks` are the blocks that the segment's batches form, in order. */
  blocks: readonly Block[]
  /** An origin may have a burst beyond these numbers of votes in ten minutes. */
  thresholds: ByKind<number>
}

export interface SegmentRecount {
  ballotCount: number
  batchCount: number
  /** The field has the segment's last batch; undefined: the segment has none. */
  lastBatch: { numero: number; sello: string } | undefined
  /** `sums` holds the votes by the name on the ballots. */
  sums: Map<string, number>
  /** These fields have the number of votes that differ from their signature, and the ids of the first ones. */
  changedCount: number
  firstChangedIds: number[]
  /**
   * The faults are Spanish sentences in the chain's order: batches that differ from their seal, and the first break of the chain.
   */
  faults: { isBreak: boolean; text: string }[]
  blocks: {
    /**
     * These fields have the number of blocks compared with their ballots, the numbers of those that differ, and of those whose
     * batches are missing.
     */
    comparedCount: number
    differingNumbers: number[]
    missingNumbers: number[]
    /** The number counts the ballots after the last compared block. */
    looseBallots: number
  }
  /** The lists name the origins that may have a burst: a superset of those that have one. */
  possibleBursts: ByKind<string[]>
}

/**
 * Compares every vote of a segment with its own signature and with the chain, the chain with itself, and the blocks with
 * their ballots.
 */
export async function recountSegment(
  sealedBatches: AsyncIterable<{ batch: Batch; votes: Vote[] }>,
  { edition, keyed, previous, blocks, thresholds }: Measure,
): Promise<SegmentRecount> {
  const voteKey = keyed?.(VOTE_KEY)
  const segment: SegmentRecount = {
    ...{
      ballotCount: 0,
      batchCount: 0,
      lastBatch: undefined,
      sums: new Map(),
      changedCount: 0,
      firstChangedIds: [],
      faults: [],
    },
    blocks: { comparedCount: 0, differingNumbers: [], missingNumbers: [], looseBallots: 0 },
    possibleBursts: { red: [], bloque: [] },
  }
  const possibleBursts = createPossibleBursts(thresholds)
  const { sums, firstChangedIds, faults } = segment
  let { number, seal }: Measure['previous'] = previous
  let open: Ballot[] = []
  let isBroken = false
  for await (const { batch, votes } of sealedBatches) {
    segment.batchCount++
    segment.ballotCount += votes.length
    const ballots: Ballot[] = []
    for (const vote of votes) {
      if (voteKey && !isVoteSigned(voteKey, vote)) {
        segment.changedCount++
        if (firstChangedIds.length < MAX_NAMED) firstChangedIds.push(vote.id)
      }
      possibleBursts.see(vote)
      const candidate = vote.candidata ?? ''
      sums.set(candidate, (sums.get(candidate) ?? 0) + 1)
      ballots.push({ recibo: hashReceipt(vote.recibo), candidata: candidate })
    }
    const isWhole =
      votes.length === batch.papeletas && sealOf(batch.numero, batch.anterior, sortBallots(ballots)) === batch.sello
    if (!isWhole && faults.length < MAX_NAMED)
      faults.push({
        isBreak: false,
        text:
          votes.length === batch.papeletas
            ? `El lote ${batch.numero} no coincide con su sello: cambió algún voto.`
            : `El lote ${batch.numero} se selló con ${quantity(batch.papeletas, 'voto')} y ahora tiene ${votes.length}.`,
      })
    takeBallots(batch.numero, ballots)
    const isLinked = batch.numero === number + 1 && batch.anterior === seal
    const isOurs = !keyed || isSealSigned({ keyed }, `${edition} ${batch.numero} ${batch.sello}`, batch.firma)
    if (!isBroken && !(isLinked && isOurs)) {
      isBroken = true
      faults.push({ isBreak: true, text: `La cadena se rompe en el lote ${batch.numero}.` })
    }
    number++
    seal = batch.sello
    segment.lastBatch = { numero: batch.numero, sello: batch.sello }
  }
  segment.possibleBursts = possibleBursts.named()
  segment.blocks.missingNumbers = blocks.slice(segment.blocks.comparedCount).map((block) => block.numero)
  return segment

  function takeBallots(batch: number, ballots: Ballot[]): void {
    const { blocks: comparison } = segment
    const block = blocks[comparison.comparedCount]
    comparison.looseBallots += ballots.length
    if (!block) return
    if (open.length === 0) open = ballots
    else for (const ballot of ballots) open.push(ballot)
    if (batch < block.hasta_lote) return
    const isWhole =
      open.length === block.papeletas && sealOf(block.numero, block.anterior, sortBallots(open)) === block.sello
    if (!isWhole) comparison.differingNumbers.push(block.numero)
    comparison.comparedCount++
    comparison.looseBallots = 0
    open = []
  }
}

/**
 * Merges the results of two consecutive segments. A segment without a compared block adds its loose ballots to the earlier ones.
 */
export function mergeSegments(one: SegmentRecount, next: SegmentRecount): SegmentRecount {
  const sums = new Map(one.sums)
  for (const [candidate, votes] of next.sums) sums.set(candidate, (sums.get(candidate) ?? 0) + votes)
  const faults = [...one.faults]
  for (const fault of next.faults)
    if (fault.isBreak ? !faults.some(({ isBreak }) => isBreak) : faults.length < MAX_NAMED) faults.push(fault)
  return {
    ballotCount: one.ballotCount + next.ballotCount,
    batchCount: one.batchCount + next.batchCount,
    lastBatch: next.lastBatch ?? one.lastBatch,
    sums,
    changedCount: one.changedCount + next.changedCount,
    firstChangedIds: [...one.firstChangedIds, ...next.firstChangedIds].slice(0, MAX_NAMED),
    faults,
    blocks: {
      comparedCount: one.blocks.comparedCount + next.blocks.comparedCount,
      differingNumbers: [...one.blocks.differingNumbers, ...next.blocks.differingNumbers],
      missingNumbers: [...one.blocks.missingNumbers, ...next.blocks.missingNumbers],
      looseBallots:
        next.blocks.comparedCount > 0 ? next.blocks.looseBallots : one.blocks.looseBallots + next.blocks.looseBallots,
    },
    possibleBursts: mergedByKind(one.possibleBursts, next.possibleBursts),
  }
}
