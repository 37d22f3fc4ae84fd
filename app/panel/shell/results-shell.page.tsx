import { Outlet } from 'react-router'
import { accountsOf, organiserOf } from '#app/accounts/guards.server.ts'
import type { Route } from './+types/results-shell.page'
import styles from './shell.module.css'
import { readPanelShell } from './shell.server.ts'
import { PanelShell } from './shell.tsx'

/**
 * Shows the results within the panel's shell to organisers whose session still opens the results, although their URL is outside the
 * panel; without the shell to other visitors.
 */
export async function loader({ request, context }: Route.LoaderArgs) {
  const session = await organiserOf(request, accountsOf(context), 'resultados')
  if (!session || session.remainingResultsAccessMs <= 0) return null
  // If the shell's data cannot be read, the results are shown without it.
  return readPanelShell(request, context, session.role).then(
    ({ shell }) => shell,
    () => null,
  )
}

export default function ResultsShellPage({ loaderData }: Route.ComponentProps) {
  if (!loaderData) return <Outlet />
  return (
    <PanelShell {...loaderData} hasOwnSignOut>
      <div className={styles.results}>
        <Outlet />
      </div>
    </PanelShell>
  )
}
