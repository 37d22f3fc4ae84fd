import type { Database } from '#app/core/db/database.server.ts'
import { entriesMatching, resolveRareText } from '#app/entries/data.server.ts'
import { MAX_SELECTED_ENTRIES, readFilter } from './rules.ts'

interface ChosenEntries {
  ids: number[]
  /** Number of chosen entries beyond the maximum of one action. */
  leftOutCount: number
}

/**
 * Reads the ids of the entries that an organiser chose: the ticked entries or, with `todas`, the newest entries of the filtered
 * list.
 */
export async function readChosenIds(
  db: Database,
  params: URLSearchParams,
  edition: number,
  max = MAX_SELECTED_ENTRIES,
): Promise<ChosenEntries> {
  const filter = readFilter(params, edition)
  if (params.get('todas') !== 'si')
    return { ids: filter.ids ?? [], leftOutCount: Math.max(0, params.getAll('id').length - max) }
  const rows = await entriesMatching(db, await resolveRareText(db, filter))
    .select('inscripciones.id')
    .execute()
  const ids = rows.map(({ id }) => id)
  return { ids: ids.slice(0, max), leftOutCount: Math.max(0, ids.length - max) }
}
