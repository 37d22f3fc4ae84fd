import { formatLongDate } from '#app/core/time/mexico-dates.ts'
import { BarChart, ProportionBar } from '#app/ui/components/bar-chart.tsx'
import styles from './charts.module.css'

const formatNumber = (value: number) => value.toLocaleString('es-MX')

/** Renders visits by day as bars, and names the best day. */
export function VisitsByDay({ days }: { days: { day: string; visits: number }[] }) {
  const bestDay = days.toSorted((a, b) => b.visits - a.visits)[0]
  return (
    <figure className={styles.days}>
      {bestDay && bestDay.visits > 0 && (
        <BarChart bars={days.map(({ day, visits }) => ({ label: day, value: visits }))} />
      )}
      <figcaption>
        {bestDay && bestDay.visits > 0
          ? `El día con más visitas: ${formatLongDate(bestDay.day)}, con ${formatNumber(bestDay.visits)}.`
          : 'Todavía no hay visitas en estos días.'}
      </figcaption>
    </figure>
  )
}

/** Renders names with their counts and bars. @param rows sorted, with the largest count first */
export function CountList({
  title,
  emptyText,
  rows,
}: {
  title: string
  emptyText: string
  rows: { name: string; count: number }[]
}) {
  const maxCount = Math.max(1, ...rows.map(({ count }) => count))
  return (
    <section className={styles.list} aria-label={title}>
      <h2>{title}</h2>
      {rows.length === 0 ? (
        <p>{emptyText}</p>
      ) : (
        <ul>
          {rows.map(({ name, count }) => (
            <li key={name}>
              <span>{name}</span>
              <b>{formatNumber(count)}</b>
              <ProportionBar share={count / maxCount} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

export const Totals = ({ figures }: { figures: { value: number; label: string }[] }) => (
  <dl className={styles.totals}>
    {figures.map(({ value, label }) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd>{formatNumber(value)}</dd>
      </div>
    ))}
  </dl>
)
