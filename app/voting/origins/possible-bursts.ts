import { SPAN_MS } from '#app/voting/election/rules.ts'

/** `ByKind` holds a value for each kind of origin in whose votes bursts are sought. */
export type ByKind<T> = Readonly<Record<'red' | 'bloque', T>>

type VoteOrigin = ByKind<string | null> & { created_at: Date }

/** There are this many counters, a power of two. At two bytes each they take 512 KB and fit the processor's cache. */
const COUNTERS = 2 ** 18
const MAX_COUNT = 0xffff
/** This many letters of a network's keyed hash are read: enough to tell networks apart. */
const LETTERS = 5

/**
 * Finds the few origins that can have bursts, in one pass over the votes: sorting ten million votes by origin takes as long as
 * checking half their signatures. The method is a count–min sketch (Cormode and Muthukrishnan 2005) with one row: votes of one
 * origin within ten minutes share a counter, by chance with votes of others. An origin with a burst is always named; the caller
 * sorts the other names out by counting the votes of the named origins.
 */
export function createPossibleBursts(thresholds: ByKind<number>) {
  const [red, networkBlock] = [createCounters(thresholds.red), createCounters(thresholds.bloque)]
  return {
    see(vote: VoteOrigin): void {
      const { created_at } = vote
      // PostgreSQL's `infinity` arrives as a number.
      const span = Math.floor((created_at instanceof Date ? created_at.getTime() : 0) / SPAN_MS) | 0
      if (vote.red !== null) red.take(vote.red, span)
      if (vote.bloque !== null) networkBlock.take(vote.bloque, span)
    },
    named: (): ByKind<string[]> => ({ red: [...red.named], bloque: [...networkBlock.named] }),
  }
}

function createCounters(threshold: number) {
  // A full counter stops counting, so a higher threshold could not be reached.
  const limit = Math.min(threshold, MAX_COUNT)
  const counts = new Uint16Array(COUNTERS)
  const named = new Set<string>()
  return {
    named,
    take(origin: string, span: number): void {
      let hash = span
      // The hash is FNV-1a of 32 bits.
      for (let at = 0; at < LETTERS; at++) hash = Math.imul(hash ^ origin.charCodeAt(at), 0x01000193)
      const slot = (hash ^ (hash >>> 15)) & (COUNTERS - 1)
      const count = counts[slot]!
      if (count >= limit) named.add(origin)
      if (count < MAX_COUNT) counts[slot] = count + 1
    },
  }
}
