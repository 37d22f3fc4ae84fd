import { formatLongDate, formatTime, isoDateOf } from '#app/core/time/mexico-dates.ts'
import { crownTie } from './scoring.ts'
import { judgeOf, nameOf, roundRules, type State } from './state.ts'

const TELEPHONE = {
  'enlace-nuevo': 'recibió otro enlace: desde entonces firma con otro teléfono',
  cerrado: 'quedó sin teléfono: se cerró el que tenía',
} as const

/** The stored reason of a rehearsal that is thrown away. A reason that people typed tells a rehearsal by its first words. */
export const REHEARSAL_REASON = 'Era un ensayo'
const isRehearsal = ({ motivo }: { motivo: string }) => /^\s*(era|fue) (un|el) ensayo\b/i.test(motivo)

/** Says in one sentence when the final was rehearsed: the day, and on the day of the final itself the hour. */
function rehearsalNote({ final, annulments }: State): string[] {
  const moments = annulments.filter(isRehearsal).map(({ levantada, edicion }) => {
    const day = isoDateOf(new Date(levantada))
    const isSameDay = final && day === isoDateOf(new Date(final.opening.levantada))
    return `el ${formatLongDate(day).replace(` de ${edicion}`, '')}${isSameDay ? ` a las ${timeOf(levantada)}` : ''}`
  })
  if (moments.length === 0) return []
  const when = [...new Set(moments)].join(' y ')
  return moments.length === 1
    ? [`Hubo un ensayo ${when}, que se anuló antes de la final.`]
    : [`Hubo ${moments.length} ensayos ${when}, que se anularon antes de la final.`]
}

/**
 * Returns Spanish sentences about events beside the rounds: rehearsals, how often the lot for ties was drawn, and each changed
 * telephone, reopened sheet and withdrawn candidate, with its time.
 */
export function notesOf(state: State): string[] {
  const { final, annulments } = state
  const restarts = annulments.filter((one) => !isRehearsal(one))
  const notes = [
    ...rehearsalNote(state),
    // One rehearsal is a line. Further openings, rehearsals too, could choose among lots, so their number is said.
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
    ...final.telephones.map(
      ({ juez, hecho, levantada }) => `${timeOf(levantada)} ${judgeOf(final, juez)} ${TELEPHONE[hecho]}.`,
    ),
    ...final.reopenings.map(
      ({ juez, ronda, motivo, levantada }) =>
        `${timeOf(levantada)} Se reabrió la hoja de ${judgeOf(final, juez)} en ${roundRules(final.rules, ronda).nombre}: ${motivo}`,
    ),
    ...[...final.withdrawn].map(
      ([id, { motivo, levantada }]) => `${timeOf(levantada)} Se retiró ${nameOf(final, id)}: ${motivo}`,
    ),
  ]
}

const timeOf = (moment: string) => formatTime(new Date(moment))
