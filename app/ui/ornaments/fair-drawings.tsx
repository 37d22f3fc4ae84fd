import { unir } from '#app/ui/styles/class-names.ts'
import styles from './fair-drawings.module.css'

interface Props {
  className?: string | undefined
}

const CABINAS = [...'abcdefghijkl']

/** A ferris wheel that turns slowly; its cabins hang upright. As wide as its class says. */
export const Rueda = ({ className }: Props) => (
  <span className={unir(styles.rueda, className)} aria-hidden="true">
    <span className={styles.aro}>
      {CABINAS.map((cabina) => (
        <i key={cabina} />
      ))}
    </span>
  </span>
)

/** A firework, open. */
export const Cohete = ({ className }: Props) => <span className={unir(styles.cohete, className)} aria-hidden="true" />

/** An agave of the fields around the town. */
export const Agave = ({ className }: Props) => <span className={unir(styles.agave, className)} aria-hidden="true" />
