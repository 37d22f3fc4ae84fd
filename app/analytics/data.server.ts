import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import { DAY_MS } from '#app/core/time/durations.ts'
import type { VisitEvent, VisitSource } from './schema.ts'

/** Visits summed up over a range of days. `byDay` begins with the first day, all other lists with their largest sum. */
export interface VisitSums {
  /** Number of screens that were opened from outside this site. */
  visits: number
  /** Number of all screens that were opened. */
  views: number
  byDay: { day: string; visits: number; views: number }[]
  byScreen: { path: string; views: number }[]
  bySource: { source: VisitSource; visits: number }[]
  sponsors: { name: string; taps: number }[]
  shares: { candidateId: string; count: number }[]
}

/** Sums up the visits of a range of days, such as 2025-09-12. Both days are included. */
export async function readVisits(db: Database, firstDay: string, lastDay: string): Promise<VisitSums> {
  const { rows } = await sql<{ dia: string; que: VisitEvent; cual: string; fuente: VisitSource; cuenta: number }>`
    select dia, que, cual, fuente, cuenta::float8 as cuenta from visitas
    where dia between ${firstDay} and ${lastDay}`.execute(db)
  const sum = (summedRows: typeof rows) => summedRows.reduce((total, { cuenta }) => total + cuenta, 0)
  const sumBy = <Column extends 'dia' | 'cual' | 'fuente'>(column: Column, summedRows: typeof rows) =>
    [...Map.groupBy(summedRows, (row) => row[column])]
      .map(([key, groupedRows]) => [key, sum(groupedRows)] as const)
      .sort(([keyA, sumA], [keyB, sumB]) => sumB - sumA || keyA.localeCompare(keyB))
  const screenRows = rows.filter(({ que: event }) => event === 'pantalla')
  const arrivals = screenRows.filter(({ fuente }) => fuente !== 'sitio')
  const [arrivalsByDay, viewsByDay] = [new Map(sumBy('dia', arrivals)), new Map(sumBy('dia', screenRows))]
  const targetsOf = (event: VisitEvent) =>
    sumBy(
      'cual',
      rows.filter((row) => row.que === event),
    )
  return {
    visits: sum(arrivals),
    views: sum(screenRows),
    byDay: daysFrom(firstDay, lastDay).map((day) => ({
      day,
      visits: arrivalsByDay.get(day) ?? 0,
      views: viewsByDay.get(day) ?? 0,
    })),
    byScreen: sumBy('cual', screenRows).map(([target, views]) => ({ path: target, views })),
    bySource: sumBy('fuente', arrivals).map(([source, visits]) => ({ source, visits })),
    sponsors: targetsOf('patrocinador').map(([target, taps]) => ({ name: target, taps })),
    shares: targetsOf('compartido').map(([target, times]) => ({ candidateId: target, count: times })),
  }
}

function daysFrom(firstDay: string, lastDay: string): string[] {
  const [firstMs, lastMs] = [Date.parse(firstDay), Date.parse(lastDay)]
  return Array.from({ length: Math.max(0, Math.round((lastMs - firstMs) / DAY_MS) + 1) }, (_, index) =>
    new Date(firstMs + index * DAY_MS).toISOString().slice(0, 10),
  )
}
