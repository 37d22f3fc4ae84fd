import type { ReactNode, Ref } from 'react'
import { Link } from '#app/ui/navigation/link.tsx'
import styles from './success.module.css'

/** §8 gives this sentence word for word. */
const SUCCESS = 'Registro exitoso.'

interface Props {
  folio: string
  text: string
  /** Buttons that keep the folio on this device. */
  children?: ReactNode
  /** Says on paper what to bring. */
  whatToBring?: ReactNode
  /** The panel takes the focus after success. */
  ref?: Ref<HTMLDivElement>
}

export const Success = ({ folio, text, children, whatToBring, ref }: Props) => (
  // Without a script the page opens scrolled to this id, as after a refusal.
  <div className={styles.success} id="resultado" ref={ref} tabIndex={-1}>
    <div>
      {/* The sentence is alone in its live region, so that a screen reader reads nothing else with it. */}
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
      {whatToBring}
    </div>
  </div>
)
