import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import { entriesMatching, resolveRareText } from './data.server.ts'
import { type EntryFilter, type Neighbour, type Neighbours, WAITING_STATES } from './schema.ts'

/**
 * Reads the neighbours of an entry in the order of a filtered list; the entry itself may have dropped out of the list. A
 * deleted entry has no neighbours. Without a search text, PostgreSQL can walk the list's index from the entry to each neighbour.
 */
export async function readNeighbours(db: Database, filter: EntryFilter, id: number): Promise<Neighbours> {
  const edge = await db
    .selectFrom('inscripciones')
    .select(sql<string>`created_at::text`.as('at'))
    .where('id', '=', id)
    .executeTakeFirst()
  if (!edge) return { previous: undefined, next: undefined, nextWaiting: undefined }
  const resolvedFilter = await resolveRareText(db, filter)
  const findFirst = async (
    narrowedFilter: EntryFilter,
    sign?: '<' | '>',
  ): Promise<(Neighbour & { at: Date }) | undefined> => {
    let query = entriesMatching(db, narrowedFilter)
      .select(['id', 'titular', 'created_at as at'])
      .where('id', '<>', id)
      .limit(1)
    if (sign)
      query = query.where(
        sql<boolean>`(inscripciones.created_at, inscripciones.id) ${sql.raw(sign)} (${edge.at}::timestamptz, ${id}::bigint)`,
      )
    if (sign === '>') query = query.clearOrderBy().orderBy('inscripciones.created_at').orderBy('inscripciones.id')
    return query.executeTakeFirst()
  }
  // With a filter on one waiting state, the next waiting entry has that state, too; a filter on another state is ignored.
  const states = WAITING_STATES.filter((state) => state === filter.state)
  const findWaiting = async (sign?: '<') => {
    const firstOfEachState = await Promise.all(
      (states.length > 0 ? states : WAITING_STATES).map((state) => findFirst({ ...resolvedFilter, state }, sign)),
    )
    return firstOfEachState
      .filter((neighbour) => neighbour !== undefined)
      .toSorted((a, b) => b.at.getTime() - a.at.getTime() || b.id - a.id)[0]
  }
  const [previous, next, waitingBelow] = await Promise.all([
    findFirst(resolvedFilter, '>'),
    findFirst(resolvedFilter, '<'),
    findWaiting('<'),
  ])
  const nextWaiting = waitingBelow ?? (await findWaiting())
  return { previous: toNeighbour(previous), next: toNeighbour(next), nextWaiting: toNeighbour(nextWaiting) }
}

/** Leaves out the moment, which only orders the neighbours. */
const toNeighbour = (row: Neighbour | undefined): Neighbour | undefined => row && { id: row.id, titular: row.titular }
