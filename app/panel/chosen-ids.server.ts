import type { Database } from '#app/core/db/database.server.ts'
import { entriesMatching, resolveRareText } from '#app/entries/data.server.ts'
import { MAX_IDS, readFilter } from './rules.ts'

/** Reads which entries an organiser chose in the list: the ticked ones or, with `todas`, the newest MAX_IDS of the filtered list. */
export async function readChosenIds(db: Database, params: URLSearchParams, edition: number): Promise<number[]> {
  const filter = readFilter(params, edition)
  if (params.get('todas') !== 'si') return filter.ids ?? []
  const rows = await entriesMatching(db, await resolveRareText(db, filter))
    .select('inscripciones.id')
    .limit(MAX_IDS)
    .execute()
  return rows.map(({ id }) => id)
}
