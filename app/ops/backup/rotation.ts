import { DAY_MS, HOUR_MS } from '#app/core/time/durations.ts'

/** Which backups stay: `count` of the newest, or the newest of each of the last days, weeks and months. */
export type RotationRule =
  | { count: number }
  | { days: number; weeks: number; months: number }
  /** The newest of each hour stays, for the given number of hours before the newest backup. */
  | { hours: number }
  /** Backups stay that any of the rules keeps. */
  | { anyOf: readonly RotationRule[] }

/** Rule of the site's own backups. On the vote's days one is made every hour. */
export const ROTATION_RULE: RotationRule = { anyOf: [{ days: 7, weeks: 4, months: 12 }, { hours: 48 }] }

interface DatedBackup {
  id: string
  moment: Date
}

/** Returns the ids of the backups that stay, always with the newest. */
export function idsToKeep(backups: readonly DatedBackup[], rule: RotationRule): Set<string> {
  if ('anyOf' in rule) return new Set(rule.anyOf.flatMap((one) => [...idsToKeep(backups, one)]))
  const newest = [...backups].sort((a, b) => b.moment.getTime() - a.moment.getTime())
  if ('count' in rule) return new Set(newest.slice(0, Math.max(1, rule.count)).map(({ id }) => id))
  const keptIds = new Set<string>()
  if ('hours' in rule) {
    const hours = new Set<number>()
    const from = (newest[0]?.moment.getTime() ?? 0) - rule.hours * HOUR_MS
    for (const { id, moment } of newest) {
      const hour = Math.floor(moment.getTime() / HOUR_MS)
      if (moment.getTime() > from && !hours.has(hour)) keptIds.add(id)
      hours.add(hour)
    }
    return keptIds
  }
  // Only periods with a backup count.
  for (const [periodCount, periodOf] of [
    [rule.days, (moment: Date) => Math.floor(moment.getTime() / DAY_MS)],
    // Day 4 of the Unix epoch, 5 January 1970, was a Monday.
    [rule.weeks, (moment: Date) => Math.floor((moment.getTime() / DAY_MS - 4) / 7)],
    [rule.months, (moment: Date) => moment.getUTCFullYear() * 12 + moment.getUTCMonth()],
  ] as const) {
    const periods = new Set<number>()
    for (const { id, moment } of newest) {
      const period = periodOf(moment)
      if (periods.has(period)) continue
      if (periods.size === periodCount) break
      periods.add(period)
      keptIds.add(id)
    }
  }
  if (newest[0]) keptIds.add(newest[0].id)
  return keptIds
}
