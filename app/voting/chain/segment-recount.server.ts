import type { KeyObject } from 'node:crypto'
import { isSealed } from '#app/voting/election/seal-signature.server.ts'
import { quantity } from '#app/voting/election/tally-rules.ts'
import { isSigned, VOTE_KEY } from '#app/voting/election/vote-signature.server.ts'
import { type ByKind, createPossibleBursts, mergedByKind } from '#app/voting/origins/possible-bursts.ts'
import type { Ballot } from '#app/voting/record/block-seal.ts'
import type { Batch, Vote } from './batch-reader.server.ts'
import { hashReceipt, sealOf, sorted } from './block-seal.server.ts'
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
  papeletas: number
  lotes: number
  /** The field has the segment's last batch; undefined: the segment has none. */
  ultimo: { numero: number; sello: string } | undefined
  /** `sums` holds the votes by the name on the ballots. */
  sums: Map<string, number>
  /** These fields have the number of votes that differ from their signature, and the ids of the first ones. */
  cambiados: number
  primeros: number[]
  /**
   * The faults are Spanish sentences in the chain's order: batches that differ from their seal, and the first break of the chain.
   */
  fallas: { rompe: boolean; texto: string }[]
  cajas: {
    /**
     * These fields have the number of blocks compared with their ballots, the numbers of those that differ, and of those whose
     * batches are missing.
     */
    vistas: number
    distintas: number[]
    faltan: number[]
    /** The number counts the ballots after the last compared block. */
    sueltas: number
  }
  /** The lists name the origins that may have a burst: a superset of those that have one. */
  rafagas: ByKind<string[]>
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
    ...{ papeletas: 0, lotes: 0, ultimo: undefined, sums: new Map(), cambiados: 0, primeros: [], fallas: [] },
    cajas: { vistas: 0, distintas: [], faltan: [], sueltas: 0 },
    rafagas: { red: [], bloque: [] },
  }
  const possibleBursts = createPossibleBursts(thresholds)
  const { sums, primeros, fallas } = segment
  let { number, seal }: Measure['previous'] = previous
  let open: Ballot[] = []
  let isBroken = false
  for await (const { batch, votes } of sealedBatches) {
    segment.lotes++
    segment.papeletas += votes.length
    const ballots: Ballot[] = []
    for (const vote of votes) {
      if (voteKey && !isSigned(voteKey, vote)) {
        segment.cambiados++
        if (primeros.length < MAX_NAMED) primeros.push(vote.id)
      }
      possibleBursts.see(vote)
      const candidate = vote.candidata ?? ''
      sums.set(candidate, (sums.get(candidate) ?? 0) + 1)
      ballots.push({ recibo: hashReceipt(vote.recibo), candidata: candidate })
    }
    const isWhole =
      votes.length === batch.papeletas && sealOf(batch.numero, batch.anterior, sorted(ballots)) === batch.sello
    if (!isWhole && fallas.length < MAX_NAMED)
      fallas.push({
        rompe: false,
        texto:
          votes.length === batch.papeletas
            ? `El lote ${batch.numero} no coincide con su sello: cambió algún voto.`
            : `El lote ${batch.numero} se selló con ${quantity(batch.papeletas, 'voto')} y ahora tiene ${votes.length}.`,
      })
    takeBallots(batch.numero, ballots)
    const isLinked = batch.numero === number + 1 && batch.anterior === seal
    const isOurs = !keyed || isSealed({ keyed }, `${edition} ${batch.numero} ${batch.sello}`, batch.firma)
    if (!isBroken && !(isLinked && isOurs)) {
      isBroken = true
      fallas.push({ rompe: true, texto: `La cadena se rompe en el lote ${batch.numero}.` })
    }
    number++
    seal = batch.sello
    segment.ultimo = { numero: batch.numero, sello: batch.sello }
  }
  segment.rafagas = possibleBursts.named()
  segment.cajas.faltan = blocks.slice(segment.cajas.vistas).map((block) => block.numero)
  return segment

  function takeBallots(batch: number, ballots: Ballot[]): void {
    const { cajas: seen } = segment
    const block = blocks[seen.vistas]
    seen.sueltas += ballots.length
    if (!block) return
    if (open.length === 0) open = ballots
    else for (const ballot of ballots) open.push(ballot)
    if (batch < block.hasta_lote) return
    const isWhole =
      open.length === block.papeletas && sealOf(block.numero, block.anterior, sorted(open)) === block.sello
    if (!isWhole) seen.distintas.push(block.numero)
    seen.vistas++
    seen.sueltas = 0
    open = []
  }
}

/**
 * Merges the results of two consecutive segments. A segment without a compared block adds its loose ballots to the earlier ones.
 */
export function joined(one: SegmentRecount, next: SegmentRecount): SegmentRecount {
  const sums = new Map(one.sums)
  for (const [candidate, votes] of next.sums) sums.set(candidate, (sums.get(candidate) ?? 0) + votes)
  const faults = [...one.fallas]
  for (const fault of next.fallas)
    if (fault.rompe ? !faults.some(({ rompe }) => rompe) : faults.length < MAX_NAMED) faults.push(fault)
  return {
    papeletas: one.papeletas + next.papeletas,
    lotes: one.lotes + next.lotes,
    ultimo: next.ultimo ?? one.ultimo,
    sums,
    cambiados: one.cambiados + next.cambiados,
    primeros: [...one.primeros, ...next.primeros].slice(0, MAX_NAMED),
    fallas: faults,
    cajas: {
      vistas: one.cajas.vistas + next.cajas.vistas,
      distintas: [...one.cajas.distintas, ...next.cajas.distintas],
      faltan: [...one.cajas.faltan, ...next.cajas.faltan],
      sueltas: next.cajas.vistas > 0 ? next.cajas.sueltas : one.cajas.sueltas + next.cajas.sueltas,
    },
    rafagas: mergedByKind(one.rafagas, next.rafagas),
  }
}
