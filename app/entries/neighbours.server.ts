import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import { inscripcionesDe, withHits } from './data.server.ts'
import { ESTADOS_EN_ESPERA, type Filtro, type Vecina, type Vecinas } from './schema.ts'

/**
 * Where one goes from an entry, in the order of the list that a filter makes; the entry itself need not be in it any more.
 * Each is found by the list's own index, however many entries there are.
 */
export async function readVecinas(db: Database, filtro: Filtro, id: number): Promise<Vecinas> {
  const edge = await db
    .selectFrom('inscripciones')
    .select(sql<string>`created_at::text`.as('at'))
    .where('id', '=', id)
    .executeTakeFirst()
  if (!edge) return { anterior: undefined, siguiente: undefined, espera: undefined }
  const found = await withHits(db, filtro)
  const first = async (which: Filtro, sign?: '<' | '>'): Promise<(Vecina & { at: Date }) | undefined> => {
    let query = inscripcionesDe(db, which).select(['id', 'titular', 'created_at as at']).where('id', '<>', id).limit(1)
    if (sign)
      query = query.where(
        sql<boolean>`(inscripciones.created_at, inscripciones.id) ${sql.raw(sign)} (${edge.at}::timestamptz, ${id}::bigint)`,
      )
    if (sign === '>') query = query.clearOrderBy().orderBy('inscripciones.created_at').orderBy('inscripciones.id')
    return query.executeTakeFirst()
  }
  // Whoever looks at one kind of those that wait goes on with that kind.
  const estados = ESTADOS_EN_ESPERA.filter((estado) => estado === filtro.estado)
  const waiting = async (sign?: '<') => {
    const each = await Promise.all(
      (estados.length > 0 ? estados : ESTADOS_EN_ESPERA).map((estado) => first({ ...found, estado }, sign)),
    )
    return each.filter((one) => one !== undefined).toSorted((a, b) => b.at.getTime() - a.at.getTime() || b.id - a.id)[0]
  }
  const [anterior, siguiente, further] = await Promise.all([first(found, '>'), first(found, '<'), waiting('<')])
  const espera = further ?? (await waiting())
  return { anterior: plain(anterior), siguiente: plain(siguiente), espera: plain(espera) }
}

const plain = (one: Vecina | undefined): Vecina | undefined => one && { id: one.id, titular: one.titular }
