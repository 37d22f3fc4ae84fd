import type { ProgrammeEvent } from '#app/cms/schema/programme.ts'
import { DAY_MS } from '#app/core/time/mexico-dates.ts'

/** The small hours last this long, and still belong to the day before. */
export const DAY_ROLLOVER_MS = 4 * 3_600_000
/** An event without an end is assumed to last this long. */
const DEFAULT_EVENT_MS = 90 * 60_000

/** Returns whether an event is ahead, on or over at a moment. */
export function statusOf({ startsAt, endsAt }: Pick<ProgrammeEvent, 'startsAt' | 'endsAt'>, moment: Date) {
  const [now, from] = [moment.getTime(), Date.parse(startsAt)]
  const until = endsAt === undefined ? from + DEFAULT_EVENT_MS : Date.parse(endsAt)
  return now < from ? 'ahead' : now < until ? 'on' : 'over'
}

/** Counts the days from one date to another: 2025-09-10 to 2025-09-12 are 2. */
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(`${to}T00:00Z`) - Date.parse(`${from}T00:00Z`)) / DAY_MS)

/** A calendar sheet spans at most this many days: six weeks. */
const MAX_CELLS = 42

/**
 * Lays out the days from the first to the last as a sheet of a calendar.
 * @returns weekday of the first day, 1 (Monday) to 7, and all dates; undefined when they do not fit on a sheet
 */
export function calendarGridOf(dates: readonly string[]): { firstWeekday: number; dates: string[] } | undefined {
  const [from, to] = [dates[0], dates.at(-1)]
  if (from === undefined || to === undefined) return undefined
  const column = ((new Date(`${from}T00:00Z`).getUTCDay() + 6) % 7) + 1
  const howMany = daysBetween(from, to) + 1
  if (column - 1 + howMany > MAX_CELLS) return undefined
  const cells = [from]
  while (cells.length < howMany)
    cells.push(new Date(Date.parse(`${from}T00:00Z`) + cells.length * DAY_MS).toISOString().slice(0, 10))
  return { firstWeekday: column, dates: cells }
}
