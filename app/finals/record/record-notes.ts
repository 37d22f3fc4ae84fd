import { formatLongDate, formatTime, isoDateOf } from '#app/core/time/mexico-dates.ts'
import { crownTie } from './scoring.ts'
import { candidateNameOf, judgeNameOf, type RecordState, rulesOfRound } from './state.ts'

const PHONE_CHANGE_TEXTS = {
  'enlace-nuevo': 'recibió otro enlace: desde entonces firma con otro teléfono',
  cerrado: 'quedó sin teléfono: se cerró el que tenía',
} as const

/** Stored reason of an annulled rehearsal; a typed reason means a rehearsal if it begins in a similar way. */
export const REHEARSAL_REASON = 'Era un ensayo'
const isRehearsal = ({ motivo }: { motivo: string }) => /^\s*(era|fue) (un|el) ensayo\b/i.test(motivo)

/**
 * Returns a sentence about when the final was rehearsed: the days and, on the day of the final itself, the time. Returns an empty
 * list without a rehearsal.
 */
function rehearsalNote({ final, annulments }: RecordState): string[] {
  const moments = annulments.filter(isRehearsal).map(({ levantada, edicion }) => {
    const day = isoDateOf(new Date(levantada))
    const isSameDay = final && day === isoDateOf(new Date(final.opening.levantada))
    return `el ${formatLongDate(day).replace(` de ${edicion}`, '')}${isSameDay ? ` a las ${timeOf(levantada)}` : ''}`
  })
  if (moments.length === 0) return []
  const momentsText = [...new Set(moments)].join(' y ')
  return moments.length === 1
    ? [`Hubo un ensayo ${momentsText}, que se anuló antes de la final.`]
    : [`Hubo ${moments.length} ensayos ${momentsText}, que se anularon antes de la final.`]
}

/**
 * Returns sentences about events beside the rounds: rehearsals, annulled openings and how often the lot for ties was drawn, a
 * crown that the lot decided, and each changed telephone, reopened sheet and withdrawn candidate with its time.
 */
export function recordNotes(state: RecordState): string[] {
  const { final, annulments } = state
  const restarts = annulments.filter((annulment) => !isRehearsal(annulment))
  const notes = [
    ...rehearsalNote(state),
    // Each opening draws new lots, among which organisers could choose by opening again. So the number of openings is shown, except
    // after a single rehearsal.
    ...(final && (restarts.length > 0 || annulments.length > 1)
      ? [
          `La final se abrió ${annulments.length + 1} veces, y cada apertura sorteó de nuevo los empates: vale el sorteo de la última.`,
        ]
      : []),
    ...restarts.map(({ motivo, levantada }) => `${timeOf(levantada)} Antes se anuló otra apertura: ${motivo}`),
  ]
  if (!final) return notes
  return [
    ...notes,
    ...(final.closing && crownTie(final).length > 1
      ? ['Había empate por la corona y no se abrió otra ronda: decidió el sorteo.']
      : []),
    ...final.phoneChanges.map(
      ({ juez, hecho, levantada }) => `${timeOf(levantada)} ${judgeNameOf(final, juez)} ${PHONE_CHANGE_TEXTS[hecho]}.`,
    ),
    ...final.reopenings.map(
      ({ juez, ronda, motivo, levantada }) =>
        `${timeOf(levantada)} Se reabrió la hoja de ${judgeNameOf(final, juez)} en ${rulesOfRound(final.rules, ronda).nombre}: ${motivo}`,
    ),
    ...[...final.withdrawn].map(
      ([id, { motivo, levantada }]) => `${timeOf(levantada)} Se retiró ${candidateNameOf(final, id)}: ${motivo}`,
    ),
  ]
}

const timeOf = (moment: string) => formatTime(new Date(moment))
