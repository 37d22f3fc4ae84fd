import { DAY_MS } from '#app/core/time/durations.ts'

/** Counts the days from one date to another: 2025-09-10 to 2025-09-12 are 2. */
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(`${to}T00:00Z`) - Date.parse(`${from}T00:00Z`)) / DAY_MS)

/** Maximum number of cells on a calendar sheet: six weeks. */
const MAX_CELLS = 42

/**
 * Lays out the days from the first to the last on a sheet of a calendar.
 * @returns weekday of the first day, 1 (Monday) to 7, and all dates; undefined without dates, or if they do not fit on a sheet
 */
export function calendarGridOf(dates: readonly string[]): { firstWeekday: number; dates: string[] } | undefined {
  const [from, to] = [dates[0], dates.at(-1)]
  if (from === undefined || to === undefined) return undefined
  const firstWeekday = ((new Date(`${from}T00:00Z`).getUTCDay() + 6) % 7) + 1
  const dayCount = daysBetween(from, to) + 1
  if (firstWeekday - 1 + dayCount > MAX_CELLS) return undefined
  const cells = [from]
  while (cells.length < dayCount)
    cells.push(new Date(Date.parse(`${from}T00:00Z`) + cells.length * DAY_MS).toISOString().slice(0, 10))
  return { firstWeekday: firstWeekday, dates: cells }
}
