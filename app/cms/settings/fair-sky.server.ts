import { diaDe, enHora } from '#app/core/time/mexico-dates.ts'
import type { Ambiente } from './schema.ts'

const DAY_MS = 86_400_000
/** How long after the coronation begins the sky is full of it. */
const FUEGOS_MS = 4 * 60 * 60_000
const CREPUSCULO = '19:00'
const LUCES = '20:00'
const APAGADO = '05:00'

/**
 * The fair's hour, by the clocks of Mexico City.
 * @param coronacion ISO
 * @returns undefined by day
 */
export function ambienteDe(now: Date, coronacion: string): Ambiente | undefined {
  const since = now.getTime() - Date.parse(coronacion)
  if (since >= 0 && since < FUEGOS_MS) return 'fuegos'
  if (diaDe(now) === mondayAfter(new Date(coronacion))) return 'brasas'
  const hour = enHora(now)
  if (hour >= LUCES || hour < APAGADO) return 'luces'
  return hour >= CREPUSCULO ? 'crepusculo' : undefined
}

/** The first Monday after the day of a moment: «2025-09-29». */
function mondayAfter(moment: Date): string {
  const noon = Date.parse(`${diaDe(moment)}T12:00Z`)
  const days = (8 - new Date(noon).getUTCDay()) % 7 || 7
  return new Date(noon + days * DAY_MS).toISOString().slice(0, 10)
}
