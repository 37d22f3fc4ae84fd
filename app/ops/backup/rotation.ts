import { DAY_MS, HOUR_MS } from '#app/core/time/durations.ts'

/** A Rule says which backups stay: a number of the newest, or the newest of each of the last hours, or days, weeks and months. */
export type Rule =
  | { count: number }
  | { days: number; weeks: number; months: number }
  /** The newest of each hour stays, for that many hours before the newest backup. */
  | { hours: number }
  /** Every backup stays that one of the rules keeps. */
  | { anyOf: readonly Rule[] }

/** The site's own backups follow this rule: on the vote's days one is made every hour. */
export const ROTATION_RULE: Rule = { anyOf: [{ days: 7, weeks: 4, months: 12 }, { hours: 48 }] }

interface DatedBackup {
  id: string
  moment: Date
}

/** Returns the ids of the backups that stay; the newest always stays. */
export function remaining(backups: readonly DatedBackup[], rule: Rule): Set<string> {
  if ('anyOf' in rule) return new Set(rule.anyOf.flatMap((one) => [...remaining(backups, one)]))
  const newest = [...backups].sort((a, b) => b.moment.getTime() - a.moment.getTime())
  if ('count' in rule) return new Set(newest.slice(0, Math.max(1, rule.count)).map(({ id }) => id))
  const stay = new Set<string>()
  if ('hours' in rule) {
    const hours = new Set<number>()
    const from = (newest[0]?.moment.getTime() ?? 0) - rule.hours * HOUR_MS
    for (const { id, moment } of newest) {
      const hour = Math.floor(moment.getTime() / HOUR_MS)
      if (moment.getTime() > from && !hours.has(hour)) stay.add(id)
      hours.add(hour)
    }
    return stay
  }
  // The newest backup of each day, week and month stays, for the last days, weeks and months that have one.
  for (const [howMany, periodOf] of [
    [rule.days, (moment: Date) => Math.floor(moment.getTime() / DAY_MS)],
    // Day 4 of the count, 5 January 1970, was a Monday.
    [rule.weeks, (moment: Date) => Math.floor((moment.getTime() / DAY_MS - 4) / 7)],
    [rule.months, (moment: Date) => moment.getUTCFullYear() * 12 + moment.getUTCMonth()],
  ] as const) {
    const periods = new Set<number>()
    for (const { id, moment } of newest) {
      const period = periodOf(moment)
      if (periods.has(period)) continue
      if (periods.size === howMany) break
      periods.add(period)
      stay.add(id)
    }
  }
  if (newest[0]) stay.add(newest[0].id)
  return stay
}
