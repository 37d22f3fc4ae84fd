import type { ReactNode } from 'react'
import { Enlace } from '#app/ui/enlace.tsx'
import styles from './encabezado.module.css'

interface Props {
  titulo: string
  /** The other press page. */
  otra: { a: string; titulo: string }
  children: ReactNode
}

/** The head of a press page: its title, and the terms on which its pictures are given. */
export function Encabezado({ titulo, otra, children }: Props) {
  return (
    <div className={styles.encabezado}>
      <div>
        <p className={styles.rotulo}>Material para prensa</p>
        <h1>{titulo}</h1>
        <p className={styles.otra}>
          También: <Enlace to={otra.a}>{otra.titulo}</Enlace>
        </p>
      </div>
      <div className={styles.terminos}>{children}</div>
    </div>
  )
}
