import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { Que, Source } from './schema.ts'

/** Sums over some days, the largest first. */
export interface VisitSums {
  /** Screens that were opened from outside this site. */
  visitas: number
  /** Screens that were seen, from outside or from another screen. */
  vistas: number
  porDia: { dia: string; visitas: number; vistas: number }[]
  porPantalla: { cual: string; vistas: number }[]
  porFuente: { fuente: Source; visitas: number }[]
  patrocinadores: { cual: string; toques: number }[]
  compartidos: { cual: string; veces: number }[]
}

/** Both days are included, and written like 2025-09-12. */
export async function readVisits(db: Database, firstDay: string, lastDay: string): Promise<VisitSums> {
  const { rows } = await sql<{ dia: string; que: Que; cual: string; fuente: Source; cuenta: number }>`
    select dia, que, cual, fuente, cuenta::float8 as cuenta from visitas
    where dia between ${firstDay} and ${lastDay}`.execute(db)
  const sum = (of: typeof rows) => of.reduce((total, { cuenta }) => total + cuenta, 0)
  const by = <K extends 'dia' | 'cual' | 'fuente'>(name: K, of: typeof rows) =>
    [...Map.groupBy(of, (row) => row[name])]
      .map(([key, group]) => [key, sum(group)] as const)
      .sort(([a, first], [b, second]) => second - first || a.localeCompare(b))
  const seen = rows.filter(({ que }) => que === 'pantalla')
  const come = seen.filter(({ fuente }) => fuente !== 'sitio')
  const [comeByDay, seenByDay] = [new Map(by('dia', come)), new Map(by('dia', seen))]
  const of = (que: Que) =>
    by(
      'cual',
      rows.filter((row) => row.que === que),
    )
  return {
    visitas: sum(come),
    vistas: sum(seen),
    porDia: daysFrom(firstDay, lastDay).map((day) => ({
      dia: day,
      visitas: comeByDay.get(day) ?? 0,
      vistas: seenByDay.get(day) ?? 0,
    })),
    porPantalla: by('cual', seen).map(([which, views]) => ({ cual: which, vistas: views })),
    porFuente: by('fuente', come).map(([source, visits]) => ({ fuente: source, visitas: visits })),
    patrocinadores: of('patrocinador').map(([which, toques]) => ({ cual: which, toques })),
    compartidos: of('compartido').map(([which, times]) => ({ cual: which, veces: times })),
  }
}

const DAY_MS = 86_400_000

function daysFrom(firstDay: string, lastDay: string): string[] {
  const [from, to] = [Date.parse(firstDay), Date.parse(lastDay)]
  return Array.from({ length: Math.max(0, Math.round((to - from) / DAY_MS) + 1) }, (_, at) =>
    new Date(from + at * DAY_MS).toISOString().slice(0, 10),
  )
}
