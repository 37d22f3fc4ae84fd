import { usePeriodos } from '#app/cms/settings/use-periods.ts'
import { Cohete } from '#app/ui/ornaments/fair-drawings.tsx'
import { unir } from '#app/ui/styles/class-names.ts'
import styles from './sky.module.css'

/** The fair's hour over the hero's picture, by the site's clock. It comes after the first view, and never where motion is not wanted. */
export function Cielo() {
  const ambiente = usePeriodos()?.ambiente
  if (!ambiente) return null
  return (
    <div className={unir(styles.cielo, styles[ambiente])} aria-hidden="true" data-ambiente={ambiente}>
      {ambiente === 'fuegos' && (
        <>
          <Cohete className={styles.cohete} />
          <Cohete className={styles.cohete} />
          <Cohete className={styles.cohete} />
        </>
      )}
    </div>
  )
}
