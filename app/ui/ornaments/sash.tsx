import type { ReactNode } from 'react'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './sash.module.css'

interface Props {
  as?: 'h1' | 'h2' | 'h3' | 'p'
  id?: string
  className?: string | undefined
  children: ReactNode
}

/** Renders a satin sash with a name on it, tilted by three degrees. The screen places it. */
export function Sash({ as: MarkupElement = 'p', id, className, children }: Props) {
  return (
    <MarkupElement id={id} className={joinClasses(styles.sash, className)}>
      <span>{children}</span>
    </MarkupElement>
  )
}
