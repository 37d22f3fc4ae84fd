import { sql } from 'kysely'
import type { Database } from '#app/platform/database.server.ts'
import { noSeBorra } from './data.server.ts'
import { ESTADOS, type EstadoInscripcion } from './schema.ts'

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
const ZONA = 'America/Mexico_City'

/** @param desde since when an entry is new; null: none is */
export async function readPulso(db: Database, edicion: number, desde: Date | null, now: Date): Promise<Pulso> {
  const [nuevas, dias, antiguas] = await Promise.all([
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
      select d::date::text as dia, (
        select count(*)::int from inscripciones where edicion = ${edicion}
          and created_at >= d at time zone ${ZONA} and created_at < (d + interval '1 day') at time zone ${ZONA}
      ) as cuantas
      from generate_series(date_trunc('day', ${now}::timestamptz at time zone ${ZONA}) - interval '${sql.raw(String(DIAS - 1))} days',
        date_trunc('day', ${now}::timestamptz at time zone ${ZONA}), interval '1 day') d order by d`
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
  return { nuevas, porDia: dias, masAntigua: Object.fromEntries(antiguas.filter(([, at]) => at !== undefined)) }
}
