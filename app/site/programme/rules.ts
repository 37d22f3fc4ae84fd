import type { ProgrammeEvent } from '#app/cms/schema/programme.ts'

const DAY_MS = 86_400_000

/** Until this hour the night still belongs to the day before. */
export const DAY_ROLLOVER_MS = 4 * 3_600_000
/** How long something is taken to last that says no end. */
const SIN_FIN_MS = 90 * 60_000

/** Where something stands at a moment. */
export function statusOf({ inicia, acaba }: Pick<ProgrammeEvent, 'inicia' | 'acaba'>, moment: Date) {
  const [now, from] = [moment.getTime(), Date.parse(inicia)]
  const until = acaba === undefined ? from + SIN_FIN_MS : Date.parse(acaba)
  return now < from ? 'falta' : now < until ? 'ahora' : 'paso'
}

/** Days from one to another: 2025-09-10 to 2025-09-12 are 2. */
export const diasEntre = (from: string, hasta: string): number =>
  Math.round((Date.parse(`${hasta}T00:00Z`) - Date.parse(`${from}T00:00Z`)) / DAY_MS)

/** The longest span that a calendar's leaf shows: six weeks. */
const MAX_CELLS = 42

/**
 * The days from the first to the last, as a leaf of a calendar lays them out.
 * @returns `columna`: weekday of the first, 1 (Monday) to 7; undefined where they are more than a leaf holds
 */
export function calendarGridOf(dates: readonly string[]): { columna: number; casillas: string[] } | undefined {
  const [from, hasta] = [dates[0], dates.at(-1)]
  if (from === undefined || hasta === undefined) return undefined
  const column = ((new Date(`${from}T00:00Z`).getUTCDay() + 6) % 7) + 1
  const howMany = diasEntre(from, hasta) + 1
  if (column - 1 + howMany > MAX_CELLS) return undefined
  const cells = [from]
  while (cells.length < howMany)
    cells.push(new Date(Date.parse(`${from}T00:00Z`) + cells.length * DAY_MS).toISOString().slice(0, 10))
  return { columna: column, casillas: cells }
}
