import { diaDe, enHora, finDelDia } from '#app/core/time/mexico-dates.ts'
import { estadoDe } from './rules.ts'
import type { LlamadoDicho, Periodo } from './schema.ts'

const DAY_MS = 86_400_000

interface Momento {
  hayCandidatas: boolean
  hayGanadora: boolean
  /** ISO. */
  cierreVotacion: string
  /** Of the candidates' registration. */
  registro: Periodo
  anio: number
}

/** What the site asks of whoever comes at a moment of its edition. */
export function llamadoDe(
  { hayCandidatas, hayGanadora, cierreVotacion, registro, anio }: Momento,
  now: Date,
): LlamadoDicho {
  const votes = hayCandidatas && now.getTime() < Date.parse(cierreVotacion)
  if (votes) {
    const midnight = finDelDia(diaDe(now))!.getTime() + 1
    const hasta = new Date(Math.min(midnight, Date.parse(cierreVotacion))).toISOString()
    return { que: 'votar', resta: restaParaVotar(new Date(cierreVotacion), now), hasta }
  }
  if (hayCandidatas && hayGanadora) return { que: 'conocer-ganadora', resta: `Señorita Popularidad ${anio}` }
  const estado = estadoDe(registro, now)
  if (estado === 'abierto' && !hayCandidatas) return { que: 'inscribirse', hasta: registro.cierra }
  return { que: 'conocer-candidatas', hasta: estado === 'antes' ? registro.abre : undefined }
}

function restaParaVotar(cierre: Date, now: Date): string {
  const days = Math.round((Date.parse(diaDe(cierre)) - Date.parse(diaDe(now))) / DAY_MS)
  if (days === 0) return `Hoy es el último día para votar, hasta las ${enHora(cierre)}`
  return days === 1 ? 'Mañana es el último día para votar' : `Quedan ${days} días para votar`
}
