import { TRAMO_MS } from '#app/popularidad/rules.ts'

/** Origins of votes in which a burst is sought. */
const CLASES = ['red', 'bloque'] as const
type ClaseDeRafaga = (typeof CLASES)[number]

/** Votes in ten minutes beyond which an origin has a burst, or something by the class of origin. */
export type PorClase<T> = Readonly<Record<ClaseDeRafaga, T>>

type DeOrigen = PorClase<string | null> & { created_at: Date }

/** A power of two; a drawer takes two bytes. */
const DRAWERS = 2 ** 20
const FULL = 0xffff

/**
 * Finds the few origins among which bursts can be, in one pass over the votes: to sort ten million by where they came from
 * takes as long as to check all their signatures. Votes of one origin and ten minutes fall into the same of many drawers (a
 * count–min sketch, Cormode and Muthukrishnan 2005, with one row), with some of others by chance: an origin with a burst is
 * always among those that are named, and what else is named is sorted out by whoever counts those alone.
 */
export function createPosibles(umbrales: PorClase<number>) {
  const of = <T>(make: () => T) => ({ red: make(), bloque: make() })
  const drawers = of(() => new Uint16Array(DRAWERS))
  const named = of(() => new Set<string>())
  return {
    see(voto: DeOrigen): void {
      // The end of time, which a database knows, comes as a number.
      const tramo = Math.floor(Number(voto.created_at) / TRAMO_MS) | 0
      for (const clase of CLASES) {
        const origen = voto[clase]
        if (origen === null) continue
        const at = hashOf(origen, tramo) & (DRAWERS - 1)
        const count = drawers[clase][at]!
        if (count >= umbrales[clase]) named[clase].add(origen)
        if (count < FULL) drawers[clase][at] = count + 1
      }
    },
    named: (): PorClase<string[]> => ({ red: [...named.red], bloque: [...named.bloque] }),
  }
}

/** FNV-1a, of 32 bits. */
function hashOf(text: string, seed: number): number {
  let hash = 0x811c9dc5 ^ seed
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash ^ (hash >>> 15)
}

/** Votes of an origin beyond its threshold are beyond this one in at least one of so many parts. */
export const umbralesDeParte = ({ red, bloque }: PorClase<number>, parts: number): PorClase<number> => ({
  red: Math.floor(red / parts),
  bloque: Math.floor(bloque / parts),
})

export const unidos = (one: PorClase<string[]>, next: PorClase<string[]>): PorClase<string[]> => ({
  red: [...one.red, ...next.red],
  bloque: [...one.bloque, ...next.bloque],
})
