import { useLocation } from 'react-router'
import { CALLS_TO_ACTION } from '#app/cms/edition-settings/rules.ts'
import { usePhase } from '#app/cms/edition-settings/use-periods.ts'
import { Link } from '#app/ui/navigation/link.tsx'
import styles from './vote-bar.module.css'

/** Renders, on phones, the link to the open vote at the foot of every public screen without a form. */
export function VoteBar() {
  const { pathname } = useLocation()
  const callToAction = usePhase()?.llamado
  const { path } = CALLS_TO_ACTION.votar
  if (callToAction?.que !== 'votar' || pathname === path) return null
  return (
    <aside className={styles.bar} data-path={pathname} aria-label="Votación">
      <Link to={path} prefetch="none">
        {/* «Quedan 5 días para votar» is too long beside «Votar», and would say «votar» twice. */}
        <span>{callToAction.resta?.replace(' para votar', '')}</span>
        <span className="visually-hidden"> · </span>
        <b>Votar</b>
      </Link>
    </aside>
  )
}
