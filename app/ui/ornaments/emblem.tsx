import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './emblem.module.css'

interface Props {
  className?: string | undefined
  /**
   * Whether it stands large behind the words of a screen, which has to clip it and have a layer of its own
   * (`isolation`).
   */
  alFondo?: boolean
}

/** The emblem, a tiara that is the rising half of a ferris wheel, in the colour of the text around it. */
export function Emblem({ className, alFondo = false }: Props) {
  return <span className={joinClasses(styles.emblema, alFondo && styles.fondo, className)} aria-hidden="true" />
}
