import { nextRoundCandidates } from '#app/finals/record/scoring.ts'
import {
  activeCandidateIds,
  candidateNameOf,
  candidateNumberOf,
  type Final,
  latestRoundOf,
  rulesOfRound,
} from '#app/finals/record/state.ts'

/** Words for the presenter to say now: no scores, and no result before its round is closed or the record is sealed. */
export interface PresenterCard {
  label: string
  title: string
  /** Names in the order in which the presenter reads them. */
  names: { name: string; note: string }[]
  hint: string
}

const NUMBER_ORDER_HINT = 'En el orden de sus números: no dice quién va adelante.'

export function presenterCardOf(final: Final | undefined): PresenterCard {
  if (!final)
    return {
      label: 'La final',
      title: 'Todavía no empieza',
      names: [],
      hint: 'En cuanto la mesa abra la final, aquí aparece qué decir.',
    }
  if (final.closing) return resultCard(final, final.closing.orden)
  const round = latestRoundOf(final)
  const namesOf = (ids: string[]) =>
    ids.map((id) => ({ name: candidateNameOf(final, id), note: `Número ${candidateNumberOf(final, id)}` }))
  const roundCount = Math.max(final.rules.rondas.length, final.rounds.length)
  if (round && !round.closing)
    return {
      label: `Ronda ${round.number} de ${roundCount}`,
      title: rulesOfRound(final.rules, round.number).nombre,
      names: namesOf(activeCandidateIds(final, round)),
      hint: 'El jurado está calificando.',
    }
  const nextRound = final.rules.rondas[final.rounds.length]
  if (!nextRound)
    return {
      label: 'La última ronda terminó',
      title: 'El jurado ya calificó',
      names: [],
      hint: 'Espera: los títulos aparecen aquí en cuanto la notaría selle el acta.',
    }
  const ids = nextRoundCandidates(final)
  const allAdvance = !round || ids.length === activeCandidateIds(final, round).length
  return {
    label: allAdvance ? `Sigue la ronda ${final.rounds.length + 1} de ${roundCount}` : 'Pasan a la ronda que sigue',
    title: nextRound.nombre,
    names: namesOf(ids),
    hint: allAdvance ? 'Participan todas.' : NUMBER_ORDER_HINT,
  }
}

/** Returns the card of the result: the titles from last to first or, if the rules have none, the places. */
function resultCard(final: Final, order: NonNullable<Final['closing']>['orden']): PresenterCard {
  const titledPlaces = order.filter(({ titulo }) => titulo !== undefined)
  return {
    label: 'El resultado',
    title: 'Los títulos',
    names: (titledPlaces.length > 0 ? titledPlaces : order).toReversed().map(({ candidata, lugar, titulo }) => ({
      name: candidateNameOf(final, candidata),
      note: titulo ?? `Lugar ${lugar}`,
    })),
    hint: 'De la última a la primera: la reina va al final.',
  }
}
