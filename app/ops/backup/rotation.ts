/** Which copies stay: the newest `cuantas`, or of the last days, weeks and months one each. */
export type Regla =
  | { cuantas: number }
  | { dias: number; semanas: number; meses: number }
  /** Those that any of them keeps. */
  | { alguna: readonly Regla[] }

/** What the site keeps of its own copies. */
export const REGLA: Regla = { dias: 7, semanas: 4, meses: 12 }

const DAY_MS = 86_400_000

interface Fechada {
  id: string
  momento: Date
}

/** @returns ids of the copies that stay; the newest always does */
export function quedan(copias: readonly Fechada[], regla: Regla): Set<string> {
  if ('alguna' in regla) return new Set(regla.alguna.flatMap((una) => [...quedan(copias, una)]))
  const newest = [...copias].sort((a, b) => b.momento.getTime() - a.momento.getTime())
  if ('cuantas' in regla) return new Set(newest.slice(0, Math.max(1, regla.cuantas)).map(({ id }) => id))
  const stay = new Set<string>()
  // Of each day, week and month its newest copy, for as many of them as there are copies of.
  for (const [cuantas, periodOf] of [
    [regla.dias, (momento: Date) => Math.floor(momento.getTime() / DAY_MS)],
    // Day 4 of the count, 5 January 1970, was a Monday.
    [regla.semanas, (momento: Date) => Math.floor((momento.getTime() / DAY_MS - 4) / 7)],
    [regla.meses, (momento: Date) => momento.getUTCFullYear() * 12 + momento.getUTCMonth()],
  ] as const) {
    const periods = new Set<number>()
    for (const { id, momento } of newest) {
      const period = periodOf(momento)
      if (periods.has(period)) continue
      if (periods.size === cuantas) break
      periods.add(period)
      stay.add(id)
    }
  }
  if (newest[0]) stay.add(newest[0].id)
  return stay
}
