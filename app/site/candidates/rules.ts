import { diaDeCumple } from '#app/cms/schema/birthday.ts'
import { diaYMesDe } from '#app/core/time/mexico-dates.ts'

/** @source §4, §9 */
export const CONFETI = { particleCount: 80, spread: 120, startVelocity: 40, origin: { y: 0.7 } }
export const CONFETI_CADA_MS = 1200
/** The part of a candidate's block that has to be in view. */
export const CONFETI_EN_VISTA = 0.3

/**
 * Whether it is somebody's birthday in Mexico City.
 * @param cumple «7 de agosto»
 * @source §4, D31
 */
export function cumpleHoy(cumple: string, ahora: Date): boolean {
  const suyo = diaDeCumple(cumple)
  const hoy = diaYMesDe(ahora)
  return suyo !== undefined && suyo.dia === hoy.dia && suyo.mes === hoy.mes
}
