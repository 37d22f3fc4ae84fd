import type { ReactNode, Ref } from 'react'
import { Banda } from '#app/ui/banda.tsx'
import { Enlace } from '#app/ui/enlace.tsx'
import styles from './exito.module.css'

/** @source §8 */
const EXITO = 'Registro exitoso.'

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
export const Exito = ({ folio, texto, children, ref }: Props) => (
  <div className={styles.exito} ref={ref} tabIndex={-1}>
    <div className={styles.gala}>
      {/* Alone in its live region, so that nothing else is read aloud with it. */}
      <p className={styles.titulo} role="status">
        {EXITO}
      </p>
      <p className={styles.texto}>{texto}</p>
      <Banda className={styles.banda}>
        Tu folio: <strong>{folio}</strong>
      </Banda>
      {children}
      <p className={styles.texto}>
        Guárdalo: con él <Enlace to={`/folio#${folio}`}>consultas cómo va tu registro</Enlace>.
      </p>
    </div>
  </div>
)
