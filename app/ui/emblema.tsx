import { unir } from './clases.ts'
import styles from './emblema.module.css'

interface Props {
  className?: string | undefined
  /** Large behind the words of a screen that clips it and has a layer of its own (`isolation`). */
  alFondo?: boolean
}

/** The tiara that is the rising half of a ferris wheel, in the colour of the text around it. */
export function Emblema({ className, alFondo = false }: Props) {
  return <span className={unir(styles.emblema, alFondo && styles.fondo, className)} aria-hidden="true" />
}
