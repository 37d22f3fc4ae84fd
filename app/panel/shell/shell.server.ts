import type { RouterContextProvider } from 'react-router'
import { may } from '#app/accounts/rules.ts'
import type { Role } from '#app/accounts/schema.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { countEntries } from '#app/entries/data.server.ts'
import { readChosenEdition } from '#app/panel/guards.server.ts'
import type { PanelShellData } from './shell.tsx'

/** Reads the data of the panel's shell, and the entry counts, which are undefined for a role that may not see entries. */
export async function readPanelShell(request: Request, context: Readonly<RouterContextProvider>, role: Role | null) {
  const { year, editions } = await readChosenEdition(request, context)
  const entryCounts = may(role, 'inscripciones') ? await countEntries(servicesOf(context).services.db, year) : undefined
  const entryCount =
    entryCounts &&
    Object.values(entryCounts)
      .flatMap((byState) => Object.values(byState))
      .reduce((sum, count) => sum + count, 0)
  const shell: PanelShellData = {
    year,
    role,
    hasOtherEditions: editions.length > 1,
    entryCount,
    isAccountOnly: false,
  }
  return { shell, entryCounts }
}
