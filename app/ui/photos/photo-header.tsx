import type { ReactNode } from 'react'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { Photo, type Picture } from './photo.tsx'
import styles from './photo-header.module.css'

interface Props {
  picture: Picture
  title: string
  /** Line above the title. */
  kicker?: ReactNode
  /** `sizes` of the picture, if `className` changes its width. */
  sizes?: string
  /** Class that may set the picture's height and place by custom properties (photo-header.module.css). */
  className?: string | undefined
  children?: ReactNode
}

const DEFAULT_SIZES = '(max-width: 640px) 92vw, (max-width: 900px) max(100vw, 90vh), max(64vw, 40vh)'

/** Renders the head of a screen, such as a form's: a photograph with the title on it or beside it. */
export function PhotoHeader({ picture, title, kicker, sizes = DEFAULT_SIZES, className, children }: Props) {
  return (
    <header className={joinClasses(styles.header, className)}>
      <Photo picture={picture} sizes={sizes} className={styles.photo} isFirst />
      <div className={styles.text}>
        {kicker && <p className={styles.label}>{kicker}</p>}
        <h1>{title}</h1>
        {children}
      </div>
    </header>
  )
}
