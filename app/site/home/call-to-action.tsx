import { CALLS_TO_ACTION } from '#app/cms/edition-settings/rules.ts'
import { usePhase } from '#app/cms/edition-settings/use-periods.ts'
import { buttonLook } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './call-to-action.module.css'

/**
 * Renders the call to action of the edition's phase. Until the phase is known its place is reserved, with a link to the
 * candidates.
 */
export function CallToAction() {
  const phase = usePhase()
  const { que, resta } = phase?.llamado ?? { que: 'conocer-candidatas', resta: undefined }
  const { path, label } = CALLS_TO_ACTION[que]
  return (
    <p className={styles.callToAction} data-known={phase !== undefined || undefined}>
      <Link to={path} prefetch="none" className={joinClasses(buttonLook(), styles.action)}>
        {label}
      </Link>{' '}
      {resta && <span className={styles.remaining}>{resta}</span>}
    </p>
  )
}
