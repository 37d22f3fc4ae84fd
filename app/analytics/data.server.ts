import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { Fuente, Que } from './schema.ts'

/** Sums over some days, the largest first. */
export interface Sumas {
  /** Visits: screens opened from elsewhere than this site. */
  visitas: number
  /** Screens that were seen, however they were reached. */
  vistas: number
  porDia: { dia: string; visitas: number; vistas: number }[]
  porPantalla: { cual: string; vistas: number }[]
  porFuente: { fuente: Fuente; visitas: number }[]
  patrocinadores: { cual: string; toques: number }[]
  compartidos: { cual: string; veces: number }[]
}

/** @param desde and @param hasta days like 2025-09-12, both included */
export async function readVisitas(db: Database, desde: string, hasta: string): Promise<Sumas> {
  const { rows } = await sql<{ dia: string; que: Que; cual: string; fuente: Fuente; cuenta: number }>`
    select dia, que, cual, fuente, cuenta::float8 as cuenta from visitas
    where dia between ${desde} and ${hasta}`.execute(db)
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
    porDia: daysFrom(desde, hasta).map((dia) => ({
      dia,
      visitas: comeByDay.get(dia) ?? 0,
      vistas: seenByDay.get(dia) ?? 0,
    })),
    porPantalla: by('cual', seen).map(([cual, vistas]) => ({ cual, vistas })),
    porFuente: by('fuente', come).map(([fuente, visitas]) => ({ fuente, visitas })),
    patrocinadores: of('patrocinador').map(([cual, toques]) => ({ cual, toques })),
    compartidos: of('compartido').map(([cual, veces]) => ({ cual, veces })),
  }
}

const DAY_MS = 86_400_000

function daysFrom(desde: string, hasta: string): string[] {
  const [from, to] = [Date.parse(desde), Date.parse(hasta)]
  return Array.from({ length: Math.max(0, Math.round((to - from) / DAY_MS) + 1) }, (_, at) =>
    new Date(from + at * DAY_MS).toISOString().slice(0, 10),
  )
}
