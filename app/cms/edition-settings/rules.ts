import type { CallToAction, Period, Periods } from './schema.ts'

/** Whether a moment is before, in or after a period. */
export function statusOf({ abre, cierra }: Period, now: Date): 'antes' | 'abierto' | 'despues' {
  if (now.getTime() < Date.parse(abre)) return 'antes'
  return now.getTime() < Date.parse(cierra) ? 'abierto' : 'despues'
}

/** Address and text of each call to action. */
export const CALLS_TO_ACTION: Record<CallToAction, { a: string; texto: string }> = {
  votar: { a: '/misspopularidad', texto: 'Vota por tu favorita' },
  'conocer-ganadora': { a: '/misspopularidad', texto: 'Conoce a la ganadora' },
  inscribirse: { a: '/registro', texto: 'Inscríbete' },
  'conocer-candidatas': { a: '/candidatas', texto: 'Conoce a las candidatas' },
}

/** Milliseconds until a registration opens or closes, or the call to action ends; Infinity without such a moment. */
export function untilNextChange({ ahora, candidatas, trajes, llamado }: Periods): number {
  const now = Date.parse(ahora)
  const moments = [candidatas, trajes].flatMap(({ abre, cierra }) => [Date.parse(abre), Date.parse(cierra)])
  if (llamado?.hasta) moments.push(Date.parse(llamado.hasta))
  return Math.min(...moments.filter((moment) => moment > now).map((moment) => moment - now))
}
