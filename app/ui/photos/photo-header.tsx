import type { ReactNode } from 'react'
import { unir } from '#app/ui/styles/class-names.ts'
import { Foto, type Imagen } from './photo.tsx'
import styles from './photo-header.module.css'

interface Props {
  imagen: Imagen
  titulo: string
  /** A line above the name. */
  rotulo?: string
  /** The width that the picture takes, where the class says another one. */
  sizes?: string
  /** May say how tall the picture is, and where it stands (franja.module.css). */
  className?: string | undefined
  children?: ReactNode
}

const ANCHO = '(max-width: 700px) 92vw, (max-width: 900px) max(100vw, 90vh), max(64vw, 40vh)'

/** A photograph across the whole width with the screen's name on it, at the head of a form's screen. */
export function Franja({ imagen, titulo, rotulo, sizes = ANCHO, className, children }: Props) {
  return (
    <header className={unir(styles.franja, className)}>
      <Foto imagen={imagen} sizes={sizes} className={styles.foto} primera />
      <div className={styles.palabras}>
        {rotulo && <p className={styles.rotulo}>{rotulo}</p>}
        <h1>{titulo}</h1>
        {children}
      </div>
    </header>
  )
}
