import { Fragment, startTransition, useEffect, useReducer, useState } from 'react'
import { flushSync } from 'react-dom'
import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { fairDayOf, listCurrentEvents, listProgrammeDays } from '#app/cms/programme.ts'
import { useOffline } from '#app/core/browser-resilience/use-offline.ts'
import { datePartsOf, formatDateRange } from '#app/core/time/mexico-dates.ts'
import { useSiteTime } from '#app/core/time/use-site-time.ts'
import { MessageScreen } from '#app/ui/components/message-screen.tsx'
import { asDecorative, Photo } from '#app/ui/photos/photo.tsx'
import sign from '#app/ui/styles/disclosure.module.css'
import type { Route } from './+types/programme.page'
import { CalendarGrid } from './calendar-grid.tsx'
import { Day } from './day.tsx'
import styles from './programme.module.css'
import { calendarGridOf, daysBetween } from './rules.ts'

export const handle = { prerender: true }

export async function loader() {
  const edition = await loadEdition()
  const { feria, anio, lugar, programa, tarjetas, inicio, historia } = edition
  const days = listProgrammeDays(edition).map((day) => ({ ...day, ...datePartsOf(day.fecha) }))
  return {
    fairName: feria.nombre,
    year: anio,
    townAndState: `${lugar.ciudad}, ${lugar.estado}`,
    dayRange: formatDateRange(feria.inicia, feria.termina),
    firstDay: datePartsOf(feria.inicia),
    lastDay: datePartsOf(feria.termina),
    introduction: programa.entrada,
    calendarGrid: calendarGridOf(days.map(({ fecha }) => fecha)),
    days,
    /** Decorative pictures between the weeks: the home's pictures, from the last on. */
    weekPictures: inicio.galeria.toReversed().map(asDecorative),
    /** Decorative picture behind the final. */
    plaza: asDecorative(historia.hero),
    shareCard: tarjetas.programa,
  }
}

/** Allows a service worker, which keeps the document for offline use (use-offline.ts). */
export const headers: Route.HeadersFunction = () => ({ 'service-worker-allowed': '/programa' })

export const meta: Route.MetaFunction = (args) => {
  const { fairName, year, dayRange, shareCard } = args.loaderData ?? {}
  return pageMeta(
    {
      screen: 'Programa de la feria',
      description: fairName && `Día por día, hora por hora: todo lo que pasa en la ${fairName} ${year}, ${dayRange}.`,
      shareCard,
    },
    args,
  )
}

/** Interval at which the open screen reads the clock. */
const REFRESH_MS = 30_000

/** Returns the current time by the site's clock or, offline without it, by the device's clock; undefined until it is known. */
function useNow(isOffline: boolean): Date | undefined {
  const siteClock = useSiteTime()
  const [now, setNow] = useState<Date>()
  useEffect(() => {
    const clock = siteClock ?? (isOffline ? () => new Date() : undefined)
    if (!clock) return
    // Days that are over move to another place; as a transition, this rendering does not block input.
    const readClock = () => startTransition(() => setNow(clock()))
    readClock()
    const timer = setInterval(readClock, REFRESH_MS)
    return () => clearInterval(timer)
  }, [siteClock, isOffline])
  return now
}

/** Returns whether the screen is being printed. */
function useIsPrinting(): boolean {
  const [isPrinting, setIsPrinting] = useState(false)
  useEffect(() => {
    // The browser prints the page as it is when the listener returns, hence the synchronous rendering.
    const onPrint = ({ type }: Event) => flushSync(() => setIsPrinting(type === 'beforeprint'))
    const events = ['beforeprint', 'afterprint']
    for (const event of events) window.addEventListener(event, onPrint)
    return () => {
      for (const event of events) window.removeEventListener(event, onPrint)
    }
  }, [])
  return isPrinting
}

/**
 * Renders the fair's programme day by day, with today first and the past days folded at the end. On paper the days are in their
 * order. Without days, renders a message.
 */
