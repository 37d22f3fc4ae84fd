import type { ReactNode } from 'react'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { Photo, type Picture } from './photo.tsx'
import styles from './photo-header.module.css'

interface Props {
  picture: Picture
  title: string
  /** The kicker is a line above the title. */
  kicker?: ReactNode
  /** The picture has this width, where `className` changes it. */
  sizes?: string
  /** The class may set the picture's height and place (custom properties in photo-header.module.css). */
  className?: string | undefined
  children?: ReactNode
}

const DEFAULT_SIZES = '(max-width: 640px) 92vw, (max-width: 900px) max(100vw, 90vh), max(64vw, 40vh)'

/** Shows a photograph across the whole width with the screen's title on it, at the head of a form's screen. */
export function PhotoHeader({ picture, title, kicker, sizes = DEFAULT_SIZES, className, children }: Props) {
  return (
    <header className={joinClasses(styles.strip, className)}>
      <Photo picture={picture} sizes={sizes} className={styles.photo} isFirst />
      <div className={styles.words}>
        {kicker && <p className={styles.label}>{kicker}</p>}
        <h1>{title}</h1>
        {children}
      </div>
    </header>
  )
}
