import { isEqual } from '#app/cms/schema/field-path.ts'
import type { EditionValues } from '#app/cms/schema/read-content.server.ts'
import { formatFullDateTimeWithZone } from '#app/core/time/mexico-dates.ts'
import { placesInVoteOrder } from './places-in-vote-order.ts'

interface CandidatesDocument {
  candidatas?: { id: string; nombre: string }[]
  retiradas?: { id: string; lugar: number }[]
}

const candidatesOf = (values: EditionValues) => (values['candidatas.yaml'] ?? {}) as CandidatesDocument

/** Returns whether both editions have the same reserved part, which accounts that only edit the site may not change. */
export const hasSameReserved = (before: EditionValues, after: EditionValues): boolean =>
  isEqual(reservedPart(before), reservedPart(after))

/** Returns the reserved part of an edition: dates, press access, winner, withdrawn candidates and voting rules. */
function reservedPart(values: EditionValues): unknown[] {
  const { fechas, prensa } = (values['edicion.yaml'] ?? {}) as { fechas?: unknown; prensa?: unknown }
  const { ganadora } = (values['popularidad.yaml'] ?? {}) as { ganadora?: { candidata?: unknown } }
  const { retiradas = [] } = candidatesOf(values)
  return [fechas, prensa, ganadora?.candidata, retiradas, values['votacion.yaml']]
}

interface VoteDates {
  aperturaVotacion?: string
  cierreVotacion: string
}

const datesOf = (values: EditionValues) => (values['edicion.yaml'] as { fechas: VoteDates }).fechas

/** Returns the ISO moment at which an edition's vote opens; undefined if it opens with the candidates' publication. */
export const openingOf = (values: EditionValues): string | undefined =>
  (values['edicion.yaml'] as { fechas?: VoteDates } | undefined)?.fechas?.aperturaVotacion

/** Returns the ISO moment at which an edition's vote closes. */
export const closingOf = (values: EditionValues): string => datesOf(values).cierreVotacion

/** Returns whether a publication opens the vote by itself: it brings the first candidates, no opening is set, and the closing is ahead. */
export const opensVoteAtOnce = (before: EditionValues, after: EditionValues, now: Date): boolean =>
  (candidatesOf(before).candidatas ?? []).length === 0 &&
  (candidatesOf(after).candidatas ?? []).length > 0 &&
  openingOf(after) === undefined &&
  now < new Date(closingOf(after))

/** Returns the documents with the vote's opening and closing of `dateSource`. */
export function withVoteDatesOf(values: EditionValues, dateSource: EditionValues): EditionValues {
  const { aperturaVotacion: _, ...fechas } = datesOf(values)
  const [opening, closing] = [openingOf(dateSource), closingOf(dateSource)]
  return {
    ...values,
    'edicion.yaml': {
      ...(values['edicion.yaml'] as object),
      fechas: { ...fechas, ...(opening !== undefined && { aperturaVotacion: opening }), cierreVotacion: closing },
    },
  }
}

const FIXED_OPENING =
  'la votación ya tiene su acta de cero, o ya hay votos, y desde entonces su apertura no se mueve: regresa «Abre la votación»'

/**
 * Checks whether a publication would move the vote's opening, which is fixed once the vote has begun.
 * @returns advice for the editor in Spanish; undefined if the opening stays
 */
export function adviceOnMovedOpening(before: EditionValues, after: EditionValues): string | undefined {
  const [openingBefore, openingAfter] = [openingOf(before), openingOf(after)]
  if (openingBefore === openingAfter || Date.parse(openingBefore ?? '') === Date.parse(openingAfter ?? ''))
    return undefined
  return openingBefore === undefined
    ? `${FIXED_OPENING} a como estaba, vacía`
    : `${FIXED_OPENING} al ${formatFullDateTimeWithZone(new Date(openingBefore))}`
}

/** Returns whether both editions have the same list of withdrawn candidates, which only a withdrawal may change. */
export const hasSameWithdrawn = (before: EditionValues, after: EditionValues): boolean =>
  isEqual(candidatesOf(before).retiradas ?? [], candidatesOf(after).retiradas ?? [])

interface CandidatePlace {
  id: string
  /** Place in the vote's order, from 0. */
  lugar: number
}

/** Returns the places of all candidates of an edition, withdrawn ones included. */
export function listCandidatePlaces({
  candidatas = [],
  retiradas = [],
}: {
  candidatas?: readonly { id: string }[]
  retiradas?: readonly CandidatePlace[]
}): CandidatePlace[] {
  const places = placesInVoteOrder(candidatas.length, retiradas)
  return [
    ...candidatas.map(({ id }, index) => ({ id, lugar: places[index]! })),
    ...retiradas.map(({ id, lugar }) => ({ id, lugar })),
  ]
}

/**
 * Finds candidates whom a publication would remove, or move to another place of the vote's order. Links and open pages name a
 * candidate by her place, so places must not change once the vote has begun.
 * @param before documents in force
 * @returns advice for the editor in Spanish; undefined if no candidate moves
 */
export const adviceOnMovedPlaces = (before: EditionValues, after: EditionValues): string | undefined =>
  adviceOnMovesFromPlaces(listCandidatePlaces(candidatesOf(before)), after, candidatesOf(before).candidatas)

/**
 * Finds candidates whom documents would remove or move from known places, as `adviceOnMovedPlaces` does.
 * @param namedCandidates candidates whose names the advice uses
 * @returns advice for the editor in Spanish; undefined if no candidate moves
 */
export function adviceOnMovesFromPlaces(
  places: readonly CandidatePlace[],
  after: EditionValues,
  namedCandidates: readonly { id: string; nombre: string }[] = candidatesOf(after).candidatas ?? [],
): string | undefined {
  const placeByIdAfter = new Map(listCandidatePlaces(candidatesOf(after)).map(({ id, lugar }) => [id, lugar]))
  const nameById = new Map(namedCandidates.map(({ id, nombre }) => [id, nombre]))
  const movedCandidates = places.filter(({ id, lugar }) => placeByIdAfter.get(id) !== lugar)
  if (movedCandidates.length === 0) return undefined
  const restoredOrder = movedCandidates
    .map(({ id, lugar }) => `«${nameById.get(id) ?? id}» al lugar ${lugar + 1}`)
    .join(', ')
  return `la votación ya empezó, y los enlaces y las páginas abiertas nombran a cada candidata por su lugar: con este orden, un voto contaría para otra. Regresa a ${restoredOrder}; las nuevas van al final, y a quien ya no participa se le quita con «Retirar a una candidata»`
}
