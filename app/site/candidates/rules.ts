import { parseBirthday } from '#app/cms/schema/birthday.ts'
import { dayAndMonthOf } from '#app/core/time/mexico-dates.ts'

/** @source §4, §9 */
export const CONFETTI = { particleCount: 80, spread: 120, startVelocity: 40, origin: { y: 0.7 } }
/** Time between two bursts of confetti. */
export const CONFETTI_INTERVAL_MS = 1200
/** Share of a candidate's block that has to be in view for confetti. */
export const CONFETTI_VISIBLE_SHARE = 0.3

/** Returns whether a birthday is today in Mexico City. @param birthday «7 de agosto» @source §4 */
export function isBirthdayToday(birthday: string, now: Date): boolean {
  const birthdayDay = parseBirthday(birthday)
  const today = dayAndMonthOf(now)
  return birthdayDay !== undefined && birthdayDay.day === today.day && birthdayDay.month === today.month
}
