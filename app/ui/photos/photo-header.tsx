import type { ReactNode } from 'react'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { Photo, type Picture } from './photo.tsx'
import styles from './photo-header.module.css'

interface Props {
  imagen: Picture
  titulo: string
  /** A line above the title. */
  rotulo?: string
  /** Width of the picture, where `className` changes it. */
  sizes?: string
  /** May set the picture's height and place (custom properties in photo-header.module.css). */
  className?: string | undefined
  children?: ReactNode
}

const WIDTH = '(max-width: 700px) 92vw, (max-width: 900px) max(100vw, 90vh), max(64vw, 40vh)'

/** A photograph across the whole width with the screen's title on it, at the head of a form's screen. */
export function PhotoHeader({ imagen, titulo, rotulo, sizes = WIDTH, className, children }: Props) {
  return (
    <header className={joinClasses(styles.franja, className)}>
      <Photo imagen={imagen} sizes={sizes} className={styles.foto} primera />
      <div className={styles.palabras}>
        {rotulo && <p className={styles.rotulo}>{rotulo}</p>}
        <h1>{titulo}</h1>
        {children}
      </div>
    </header>
  )
}
