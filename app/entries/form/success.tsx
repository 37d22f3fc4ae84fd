import type { ReactNode, Ref } from 'react'
import { Enlace } from '#app/ui/links/link.tsx'
import styles from './success.module.css'

/** @source §8 */
const SUCCESS = 'Registro exitoso.'

interface Props {
  folio: string
  /** What happens next. */
  texto: string
  /** The ways to keep the folio. */
  children?: ReactNode
  /** Takes the focus, and so the person, once it is in. */
  ref?: Ref<HTMLDivElement>
}

/** A registration is in: its folio, on a sash under the fair's lights. */
export const Success = ({ folio, texto, children, ref }: Props) => (
  <div className={styles.exito} ref={ref} tabIndex={-1}>
    <div>
      {/* Alone in its live region, so that nothing else is read aloud with it. */}
      <p role="status">{SUCCESS}</p>
      <p>{texto}</p>
      <p className={styles.banda}>
        <span>
          Tu folio: <strong>{folio}</strong>
        </span>
      </p>
      {children}
      <p>
        Guárdalo: con él <Enlace to={`/folio#${folio}`}>consultas cómo va tu registro</Enlace>.
      </p>
    </div>
  </div>
)
