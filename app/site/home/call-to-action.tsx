import { CALLS_TO_ACTION } from '#app/cms/settings/rules.ts'
import { usePeriods } from '#app/cms/settings/use-periods.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import { buttonLook } from '#app/ui/primitives/button.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './call-to-action.module.css'

/**
 * The one thing that the site asks of whoever comes, by the site's clock. Its place is kept until that is known; without
 * JavaScript, and where nobody can say, the candidates are what there is to meet.
 */
export function CallToAction() {
  const periods = usePeriods()
  const { que, resta } = periods?.llamado ?? { que: 'conocer-candidatas', resta: undefined }
  const { a, texto } = CALLS_TO_ACTION[que]
  return (
    <p className={styles.llamado} data-sabido={periods !== undefined || undefined}>
      <Enlace to={a} prefetch="none" className={joinClasses(buttonLook(), styles.accion)}>
        {texto}
      </Enlace>{' '}
      {resta && <span className={styles.resta}>{resta}</span>}
    </p>
  )
}
