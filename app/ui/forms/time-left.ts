/** `sent` bytes had been sent at this moment in milliseconds. */
export interface SentSample {
  at: number
  sent: number
}

/** Earlier samples tell nothing of the line as it is now. */
const WINDOW_MS = 10_000
/** A shorter look would promise too much or too little. */
const MIN_LOOK_MS = 5_000

/** Returns the samples of the last ten seconds with a new one. */
export const withSample = (samples: readonly SentSample[], sample: SentSample): SentSample[] => [
  ...samples.filter(({ at }) => sample.at - at <= WINDOW_MS),
  sample,
]

/** Tells in Spanish how long the rest of an upload takes at the pace of the last seconds; undefined while that is unknown. */
export function timeLeftInWords(samples: readonly SentSample[], total: number): string | undefined {
  const [first, last] = [samples[0], samples.at(-1)]
  if (!first || !last || last.at - first.at < MIN_LOOK_MS || last.sent <= first.sent) return undefined
  const minutes = Math.ceil(((total - last.sent) * (last.at - first.at)) / (last.sent - first.sent) / 60_000)
  return minutes <= 1 ? 'falta menos de un minuto' : `faltan unos ${minutes} minutos`
}
