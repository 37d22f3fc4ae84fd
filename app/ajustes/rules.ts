import type { Periodo, Periodos } from './schema.ts'

/** Whether a moment is before, in or after a period. */
export function estadoDe({ abre, cierra }: Periodo, now: Date): 'antes' | 'abierto' | 'despues' {
  if (now.getTime() < Date.parse(abre)) return 'antes'
  return now.getTime() < Date.parse(cierra) ? 'abierto' : 'despues'
}

/** Milliseconds until one of the two registrations opens or closes; Infinity when neither will. */
export function untilNextChange({ ahora, candidatas, trajes }: Periodos): number {
  const now = Date.parse(ahora)
  const moments = [candidatas, trajes].flatMap(({ abre, cierra }) => [Date.parse(abre), Date.parse(cierra)])
  return Math.min(...moments.filter((moment) => moment > now).map((moment) => moment - now))
}
