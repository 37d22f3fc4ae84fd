import { DAY_MS } from '#app/core/time/durations.ts'
import { endOfDay, formatTime, isoDateOf } from '#app/core/time/mexico-dates.ts'
import { periodStateOf } from './rules.ts'
import type { CurrentCallToAction, Period } from './schema.ts'

interface EditionPhase {
  hasCandidates: boolean
  hasWinner: boolean
  /** Title of the queen whom a public final crowned; undefined before, and after her withdrawal. */
  queenTitle?: string | undefined
  /** ISO moments; without an opening the vote opens with the candidates' publication. */
  voteOpening?: string | undefined
  voteClosing: string
  /** The period of the candidates' registration. */
  registration: Period
  year: number
}

export function callToActionAt(
  { hasCandidates, hasWinner, queenTitle, voteOpening, voteClosing, registration, year }: EditionPhase,
  now: Date,
): CurrentCallToAction {
  const isOpeningAhead = voteOpening !== undefined && now.getTime() < Date.parse(voteOpening)
  if (hasCandidates && isOpeningAhead) return { que: 'conocer-candidatas', hasta: voteOpening }
  const isVoteOpen = hasCandidates && now.getTime() < Date.parse(voteClosing)
  if (isVoteOpen) {
    const midnight = endOfDay(isoDateOf(now))!.getTime() + 1
    const until = new Date(Math.min(midnight, Date.parse(voteClosing))).toISOString()
    return { que: 'votar', resta: timeLeftToVote(new Date(voteClosing), now), hasta: until }
  }
  if (queenTitle) return { que: 'conocer-reina', resta: `${queenTitle} ${year}` }
  if (hasCandidates && hasWinner) return { que: 'conocer-ganadora', resta: `Señorita Popularidad ${year}` }
  const state = periodStateOf(registration, now)
  if (state === 'abierto' && !hasCandidates) return { que: 'inscribirse', hasta: registration.cierra }
  return { que: 'conocer-candidatas', hasta: state === 'antes' ? registration.abre : undefined }
}

function timeLeftToVote(closing: Date, now: Date): string {
  const days = Math.round((Date.parse(isoDateOf(closing)) - Date.parse(isoDateOf(now))) / DAY_MS)
  if (days === 0) return `Hoy es el último día para votar, hasta las ${formatTime(closing)}`
  return days === 1 ? 'Mañana es el último día para votar' : `Quedan ${days} días para votar`
}
