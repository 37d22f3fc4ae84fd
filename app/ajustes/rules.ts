import type { Periodo } from './schema.ts'

/** Where a moment stands to a period. */
export function estadoDe({ abre, cierra }: Periodo, now: Date): 'antes' | 'abierto' | 'despues' {
  if (now.getTime() < Date.parse(abre)) return 'antes'
  return now.getTime() < Date.parse(cierra) ? 'abierto' : 'despues'
}
