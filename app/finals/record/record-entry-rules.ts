import { typedText } from '#app/core/text/typed-text.ts'
import type { RecordContent, RecordEntry, SignedScores } from './record-entries.ts'
import { crownTie, finalRanking, isAllowedScore, nextRoundCandidates, rankingAfter } from './scoring.ts'
import { activeCandidateIds, type Final, latestRoundOf, openRoundOf, type RecordState, rulesOfRound } from './state.ts'

export type RecordEntryRefusal = keyof typeof RECORD_REFUSAL_MESSAGES

export const RECORD_REFUSAL_MESSAGES = {
  empezada: 'La final ya está abierta. Recarga la página para ver cómo va.',
  'sin-abrir': 'La final todavía no se abre, o se anuló. Ábrela primero en la mesa de la notaría.',
  sellada: 'El acta de la final ya está sellada: nada de ella cambia.',
  'sin-reglas': 'Esta edición no tiene rondas. Escríbelas en «El sitio», en «La final», y publícalas.',
  'sin-candidatas': 'No hay candidatas que calificar. Revisa en «El sitio» que estén publicadas.',
  jurado: 'El jurado no tiene tantas personas como dicen las reglas. Haz primero el enlace de cada juez.',
  'otra-ronda': 'Esa ronda no es la que sigue. Recarga la página para ver cómo va la final.',
  'ronda-abierta': 'Hay una ronda abierta: ciérrala antes.',
  'ronda-cerrada': 'Esa ronda no está abierta: ya no recibe hojas. Si falta la tuya, avisa en la mesa de la notaría.',
  'otras-candidatas': 'Las candidatas de la ronda no son las que siguen. Recarga la página.',
  juez: 'Ese juez no es de este jurado. Pide otro enlace en la mesa de la notaría.',
  firmada: 'Tu hoja de esta ronda ya está firmada. Si hay un error, pide en la mesa de la notaría que la reabran.',
  'sin-hoja': 'Ese juez no ha firmado su hoja de esta ronda, así que no hay nada que reabrir.',
  incompleta: 'Falta calificar a alguien, o sobra alguien que no está en la ronda. Revisa la hoja y envíala de nuevo.',
  escala: 'Una calificación no es de las que se pueden dar. Revisa la hoja y envíala de nuevo.',
  candidata: 'Esa candidata no está en la final, o ya se retiró. Recarga la página.',
  faltan: 'Faltan hojas: espera a que lleguen, o escribe por qué se cierra sin ellas.',
  motivo: 'Escribe el motivo, con al menos diez letras: queda en el acta.',
  'sin-terminar': 'Todavía no se cierra la última ronda. Ciérrala antes de sellar el acta.',
  orden: 'El orden no es el que dan las hojas.',
} as const

const MIN_REASON_LENGTH = 10
const MAX_REASON_LENGTH = 300

/** Returns a typed reason on one line; undefined if it is too short or too long. */
export function readReason(typedReason: unknown): string | undefined {
  const reason = typeof typedReason === 'string' ? typedText(typedReason.replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ')) : ''
  return reason.length >= MIN_REASON_LENGTH && reason.length <= MAX_REASON_LENGTH ? reason : undefined
}

const isSameJson = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** Checks an entry before it is appended. @returns the refusal; undefined if the entry may be appended */
export function refusalOfEntry(
  { final }: RecordState,
  recordEntry: RecordEntry | RecordContent,
): RecordEntryRefusal | undefined {
  if (recordEntry.clase === 'final-abierta') return final ? 'empezada' : openingRefusal(recordEntry)
  if (!final) return 'sin-abrir'
  if (final.closing) return 'sellada'
  switch (recordEntry.clase) {
    case 'ronda-abierta': {
      if (openRoundOf(final)) return 'ronda-abierta'
      const isWrittenRound = final.rounds.length < final.rules.rondas.length
      if (recordEntry.ronda !== final.rounds.length + 1 || !(isWrittenRound || crownTie(final).length > 0))
        return 'otra-ronda'
      if (recordEntry.candidatas.length === 0) return 'sin-candidatas'
      return isSameJson(recordEntry.candidatas, nextRoundCandidates(final)) ? undefined : 'otras-candidatas'
    }
    case 'hoja':
      return sheetRefusal(final, recordEntry)
    case 'hoja-reabierta': {
      const openRound = openRoundOf(final)
      if (openRound?.number !== recordEntry.ronda) return 'ronda-cerrada'
      return openRound.sheets.has(recordEntry.juez) ? undefined : 'sin-hoja'
    }
    case 'telefono':
      return isJudge(final, recordEntry.juez) ? undefined : 'juez'
    case 'retiro':
      return final.opening.candidatas.some(({ id }) => id === recordEntry.candidata) &&
        !final.withdrawn.has(recordEntry.candidata)
        ? undefined
        : 'candidata'
    case 'ronda-cerrada': {
      const openRound = openRoundOf(final)
      if (openRound?.number !== recordEntry.ronda) return 'ronda-cerrada'
      const missingJudges = final.opening.jurado
        .map(({ numero }) => numero)
        .filter((judge) => !openRound.sheets.has(judge))
      if (
        openRound.sheets.size === 0 ||
        !isSameJson(
          recordEntry.sin.map(({ juez }) => juez),
          missingJudges,
        )
      )
        return 'faltan'
      return isSameJson(recordEntry.orden, rankingAfter(final, openRound).order) ? undefined : 'orden'
    }
    case 'final-anulada':
      return undefined
    case 'cierre': {
      const latestRound = latestRoundOf(final)
      if (!latestRound?.closing || latestRound.number < final.rules.rondas.length) return 'sin-terminar'
      return isSameJson(recordEntry.orden, finalRanking(final)) ? undefined : 'orden'
    }
  }
}

function openingRefusal({
  reglas,
  candidatas,
  jurado,
}: Extract<RecordContent, { clase: 'final-abierta' }>): RecordEntryRefusal | undefined {
  if (reglas.rondas.length === 0) return 'sin-reglas'
  if (candidatas.length === 0) return 'sin-candidatas'
  if (jurado.length !== reglas.jueces || new Set(jurado.map(({ numero }) => numero)).size !== jurado.length)
    return 'jurado'
  return undefined
}

const isJudge = ({ opening }: Final, judge: number) => opening.jurado.some(({ numero }) => numero === judge)

function sheetRefusal(
  final: Final,
  { ronda: roundNumber, juez, calificaciones }: { ronda: number; juez: number; calificaciones: SignedScores },
): RecordEntryRefusal | undefined {
  if (!isJudge(final, juez)) return 'juez'
  const openRound = openRoundOf(final)
  if (openRound?.number !== roundNumber) return 'ronda-cerrada'
  if (openRound.sheets.has(juez)) return 'firmada'
  // A sheet may name a candidate who was withdrawn while it was being sent, but none from outside the round.
  const ids = Object.keys(calificaciones)
  if (!ids.every((id) => openRound.candidateIds.includes(id))) return 'incompleta'
  if (!activeCandidateIds(final, openRound).every((id) => Object.hasOwn(calificaciones, id))) return 'incompleta'
  const { criterios } = rulesOfRound(final.rules, roundNumber)
  if (!ids.every((id) => calificaciones[id]!.length === criterios.length)) return 'incompleta'
  return ids.every((id) => calificaciones[id]!.every((tenths) => isAllowedScore(tenths, final.rules)))
    ? undefined
    : 'escala'
}
