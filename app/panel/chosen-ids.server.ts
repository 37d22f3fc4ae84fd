import type { Database } from '#app/core/db/database.server.ts'
import { entriesMatching, resolveRareText } from '#app/entries/data.server.ts'
import { MAX_SELECTED_ENTRIES, readFilter } from './rules.ts'

/** Reads the ids of the entries that an organiser chose: the ticked ones or, with `todas`, the newest of the filtered list. */
export async function readChosenIds(db: Database, params: URLSearchParams, edition: number): Promise<number[]> {
  const filter = readFilter(params, edition)
  if (params.get('todas') !== 'si') return filter.ids ?? []
  const rows = await entriesMatching(db, await resolveRareText(db, filter))
    .select('inscripciones.id')
    .limit(MAX_SELECTED_ENTRIES)
    .execute()
  return rows.map(({ id }) => id)
}
