import type { ReactNode } from 'react'
import styles from './encabezado.module.css'

interface Props {
  rotulo: string
  titulo: string
  children: ReactNode
}

/** How a press page begins: what it is, and on what terms its pictures are given. */
export function Encabezado({ rotulo, titulo, children }: Props) {
  return (
    <div className={styles.encabezado}>
      <div>
        <p className={styles.rotulo}>{rotulo}</p>
        <h1>{titulo}</h1>
      </div>
      <div className={styles.terminos}>{children}</div>
    </div>
  )
}
