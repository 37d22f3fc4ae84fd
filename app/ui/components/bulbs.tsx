import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './bulbs.module.css'

/** Draws a row of bulbs, some of them lit. It is hidden from screen readers: text nearby must say the same. */
export const Bulbs = ({ lit, total, className }: { lit: number; total: number; className?: string | undefined }) => (
  <span className={joinClasses(styles.bulbs, className)} aria-hidden="true">
    {Array.from({ length: total }, (_, index) => (
      <i key={index} className={joinClasses(index < lit && styles.lit)} />
    ))}
  </span>
)
