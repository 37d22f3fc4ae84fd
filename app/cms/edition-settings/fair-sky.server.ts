import { DAY_MS } from '#app/core/time/durations.ts'
import { formatTime, isoDateOf } from '#app/core/time/mexico-dates.ts'
import type { FairSky } from './schema.ts'

/** The fireworks last this long from the beginning of the coronation. */
const FIREWORKS_MS = 4 * 60 * 60_000
const DUSK = '19:00'
const LIGHTS_ON = '20:00'
const LIGHTS_OUT = '05:00'

/**
 * Returns the fair's sky by the clock of Mexico City; undefined by day, except during the fireworks and on the Monday after them.
 * @param coronation ISO moment
 */
export function fairSkyAt(now: Date, coronation: string): FairSky | undefined {
  const msSinceCoronation = now.getTime() - Date.parse(coronation)
  if (msSinceCoronation >= 0 && msSinceCoronation < FIREWORKS_MS) return 'fuegos'
  if (isoDateOf(now) === mondayAfter(new Date(coronation))) return 'brasas'
  const time = formatTime(now)
  if (time >= LIGHTS_ON || time < LIGHTS_OUT) return 'luces'
  return time >= DUSK ? 'crepusculo' : undefined
}

/** Returns the first Monday after the day of a moment, as «2025-09-29»; for a Monday, the Monday a week later. */
function mondayAfter(moment: Date): string {
  const noon = Date.parse(`${isoDateOf(moment)}T12:00Z`)
  const days = (8 - new Date(noon).getUTCDay()) % 7 || 7
  return new Date(noon + days * DAY_MS).toISOString().slice(0, 10)
}
