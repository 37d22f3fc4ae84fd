import { dayOf, endOfDay, formatTime } from '#app/core/time/mexico-dates.ts'
import { statusOf } from './rules.ts'
import type { CurrentCallToAction, Period } from './schema.ts'

const DAY_MS = 86_400_000

interface Moment {
  hayCandidatas: boolean
  hayGanadora: boolean
  /** ISO moment. */
  cierreVotacion: string
  /** Period of the candidates' registration. */
  registro: Period
  anio: number
}

/** The call to action for the current phase of an edition. */
export function callToActionAt(
  { hayCandidatas, hayGanadora, cierreVotacion, registro, anio }: Moment,
  now: Date,
): CurrentCallToAction {
  const votes = hayCandidatas && now.getTime() < Date.parse(cierreVotacion)
  if (votes) {
    const midnight = endOfDay(dayOf(now))!.getTime() + 1
    const hasta = new Date(Math.min(midnight, Date.parse(cierreVotacion))).toISOString()
    return { que: 'votar', resta: timeLeftToVote(new Date(cierreVotacion), now), hasta }
  }
  if (hayCandidatas && hayGanadora) return { que: 'conocer-ganadora', resta: `Señorita Popularidad ${anio}` }
  const state = statusOf(registro, now)
  if (state === 'abierto' && !hayCandidatas) return { que: 'inscribirse', hasta: registro.cierra }
  return { que: 'conocer-candidatas', hasta: state === 'antes' ? registro.abre : undefined }
}

function timeLeftToVote(closing: Date, now: Date): string {
  const days = Math.round((Date.parse(dayOf(closing)) - Date.parse(dayOf(now))) / DAY_MS)
  if (days === 0) return `Hoy es el último día para votar, hasta las ${formatTime(closing)}`
  return days === 1 ? 'Mañana es el último día para votar' : `Quedan ${days} días para votar`
}
