import { usePeriods } from '#app/cms/edition-settings/use-periods.ts'
import { Firework } from '#app/ui/ornaments/fair-drawings.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './sky.module.css'

/**
 * Renders the fair sky of the current hour over the hero's picture, once it is known. With reduced motion the stylesheet hides it.
 */
export function Sky() {
  const fairSky = usePeriods()?.ambiente
  if (!fairSky) return null
  return (
    <div className={joinClasses(styles.sky, styles[fairSky])} aria-hidden="true" data-sky={fairSky}>
      {fairSky === 'fuegos' && (
        <>
          <Firework className={styles.rocket} />
          <Firework className={styles.rocket} />
          <Firework className={styles.rocket} />
        </>
      )}
    </div>
  )
}
