import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './emblem.module.css'

interface Props {
  className?: string | undefined
  /** Large, behind a screen's text. The screen has to clip it and to be a stacking context (`isolation`). */
  isBackground?: boolean
}

/** Draws the emblem, a tiara that is the upper half of a Ferris wheel, in the colour of the text. */
export function Emblem({ className, isBackground = false }: Props) {
  return <span className={joinClasses(styles.emblem, isBackground && styles.backdrop, className)} aria-hidden="true" />
}
