import type { Values } from '#app/cms/schema/read-content.server.ts'
import { placesInVoteOrder } from './vote-order.ts'

interface Candidates {
  candidatas?: { id: string; nombre: string }[]
  retiradas?: { id: string; lugar: number }[]
}

const candidatesOf = (values: Values) => (values['candidatas.yaml'] ?? {}) as Candidates

/**
 * The part of an edition that decides of the vote, of the candidates who take part, and of when what is open to whom.
 * Two editions whose texts are equal differ in nothing that is kept from those who only write the site.
 */
export function reservedPart(values: Values): string {
  const { fechas, prensa } = (values['edicion.yaml'] ?? {}) as { fechas?: unknown; prensa?: unknown }
  const { ganadora } = (values['popularidad.yaml'] ?? {}) as { ganadora?: { candidata?: unknown } }
  const { retiradas = [] } = candidatesOf(values)
  return JSON.stringify([fechas, prensa, ganadora?.candidata, retiradas, values['votacion.yaml']])
}

/** Whether the two say the same candidates to be withdrawn: only the withdrawal itself changes that. */
export const isSameWithdrawn = (before: Values, after: Values): boolean =>
  JSON.stringify(candidatesOf(before).retiradas ?? []) === JSON.stringify(candidatesOf(after).retiradas ?? [])

interface Place {
  id: string
  /** In the vote's order, from 0. */
  lugar: number
}

/** The place of every candidate whom an edition names, the withdrawn ones included. */
export function listPlaces({
  candidatas = [],
  retiradas = [],
}: {
  candidatas?: readonly { id: string }[]
  retiradas?: readonly Place[]
}): Place[] {
  const places = placesInVoteOrder(candidatas.length, retiradas)
  return [
    ...candidatas.map(({ id }, at) => ({ id, lugar: places[at]! })),
    ...retiradas.map(({ id, lugar }) => ({ id, lugar })),
  ]
}

/**
 * Finds the candidates whom a publication would move to another place of the vote's order. Links and open pages name a
 * candidate by her place, so from the vote's beginning on each keeps hers.
 * @param before what is in force
 * @returns in words how to mend it; undefined: every link keeps its meaning
 */
export const movedPlaces = (before: Values, after: Values): string | undefined =>
  movedFrom(listPlaces(candidatesOf(before)), after, candidatesOf(before).candidatas)

/** The same, from places that are known otherwise. @param named candidates by whose names the places are told */
export function movedFrom(
  places: readonly Place[],
  after: Values,
  named: readonly { id: string; nombre: string }[] = candidatesOf(after).candidatas ?? [],
): string | undefined {
  const now = new Map(listPlaces(candidatesOf(after)).map(({ id, lugar }) => [id, lugar]))
  const names = new Map(named.map(({ id, nombre }) => [id, nombre]))
  const moved = places.filter(({ id, lugar }) => now.get(id) !== lugar)
  if (moved.length === 0) return undefined
  const back = moved.map(({ id, lugar }) => `«${names.get(id) ?? id}» al lugar ${lugar + 1}`).join(', ')
  return `la votación ya empezó, y los enlaces y las páginas abiertas nombran a cada candidata por su lugar: con este orden, un voto contaría para otra. Regresa a ${back}; las nuevas van al final, y a quien ya no participa se le quita con «Retirar a una candidata»`
}
