import type { ReactNode } from 'react'
import { Foto, type Imagen } from './foto.tsx'
import styles from './franja.module.css'

interface Props {
  imagen: Imagen
  titulo: string
  children?: ReactNode
}

/** A photograph across the whole width with the screen's name on it, at the head of a form's screen. */
export function Franja({ imagen, titulo, children }: Props) {
  return (
    <header className={styles.franja}>
      <Foto
        imagen={imagen}
        sizes="(max-width: 700px) 92vw, (max-width: 900px) max(100vw, 90vh), max(64vw, 40vh)"
        className={styles.foto}
        primera
      />
      <div className={styles.palabras}>
        <h1>{titulo}</h1>
        {children}
      </div>
    </header>
  )
}
