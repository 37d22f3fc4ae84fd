import { LLAMADOS } from '#app/ajustes/rules.ts'
import { usePeriodos } from '#app/ajustes/use-periodos.ts'
import { buttonLook } from '#app/ui/button.tsx'
import { unir } from '#app/ui/clases.ts'
import { Enlace } from '#app/ui/enlace.tsx'
import styles from './llamado.module.css'

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
