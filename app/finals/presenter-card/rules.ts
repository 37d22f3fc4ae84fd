import { nextRoundCandidates } from '#app/finals/record/scoring.ts'
import { activeCandidates, type Final, latestRound, nameOf, numberOf, roundRules } from '#app/finals/record/state.ts'

/** A card says what the presenter says now. It has no score, and no name before its round is closed or its title sealed. */
export interface PresenterCard {
  label: string
  title: string
  /** The names in the order to be said. */
  names: { name: string; note: string }[]
  hint: string
}

const BY_NUMBER = 'En el orden de sus números: no dice quién va adelante.'

export function presenterCardOf(final: Final | undefined): PresenterCard {
  if (!final)
    return {
      label: 'La final',
      title: 'Todavía no empieza',
      names: [],
      hint: 'En cuanto la mesa abra la final, aquí aparece qué decir.',
    }
  if (final.closing) return resultCard(final, final.closing.orden)
  const round = latestRound(final)
  const named = (ids: string[]) => ids.map((id) => ({ name: nameOf(final, id), note: `Número ${numberOf(final, id)}` }))
  const roundCount = Math.max(final.rules.rondas.length, final.rounds.length)
  if (round && !round.closing)
    return {
      label: `Ronda ${round.number} de ${roundCount}`,
      title: roundRules(final.rules, round.number).nombre,
      names: named(activeCandidates(final, round)),
      hint: 'El jurado está calificando.',
    }
  const next = final.rules.rondas[final.rounds.length]
  if (!next)
    return {
      label: 'La última ronda terminó',
      title: 'El jurado ya calificó',
      names: [],
      hint: 'Espera: los títulos aparecen aquí en cuanto la notaría selle el acta.',
    }
  const ids = nextRoundCandidates(final)
  const isAll = !round || ids.length === activeCandidates(final, round).length
  return {
    label: isAll ? `Sigue la ronda ${final.rounds.length + 1} de ${roundCount}` : 'Pasan a la ronda que sigue',
    title: next.nombre,
    names: named(ids),
    hint: isAll ? 'Participan todas.' : BY_NUMBER,
  }
}

/** The titles, from last to first; where the rules give none, the places. */
function resultCard(final: Final, order: NonNullable<Final['closing']>['orden']): PresenterCard {
  const titled = order.filter(({ titulo }) => titulo !== undefined)
  return {
    label: 'El resultado',
    title: 'Los títulos',
    names: (titled.length > 0 ? titled : order)
      .toReversed()
      .map(({ candidata, lugar, titulo }) => ({ name: nameOf(final, candidata), note: titulo ?? `Lugar ${lugar}` })),
    hint: 'De la última a la primera: la reina va al final.',
  }
}
