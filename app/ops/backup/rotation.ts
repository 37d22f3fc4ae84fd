import { DAY_MS, HOUR_MS } from '#app/core/time/durations.ts'

export type RotationRule =
  /** This many of the newest backups stay. */
  | { count: number }
  /** The newest backup of each of the last days (UTC), weeks and months that have a backup stays. */
  | { days: number; weeks: number; months: number }
  /** The newest backup of each hour stays, for this many hours before the newest backup of all. */
  | { hours: number }
  /** Each backup stays that at least one of the rules keeps. */
  | { anyOf: readonly RotationRule[] }

/** Rule for the site's own backups, which are made every night and, on the vote's days, every hour. */
export const ROTATION_RULE: RotationRule = { anyOf: [{ days: 7, weeks: 4, months: 12 }, { hours: 48 }] }

interface DatedBackup {
  id: string
  moment: Date
}

/** Returns the ids of the backups that stay. The newest always stays. */
export function idsToKeep(backups: readonly DatedBackup[], rule: RotationRule): Set<string> {
  if ('anyOf' in rule) return new Set(rule.anyOf.flatMap((anyRule) => [...idsToKeep(backups, anyRule)]))
  const newestFirst = [...backups].sort((a, b) => b.moment.getTime() - a.moment.getTime())
  if ('count' in rule) return new Set(newestFirst.slice(0, Math.max(1, rule.count)).map(({ id }) => id))
  const keptIds = new Set<string>()
  if ('hours' in rule) {
    const hours = new Set<number>()
    const startMs = (newestFirst[0]?.moment.getTime() ?? 0) - rule.hours * HOUR_MS
    for (const { id, moment } of newestFirst) {
      const hour = Math.floor(moment.getTime() / HOUR_MS)
      if (moment.getTime() > startMs && !hours.has(hour)) keptIds.add(id)
      hours.add(hour)
    }
    return keptIds
  }
  for (const [periodCount, periodOf] of [
    [rule.days, (moment: Date) => Math.floor(moment.getTime() / DAY_MS)],
    // Day 4 of the Unix epoch, 5 January 1970, was a Monday.
    [rule.weeks, (moment: Date) => Math.floor((moment.getTime() / DAY_MS - 4) / 7)],
    [rule.months, (moment: Date) => moment.getUTCFullYear() * 12 + moment.getUTCMonth()],
  ] as const) {
    const periods = new Set<number>()
    for (const { id, moment } of newestFirst) {
      const period = periodOf(moment)
      if (periods.has(period)) continue
      if (periods.size === periodCount) break
      periods.add(period)
      keptIds.add(id)
    }
  }
  if (newestFirst[0]) keptIds.add(newestFirst[0].id)
  return keptIds
}
