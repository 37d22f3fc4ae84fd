import { memo } from 'react'
import { eventStateOf, listCurrentEvents, type ProgrammeDay } from '#app/cms/programme.ts'
import { Icon } from '#app/ui/components/icons.tsx'
import { Sash } from '#app/ui/ornaments/sash.tsx'
import { Photo, type Picture } from '#app/ui/photos/photo.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './day.module.css'

const CalendarIcon = () => (
  <Icon>
    <path d="M4 6.5h16V20H4zM4 10.5h16M8.5 4v4M15.5 4v4M12 12.8v5m-2.5-2.5h5" />
  </Icon>
)

interface Props extends ProgrammeDay {
  weekday: string
  day: number
  month: string
  /** The site's time; undefined on other days than today. */
  now: Date | undefined
  isToday?: boolean
  /** Whether the day is over, so that none of its events can be added to a calendar. */
  isPast: boolean
  /** Whether the screen shows the day's events. If it is undefined, they are shown only if the URL's hash leads to the day. */
  isOpen: boolean | undefined
  onToggle: (change: { date: string; isOpen: boolean }) => void
  /** Background picture of the night of the final. */
  plaza: Picture
}

/** Renders one day of the fair and its events; the night of the final stands out. */
export const Day = memo(function Day({
  fecha,
  titulo,
  weekday,
  day,
  month,
  eventos,
  now,
  isToday = false,
  isPast,
  isOpen,
  onToggle,
  plaza,
}: Props) {
  const isFinal = eventos.some(({ isFinal }) => isFinal)
  const currentEvents = now ? listCurrentEvents({ eventos }, now) : []
  const otherCount = eventos.length - 1
  return (
    <section
      id={`dia-${fecha}`}
      data-open={isOpen}
      className={joinClasses(styles.day, isFinal && styles.final, isToday && styles.today, !isOpen && styles.folded)}
    >
      {isFinal && <Photo picture={plaza} sizes="100vw" className={styles.plaza} />}
      <header className={styles.sheet}>
        <h2>
          <span className={styles.weekday}>{weekday}</span> <span className={styles.number}>{day}</span>{' '}
          <span className={styles.month}>de {month}</span>
        </h2>
        {titulo && !isFinal && <p className={styles.title}>{titulo}</p>}
        {titulo && isFinal && <Sash className={styles.sash}>{titulo}</Sash>}
        {!titulo && (
          <p
            className={styles.gist}
          >{`${eventos[0]?.que ?? ''}${otherCount > 0 ? ` y\u00a0${otherCount}\u00a0más` : ''}`}</p>
        )}
        <button
          type="button"
          className={styles.fold}
          aria-expanded={isOpen === true}
          aria-label={`${weekday} ${day} de ${month}`}
          onClick={() => onToggle({ date: fecha, isOpen: isOpen !== true })}
        />
      </header>
      <ol className={styles.events}>
        {eventos.map((event) => {
          const { id, hora, termina, que, lugar, quien, nota, startsAt } = event
          const state = now && eventStateOf(event, now)
          const mark = currentEvents.find((currentEvent) => currentEvent.event === event)?.label
          return (
            <li
              key={id}
              id={id}
              className={joinClasses(styles.event, event.isFinal && styles.coronation, state === 'over' && styles.past)}
            >
              <p className={styles.time}>
                <time dateTime={startsAt}>{hora}</time>
                {termina && <span> a {termina}</span>}
                {mark && <b className={joinClasses(styles.mark, state !== 'on' && styles.next)}>{mark}</b>}
              </p>
              <div className={styles.what}>
                <h3>{que}</h3>
                <p className={styles.place}>{lugar}</p>
                {quien && <p>{quien}</p>}
                {nota && <p className={styles.note}>{nota}</p>}
              </div>
              {!isPast && state !== 'over' && (
                <a href={`/programa/${id}.ics`} className={styles.add} aria-label={`Agregar al calendario: ${que}`}>
                  <CalendarIcon />
                  <span>Agregar al calendario</span>
                </a>
              )}
            </li>
          )
        })}
      </ol>
    </section>
  )
})
