import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './fair-drawings.module.css'

interface Props {
  className?: string | undefined
}

const CABINS = [...'abcdefghijkl']

/** A ferris wheel that turns slowly; its cabins hang upright. As wide as its class says. */
export const FerrisWheel = ({ className }: Props) => (
  <span className={joinClasses(styles.rueda, className)} aria-hidden="true">
    <span className={styles.aro}>
      {CABINS.map((cabin) => (
        <i key={cabin} />
      ))}
    </span>
  </span>
)

/** A firework, open. */
export const Firework = ({ className }: Props) => (
  <span className={joinClasses(styles.cohete, className)} aria-hidden="true" />
)

/** An agave of the fields around the town. */
export const Agave = ({ className }: Props) => (
  <span className={joinClasses(styles.agave, className)} aria-hidden="true" />
)
