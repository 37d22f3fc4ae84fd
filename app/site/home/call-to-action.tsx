import { CALLS_TO_ACTION } from '#app/cms/edition-settings/rules.ts'
import { usePeriods } from '#app/cms/edition-settings/use-periods.ts'
import { buttonLook } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './call-to-action.module.css'

/**
 * Shows the site's main call to action at this hour, by the site's clock. Its place is reserved until the clock is known. Without
 * JavaScript, and where the clock cannot be known, it leads to the candidates.
 */
export function CallToAction() {
  const periods = usePeriods()
  const { que, resta } = periods?.llamado ?? { que: 'conocer-candidatas', resta: undefined }
  const { path, label } = CALLS_TO_ACTION[que]
  return (
    <p className={styles.callToAction} data-known={periods !== undefined || undefined}>
      <Link to={path} prefetch="none" className={joinClasses(buttonLook(), styles.action)}>
        {label}
      </Link>{' '}
      {resta && <span className={styles.remaining}>{resta}</span>}
    </p>
  )
}
