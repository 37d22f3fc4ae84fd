/** No estimate is given before this time, since the pace of the first seconds says nothing about the rest. */
const MIN_SAMPLE_MS = 5_000

/** Returns in Spanish how long the rest of an upload will take at the pace so far; undefined while the pace is unknown. */
export function timeLeftInWords(elapsedMs: number, sentBytes: number, remainingBytes: number): string | undefined {
  if (elapsedMs < MIN_SAMPLE_MS || sentBytes <= 0) return undefined
  const minutes = Math.ceil((remainingBytes * elapsedMs) / sentBytes / 60_000)
  return minutes <= 1 ? 'falta menos de un minuto' : `faltan unos ${minutes} minutos`
}
