import type { ReactNode, Ref } from 'react'
import { Banner } from '#app/ui/banner.tsx'
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

/** A registration is in: its folio. */
export const Exito = ({ folio, texto, children, ref }: Props) => (
  <div className={styles.exito}>
    <Banner tone="good" message={EXITO} {...(ref ? { ref } : {})}>
      <p>{texto}</p>
      <p className={styles.folio}>
        Tu folio: <strong>{folio}</strong>
      </p>
      {children}
      <p>
        Guárdalo: con él <Enlace to={`/folio#${folio}`}>consultas cómo va tu registro</Enlace>.
      </p>
    </Banner>
  </div>
)
