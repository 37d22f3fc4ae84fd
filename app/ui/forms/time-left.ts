/** The pace of the first seconds says nothing of the rest, so no estimate is given before this time. */
const MIN_SAMPLE_MS = 5_000

/**
 * Tells in Spanish how long the rest of an upload takes at the pace so far; undefined while that is unknown.
 * @param sent bytes sent in `ms` milliseconds
 * @param rest bytes left
 */
export function timeLeftInWords(ms: number, sent: number, rest: number): string | undefined {
  if (ms < MIN_SAMPLE_MS || sent <= 0) return undefined
  const minutes = Math.ceil((rest * ms) / sent / 60_000)
  return minutes <= 1 ? 'falta menos de un minuto' : `faltan unos ${minutes} minutos`
}
