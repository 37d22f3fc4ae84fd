import { Outlet, useLocation } from 'react-router'
import { accountsOf, organiserOf } from '#app/accounts/guards.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { NO_MAIL_SERVER_MESSAGE } from '#app/entries/letters/schema.ts'
import type { Route } from './+types/results-shell.page'
import { Notices } from './notices.tsx'
import styles from './shell.module.css'
import { readPanelShell } from './shell.server.ts'
import { PanelShell } from './shell.tsx'
import { readVotingMail } from './voting-mail.server.ts'

/**
 * Shows the results within the panel's shell to organisers whose session still opens the results, although the results' URL is
 * outside the panel, with the notices about mail and voting codes; without the shell to other visitors.
 */
export async function loader({ request, context }: Route.LoaderArgs) {
  const session = await organiserOf(request, accountsOf(context), 'resultados')
  if (!session || session.remainingResultsAccessMs <= 0) return null
  // If the shell's data cannot be read, the results are shown without it.
  return Promise.all([
    readPanelShell(request, context, session.role),
    readVotingMail(servicesOf(context).services),
  ]).then(
    ([{ shell }, { hasMailServer, notices }]) => ({
      shell,
      notices: hasMailServer ? notices : [...notices, NO_MAIL_SERVER_MESSAGE],
    }),
    () => null,
  )
}

export default function ResultsShellPage({ loaderData }: Route.ComponentProps) {
  const { pathname } = useLocation()
  if (!loaderData) return <Outlet />
  return (
    <PanelShell {...loaderData.shell} hasOwnSignOut>
      <div className={styles.results}>
        <Notices notices={loaderData.notices} hasSecondFactorHint={false} pathname={pathname} />
        <Outlet />
      </div>
    </PanelShell>
  )
}
