import { LLAMADOS } from '#app/cms/settings/rules.ts'
import { usePeriodos } from '#app/cms/settings/use-periods.ts'
import { Enlace } from '#app/ui/links/link.tsx'
import { buttonLook } from '#app/ui/primitives/button.tsx'
import { unir } from '#app/ui/styles/class-names.ts'
import styles from './call-to-action.module.css'

/**
 * The one thing that the site asks of whoever comes, by the site's clock. Its place is kept until that is known; without
 * JavaScript, and where nobody can say, the candidates are what there is to meet.
 */
export function Llamado() {
  const periodos = usePeriodos()
  const { que, resta } = periodos?.llamado ?? { que: 'conocer-candidatas', resta: undefined }
  const { a, texto } = LLAMADOS[que]
  return (
    <p className={styles.llamado} data-sabido={periodos !== undefined || undefined}>
      <Enlace to={a} prefetch="none" className={unir(buttonLook(), styles.accion)}>
        {texto}
      </Enlace>{' '}
      {resta && <span className={styles.resta}>{resta}</span>}
    </p>
  )
}
