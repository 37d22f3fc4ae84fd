import type { RouterContextProvider } from 'react-router'
import { may } from '#app/accounts/rules.ts'
import type { Role } from '#app/accounts/schema.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { countEntries } from '#app/entries/data.server.ts'
import { readChosenEdition } from '#app/panel/guards.server.ts'
import type { PanelFrameData } from './frame.tsx'

/** Reads the panel's frame for an organiser, and the numbers of entries; undefined where the role may not see entries. */
export async function readPanelFrame(request: Request, context: Readonly<RouterContextProvider>, role: Role | null) {
  const { year, editions } = await readChosenEdition(request, context)
  const counts = may(role, 'inscripciones') ? await countEntries(servicesOf(context).services.db, year) : undefined
  const entries =
    counts &&
    Object.values(counts)
      .flatMap((byState) => Object.values(byState))
      .reduce((sum, count) => sum + count, 0)
  const frame: PanelFrameData = {
    year,
    role,
    hasOtherEditions: editions.length > 1,
    entryCount: entries,
    isAccountOnly: false,
  }
  return { frame, counts }
}
