import type { CallToAction, Period, Periods } from './schema.ts'

/** Returns whether a moment is before, in or after a period; the closing moment is after it. */
export function periodStateOf({ abre, cierra }: Period, now: Date): 'antes' | 'abierto' | 'despues' {
  if (now.getTime() < Date.parse(abre)) return 'antes'
  return now.getTime() < Date.parse(cierra) ? 'abierto' : 'despues'
}

export const CALLS_TO_ACTION: Record<CallToAction, { path: string; label: string }> = {
  votar: { path: '/misspopularidad', label: 'Vota por tu favorita' },
  'conocer-reina': { path: '/reina', label: 'Conoce a la reina' },
  'conocer-ganadora': { path: '/misspopularidad', label: 'Conoce a la más votada' },
  inscribirse: { path: '/registro', label: 'Inscríbete' },
  'conocer-candidatas': { path: '/candidatas', label: 'Conoce a las candidatas' },
}

/** Returns the milliseconds until a registration next opens or closes, or the call to action ends; Infinity if none of these is ahead. */
export function untilNextChange({ ahora, candidatas, trajes, llamado }: Periods): number {
  const now = Date.parse(ahora)
  const moments = [candidatas, trajes].flatMap(({ abre, cierra }) => [Date.parse(abre), Date.parse(cierra)])
  if (llamado?.hasta) moments.push(Date.parse(llamado.hasta))
  return Math.min(...moments.filter((moment) => moment > now).map((moment) => moment - now))
}
