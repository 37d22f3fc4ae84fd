import { checkLoginWall } from '#app/accounts/sign-in/login-wall.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { useAutoRefresh } from '#app/finals/judging-table/use-auto-refresh.ts'
import { loadForOpening, readFinalRecord } from '#app/finals/record/data.server.ts'
import { Button } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import type { Route } from './+types/presenter-card.page'
import styles from './presenter-card.module.css'
import { type PresenterCard, presenterCardOf } from './rules.ts'

const ALTERED_CARD: PresenterCard = {
  label: 'La final',
  title: 'Pregunta en la mesa',
  names: [],
  hint: 'El acta tiene una diferencia: no digas ningún nombre hasta que la mesa lo aclare.',
}

export async function loader({ request, context }: Route.LoaderArgs) {
  const access = await checkLoginWall(request, context, 'final')
  if (!access.isOpen) return null
  const { edition } = await loadForOpening()
  const { state, firstAltered } = await readFinalRecord(servicesOf(context).services, edition)
  return firstAltered === undefined ? presenterCardOf(state.final) : ALTERED_CARD
}

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Tarjeta de quien conduce' }, args)

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

/** Shows the presenter of the final what to say now, in letters that can be read at arm's length. */
export default function PresenterCardPage({ loaderData }: Route.ComponentProps) {
  useAutoRefresh()
  if (!loaderData) return null
  const { label, title, names, hint } = loaderData
  return (
    <article className={styles.card}>
      <p className={styles.tools}>
        <Link to="/organizadores/final">Volver a la mesa</Link>
        <Button look="quiet" onClick={() => print()}>
          Imprimir
        </Button>
      </p>
      <header aria-live="polite">
        <p className={styles.label}>{label}</p>
        <h1>{title}</h1>
        <p>{hint}</p>
      </header>
      {names.length > 0 && (
        <ol className={styles.names}>
          {names.map(({ name, note }) => (
            <li key={name}>
              <span>{note}</span> <b>{name}</b>
            </li>
          ))}
        </ol>
      )}
    </article>
  )
}
