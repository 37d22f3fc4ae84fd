import type { ReactNode, Ref } from 'react'
import { Link } from '#app/ui/navigation/link.tsx'
import styles from './registration-success.module.css'

/** The sentence of §8, word for word. */
const SUCCESS_MESSAGE = 'Registro exitoso.'

interface Props {
  folio: string
  text: string
  /** Buttons that copy, save or share the folio. */
  children?: ReactNode
  /** List of the documents to bring, for the printed page. */
  whatToBring?: ReactNode
  /** The success panel, which takes the focus. */
  ref?: Ref<HTMLDivElement>
}

/** Shows that a registration was received, with its folio. */
export const RegistrationSuccess = ({ folio, text, children, whatToBring, ref }: Props) => (
  // After a submission without JavaScript the URL's fragment scrolls the page to this id.
  <div className={styles.success} id="resultado" ref={ref} tabIndex={-1}>
    <div>
      {/* The sentence is alone in its live region, so that a screen reader announces nothing else. */}
      <p role="status">{SUCCESS_MESSAGE}</p>
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
