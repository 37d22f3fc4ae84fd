import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './bulbs.module.css'

/** Shows how many of a row of bulbs are lit; a text beside the bulbs says the same. */
export const Bulbs = ({ lit, total, className }: { lit: number; total: number; className?: string | undefined }) => (
  <span className={joinClasses(styles.bulbs, className)} aria-hidden="true">
    {Array.from({ length: total }, (_, at) => (
      <i key={at} className={joinClasses(at < lit && styles.lit)} />
    ))}
  </span>
)