export default function ProgrammePage({ loaderData }: Route.ComponentProps) {
  const { fairName, year, townAndState, firstDay, lastDay, introduction, calendarGrid, days, weekPictures, plaza } =
    loaderData
  const isOffline = useOffline('/programa', days.length > 0)
  const siteNow = useNow(isOffline)
  const now = useIsPrinting() ? undefined : siteNow
  const todayDate = now && fairDayOf(now)
  const [isPastOpen, setIsPastOpen] = useState(false)
  // Days that the visitor opened or folded, by date. The screen's first day and the final's are open from the start.
  const [isOpenByDate, setDayOpen] = useReducer(withOpenDay, {})
  useEffect(() => {
    const id = location.hash.slice(1)
    const linkedDay = days.find(
      ({ fecha, eventos }) => id === `dia-${fecha}` || eventos.some((event) => event.id === id),
    )
    if (linkedDay) setDayOpen({ date: linkedDay.fecha, isOpen: true })
  }, [days])
  const [firstListedDay, lastListedDay] = [days[0], days.at(-1)]
  if (!firstListedDay || !lastListedDay)
    return (
      <MessageScreen kicker={`${fairName} ${year}`} title="El programa se está afinando">
        <p>Aquí estará, día por día y hora por hora, en cuanto el comité lo tenga completo.</p>
      </MessageScreen>
    )
  const isOver = todayDate !== undefined && todayDate > lastListedDay.fecha
  const today = days.find(({ fecha }) => fecha === todayDate)
  // After the fair the night of the final stays among the open days.
  const pastDays =
    todayDate === undefined
      ? []
      : days.filter(({ fecha, eventos }) => fecha < todayDate && !(isOver && eventos.some(({ isFinal }) => isFinal)))
  const otherDays = days.filter((day) => day !== today && !pastDays.includes(day))
  const dayProps = (day: (typeof days)[number]) => ({
    ...day,
    isOpen:
      isOpenByDate[day.fecha] ??
      (day === (today ?? otherDays[0]) || day.eventos.some(({ isFinal }) => isFinal) || undefined),
    onToggle: setDayOpen,
    isPast: todayDate !== undefined && day.fecha < todayDate,
    plaza,
  })
  return (
    <article className={styles.programme}>
      <header className={styles.cover}>
        <span className={styles.wheel} aria-hidden="true" />
        <div className={styles.headline}>
          <p className={styles.label}>{`${fairName} · ${townAndState}`}</p>
          <h1>Programa de la feria</h1>
          <p className={styles.dates}>
            <span className={styles.numeral}>{firstDay.day}</span> <em>al</em>{' '}
            <span className={styles.numeral}>{lastDay.day}</span>{' '}
            <span className={styles.month}>{`de ${lastDay.month} de ${year}`}</span>
          </p>
        </div>
        <div className={styles.side}>
          {introduction && <p className={styles.lead}>{introduction}</p>}
          {calendarGrid && (
            <CalendarGrid
              {...calendarGrid}
              days={days}
              today={todayDate}
              onDaySelect={(date) => {
                setDayOpen({ date, isOpen: true })
                if (pastDays.some((day) => day.fecha === date)) setIsPastOpen(true)
              }}
            />
          )}
          {today && (
            <p className={styles.current}>
              {listCurrentEvents(today, now!).map(({ label: mark, event }) => (
                <a key={event.id} href={`#${event.id}`} onClick={() => setDayOpen({ date: today.fecha, isOpen: true })}>
                  <b>{mark}</b> <span>{event.que}</span>
                </a>
              ))}
            </p>
          )}
          <p className={styles.actions}>
            {!isOver && <a href="/programa.ics">Agregar todo a mi calendario</a>}
            <span className={styles.countdown}>{timeUntilFair(todayDate, firstListedDay.fecha, isOver)}</span>
          </p>
        </div>
        <div className={styles.bulbs} aria-hidden="true" />
      </header>
      {isOffline && (
        <p className={styles.offline} role="status">
          Sin conexión: éste es el programa como estaba la última vez que lo abriste con señal.
        </p>
      )}
      {today && (
        <section className={styles.today} aria-labelledby="hoy">
          <p id="hoy" className={styles.sign}>
            Hoy
          </p>
          <Day {...dayProps(today)} now={now} isToday />
        </section>
      )}
      {otherDays.map((day) => {
        const weekPicture = weekPictures[mondayIndexOf(days, day.fecha)]
        return (
          <Fragment key={day.fecha}>
            {weekPicture && <Photo picture={weekPicture} sizes="100vw" className={styles.skyline} />}
            <Day {...dayProps(day)} now={undefined} />
          </Fragment>
        )
      })}
      {pastDays.length > 0 && (
        <details
          className={styles.earlier}
          open={isPastOpen}
          onToggle={(event) => setIsPastOpen(event.currentTarget.open)}
        >
          <summary className={sign.dropdown}>
            {pastDays.length === 1 ? 'El día que ya pasó' : `Los ${pastDays.length} días que ya pasaron`}
          </summary>
          {pastDays.map((day) => (
            <Day key={day.fecha} {...dayProps(day)} now={undefined} />
          ))}
        </details>
      )}
    </article>
  )
}

const withOpenDay = (
  before: Readonly<Record<string, boolean>>,
  { date, isOpen }: { date: string; isOpen: boolean },
) => ({
  ...before,
  [date]: isOpen,
})

/** Returns the index of a Monday among the fair's Mondays, from 0; -1 for other days, and for the programme's first day. */
function mondayIndexOf(days: readonly { fecha: string; weekday: string }[], date: string): number {
  return days
    .slice(1)
    .filter(({ weekday }) => weekday === 'lunes')
    .findIndex((day) => day.fecha === date)
}

/**
 * Returns in Spanish the time until the fair or, after it, that it is over; undefined during the fair, and while the date is
 * unknown.
 */
function timeUntilFair(todayDate: string | undefined, firstDate: string, isOver: boolean): string | undefined {
  if (todayDate === undefined) return undefined
  if (isOver) return 'La feria terminó: así fue.'
  const daysLeft = daysBetween(todayDate, firstDate)
  if (daysLeft < 1) return undefined
  return daysLeft === 1 ? 'Empieza mañana.' : `Faltan ${daysLeft} días.`
}
