import { formatTime } from '#app/core/time/mexico-dates.ts'
import { judgeOf, nameOf, type State } from './state.ts'

const TELEPHONE = {
  'enlace-nuevo': 'recibió otro enlace: desde entonces firma con otro teléfono',
  cerrado: 'quedó sin teléfono: se cerró el que tenía',
} as const

/**
 * Returns Spanish sentences about events beside the rounds: how often the lot for ties was drawn, and each changed telephone,
 * reopened sheet and withdrawn candidate, with its time.
 */
export function notesOf({ final, annulments }: State): string[] {
  const notes = annulments.map(
    ({ motivo, levantada }) => `${timeOf(levantada)} Antes se anuló otra apertura: ${motivo}`,
  )
  if (annulments.length > 0)
    notes.unshift(
      `La final se abrió ${annulments.length + 1} veces, y cada apertura sorteó de nuevo los empates: vale el sorteo de la última.`,
    )
  if (!final) return notes
  return [
    ...notes,
    ...final.telephones.map(
      ({ juez, hecho, levantada }) => `${timeOf(levantada)} ${judgeOf(final, juez)} ${TELEPHONE[hecho]}.`,
    ),
    ...final.reopenings.map(
      ({ juez, ronda, motivo, levantada }) =>
        `${timeOf(levantada)} Se reabrió la hoja de ${judgeOf(final, juez)} en ${final.rules.rondas[ronda - 1]!.nombre}: ${motivo}`,
    ),
    ...[...final.withdrawn].map(
      ([id, { motivo, levantada }]) => `${timeOf(levantada)} Se retiró ${nameOf(final, id)}: ${motivo}`,
    ),
  ]
}

const timeOf = (moment: string) => formatTime(new Date(moment))
