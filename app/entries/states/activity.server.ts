import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import { diaDe, finDelDia } from '#app/core/time/mexico-dates.ts'
import { noSeBorra } from '#app/entries/data.server.ts'
import { ESTADOS, type EstadoInscripcion } from '#app/entries/schema.ts'

/** How an edition's registration goes. */
export interface Pulso {
  /** How many came since a moment. */
  nuevas: number
  /** How many came on each of the last days, the oldest first: days like 2025-08-14, in Mexico City. */
  porDia: { dia: string; cuantas: number }[]
  /** Since when the oldest entry of a state is there. */
  masAntigua: Partial<Record<EstadoInscripcion, Date>>
}

const DIAS = 14
const DAY_MS = 86_400_000

/** The last days, the oldest first, each from its midnight to the next one's. */
function lastDays(now: Date) {
  const days = Array.from({ length: DIAS }, (_, back) => diaDe(new Date(now.getTime() - (DIAS - 1 - back) * DAY_MS)))
  const endOf = (dia: string) => new Date(finDelDia(dia)!.getTime() + 1)
  return days.map((dia) => ({ dia, desde: new Date(endOf(dia).getTime() - DAY_MS), hasta: endOf(dia) }))
}

/** @param desde since when an entry is new; null: none is */
export async function readPulso(db: Database, edicion: number, desde: Date | null, now: Date): Promise<Pulso> {
  const dias = lastDays(now)
  const [nuevas, porDia, antiguas] = await Promise.all([
    desde === null
      ? 0
      : db
          .selectFrom('inscripciones')
          .select(({ fn }) => fn.countAll<number>().as('cuantas'))
          .where('edicion', '=', edicion)
          .where('created_at', '>', desde)
          .where(noSeBorra)
          .executeTakeFirstOrThrow()
          .then(({ cuantas }) => Number(cuantas)),
    // Each day by its own edges, so that the index counts it.
    sql<{ dia: string; cuantas: number }>`
      select d.dia, (
        select count(*)::int from inscripciones
        where edicion = ${edicion} and created_at >= d.desde and created_at < d.hasta
      ) as cuantas
      from unnest(${dias.map(({ dia }) => dia)}::text[], ${dias.map(({ desde }) => desde)}::timestamptz[],
        ${dias.map(({ hasta }) => hasta)}::timestamptz[]) as d (dia, desde, hasta) order by d.dia`
      .execute(db)
      .then(({ rows }) => rows),
    Promise.all(
      ESTADOS.map(async (estado) => {
        const row = await db
          .selectFrom('inscripciones')
          .select('created_at')
          .where('edicion', '=', edicion)
          .where('estado', '=', estado)
          .orderBy('created_at')
          .orderBy('id')
          .limit(1)
          .executeTakeFirst()
        return [estado, row?.created_at] as const
      }),
    ),
  ])
  return { nuevas, porDia, masAntigua: Object.fromEntries(antiguas.filter(([, at]) => at !== undefined)) }
}
