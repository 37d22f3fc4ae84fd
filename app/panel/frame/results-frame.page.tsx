import { Outlet } from 'react-router'
import { accountsOf, organiserOf } from '#app/accounts/guards.server.ts'
import type { Route } from './+types/results-frame.page'
import styles from './frame.module.css'
import { readPanelFrame } from './frame.server.ts'
import { Frame } from './frame.tsx'

/** Puts the results, whose address is outside the panel, into the panel's frame for signed-in organisers. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const session = await organiserOf(request, accountsOf(context), 'resultados')
  if (!session || session.resultsAccessMs <= 0) return null
  // The results show without the frame where its data cannot be read.
  return readPanelFrame(request, context, session.role).then(
    ({ frame }) => frame,
    () => null,
  )
}

export default function ResultsFrame({ loaderData }: Route.ComponentProps) {
  if (!loaderData) return <Outlet />
  return (
    <Frame {...loaderData} hasOwnSignOut>
      <div className={styles.separate}>
        <Outlet />
      </div>
    </Frame>
  )
}
