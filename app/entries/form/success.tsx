import type { ReactNode, Ref } from 'react'
import { Link } from '#app/ui/navigation/link.tsx'
import styles from './success.module.css'

/** @source §8 */
const SUCCESS = 'Registro exitoso.'

interface Props {
  folio: string
  /** Text about the next steps. */
  text: string
  /** Controls to keep the folio. */
  children?: ReactNode
  /** The panel, which takes the focus after success. */
  ref?: Ref<HTMLDivElement>
}

/** Success panel: the folio of a received registration, on a sash under the fair's lights. */
export const Success = ({ folio, text, children, ref }: Props) => (
  <div className={styles.success} ref={ref} tabIndex={-1}>
    <div>
      {/* Alone in its live region, so that nothing else is read aloud with it. */}
      <p role="status">{SUCCESS}</p>
      <p>{text}</p>
      <p className={styles.sash}>
        <span>
          Tu folio: <strong>{folio}</strong>
        </span>
      </p>
      {children}
      <p>
        Guárdalo: con él <Link to={`/folio#${folio}`}>consultas cómo va tu registro</Link>.
      </p>
    </div>
  </div>
)
