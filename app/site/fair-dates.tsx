import { usePeriods, usePhase } from '#app/cms/edition-settings/use-periods.ts'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './fair-dates.module.css'

const VERBS = { antes: 'será', durante: 'es', despues: 'fue' }

interface Props {
  /** The days of the fair, as «del 12 al 28 de septiembre». */
  dayRange: string
  /** Whether to show today's current and next event while the fair is on. */
  showsEvents?: boolean
  className?: string | undefined
}

/** Renders when the fair is, was or will be, with a link to its programme. */
export function FairDates({ dayRange, showsEvents = false, className }: Props) {
  const fairState = usePhase()?.feria ?? 'durante'
  const events = usePeriods()?.hoy
  return (
    <div className={joinClasses(styles.when, className)}>
      <p>
        {`La feria ${VERBS[fairState]} ${dayRange}.`} <a href="/programa">Ver el programa</a>
      </p>
      {showsEvents && fairState === 'durante' && (
        <p className={styles.events}>
          {events && events.length > 0 && <strong>Hoy en la feria</strong>}
          {events?.slice(0, 2).map(({ marca, hora, que, lugar }) => (
            <span
              key={`${marca} ${hora} ${que}`}
            >{`${marca === 'Ahora' ? marca : `${marca}, a las ${hora}`}: ${que}, ${lugar}`}</span>
          ))}
        </p>
      )}
    </div>
  )
}
