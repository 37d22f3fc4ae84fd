import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './fair-drawings.module.css'

interface Props {
  className?: string | undefined
}

const CABIN_KEYS = [...'abcdefghijkl']

/** Draws a Ferris wheel that turns slowly, with upright cabins. `className` sets its width. */
export const FerrisWheel = ({ className }: Props) => (
  <span className={joinClasses(styles.wheel, className)} aria-hidden="true">
    <span className={styles.rim}>
      {CABIN_KEYS.map((cabin) => (
        <i key={cabin} />
      ))}
    </span>
  </span>
)

export const Firework = ({ className }: Props) => (
  <span className={joinClasses(styles.firework, className)} aria-hidden="true" />
)

export const Agave = ({ className }: Props) => (
  <span className={joinClasses(styles.agave, className)} aria-hidden="true" />
)
