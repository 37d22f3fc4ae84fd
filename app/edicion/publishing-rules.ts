import type { Valores } from './lectura.server.ts'
import { lugaresDe } from './lugares.ts'

interface Candidates {
  candidatas?: { id: string; nombre: string }[]
  retiradas?: { id: string; lugar: number }[]
}

const candidatesOf = (valores: Valores) => (valores['candidatas.yaml'] ?? {}) as Candidates

/**
 * The part of an edition that decides of the vote, of the candidates who take part, and of when what is open to whom.
 * Two editions whose texts are equal differ in nothing that is kept from those who only write the site.
 */
export function reservedPart(valores: Valores): string {
  const { fechas, prensa } = (valores['edicion.yaml'] ?? {}) as { fechas?: unknown; prensa?: unknown }
  const { ganadora } = (valores['popularidad.yaml'] ?? {}) as { ganadora?: { candidata?: unknown } }
  const { retiradas = [] } = candidatesOf(valores)
  return JSON.stringify([fechas, prensa, ganadora?.candidata, retiradas, valores['votacion.yaml']])
}

/** Whether the two say the same candidates to be withdrawn: only the withdrawal itself changes that. */
export const isSameWithdrawn = (before: Valores, after: Valores): boolean =>
  JSON.stringify(candidatesOf(before).retiradas ?? []) === JSON.stringify(candidatesOf(after).retiradas ?? [])

/** The place in the vote's order of every candidate whom an edition names, the withdrawn ones included: id → place, from 0. */
function placesOf(valores: Valores): Map<string, number> {
  const { candidatas = [], retiradas = [] } = candidatesOf(valores)
  const places = lugaresDe(candidatas.length, retiradas)
  return new Map([
    ...candidatas.map(({ id }, at) => [id, places[at]!] as const),
    ...retiradas.map(({ id, lugar }) => [id, lugar] as const),
  ])
}

/**
 * Finds the candidates whom a publication would move to another place of the vote's order. Links and open pages name a
 * candidate by her place, so from the vote's beginning on each keeps hers.
 * @param before what is in force
 * @returns in words how to mend it; undefined: every link keeps its meaning
 */
export function movedPlaces(before: Valores, after: Valores): string | undefined {
  const now = placesOf(after)
  const names = new Map((candidatesOf(before).candidatas ?? []).map(({ id, nombre }) => [id, nombre]))
  const moved = [...placesOf(before)].filter(([id, place]) => now.get(id) !== place)
  if (moved.length === 0) return undefined
  const back = moved.map(([id, place]) => `«${names.get(id) ?? id}» al lugar ${place + 1}`).join(', ')
  return `la votación ya empezó, y los enlaces y las páginas abiertas nombran a cada candidata por su lugar: con este orden, un voto contaría para otra. Regresa a ${back}; las nuevas van al final, y a quien ya no participa se le quita con «Retirar a una candidata»`
}
