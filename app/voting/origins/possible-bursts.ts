import { SPAN_MS } from '#app/voting/election/rules.ts'

/** Something of each kind of origin in whose votes bursts are sought. */
export type ByKind<T> = Readonly<Record<'red' | 'bloque', T>>

type VoteOrigin = ByKind<string | null> & { created_at: Date }

/** A power of two: so many drawers, of two bytes each, stay near the processor. */
const DRAWERS = 2 ** 18
const FULL = 0xffff
/** Of what stands for a network, which is a keyed hash, so many letters tell one from another well enough. */
const LETTERS = 5

/**
 * Finds the few origins among which bursts can be, in one pass over the votes: to sort ten million by where they came from
 * takes as long as to check half their signatures. Votes of one origin and ten minutes fall into the same of many drawers (a
 * count–min sketch, Cormode and Muthukrishnan 2005, with one row), with some of others by chance: an origin with a burst is
 * always among those that are named, and what else is named is sorted out by whoever counts those alone.
 */
export function createPossibleBursts(thresholds: ByKind<number>) {
  const [red, networkBlock] = [createDrawers(thresholds.red), createDrawers(thresholds.bloque)]
  return {
    see(vote: VoteOrigin): void {
      const { created_at } = vote
      // The end of time, which a database knows, comes as a number.
      const span = Math.floor((created_at instanceof Date ? created_at.getTime() : 0) / SPAN_MS) | 0
      if (vote.red !== null) red.take(vote.red, span)
      if (vote.bloque !== null) networkBlock.take(vote.bloque, span)
    },
    named: (): ByKind<string[]> => ({ red: [...red.named], bloque: [...networkBlock.named] }),
  }
}

function createDrawers(umbral: number) {
  // A full drawer counts no further, whatever the threshold.
  const limit = Math.min(umbral, FULL)
  const counts = new Uint16Array(DRAWERS)
  const named = new Set<string>()
  return {
    named,
    take(origin: string, span: number): void {
      let hash = span
      // FNV-1a, of 32 bits.
      for (let at = 0; at < LETTERS; at++) hash = Math.imul(hash ^ origin.charCodeAt(at), 0x01000193)
      const cajon = (hash ^ (hash >>> 15)) & (DRAWERS - 1)
      const count = counts[cajon]!
      if (count >= limit) named.add(origin)
      if (count < FULL) counts[cajon] = count + 1
    },
  }
}

/** Votes of an origin beyond its threshold are beyond this one in at least one of so many parts. */
export const thresholdsOfPart = ({ red, bloque }: ByKind<number>, parts: number): ByKind<number> => ({
  red: Math.floor(red / parts),
  bloque: Math.floor(bloque / parts),
})

export const mergedByKind = (one: ByKind<string[]>, next: ByKind<string[]>): ByKind<string[]> => ({
  red: [...one.red, ...next.red],
  bloque: [...one.bloque, ...next.bloque],
})
