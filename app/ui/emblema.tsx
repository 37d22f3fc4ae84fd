import { unir } from './clases.ts'
import styles from './emblema.module.css'

/** The tiara that is the rising half of a ferris wheel, in the colour of the text around it. */
export function Emblema({ className }: { className?: string | undefined }) {
  return <span className={unir(styles.emblema, className)} aria-hidden="true" />
}
