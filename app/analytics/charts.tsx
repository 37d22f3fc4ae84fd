import { formatLongDate } from '#app/core/time/mexico-dates.ts'
import { BarChart, ProportionBar } from '#app/ui/components/bar-chart.tsx'
import styles from './charts.module.css'

const number = (value: number) => value.toLocaleString('es-MX')

/** Visits by day: a bar chart, with the best day in words. */
export function VisitsByDay({ days }: { days: { day: string; visits: number }[] }) {
  const best = days.toSorted((a, b) => b.visits - a.visits)[0]
  return (
    <figure className={styles.days}>
      <BarChart bars={days.map(({ day, visits }) => ({ label: day, value: visits }))} />
      <figcaption>
        {best && best.visits > 0
          ? `El día con más visitas: ${formatLongDate(best.day)}, con ${number(best.visits)}.`
          : 'Todavía no hay visitas en estos días.'}
      </figcaption>
    </figure>
  )
}

/** Names with their counts, the largest first, each with a bar. */
export function List({
  title,
  emptyText,
  rows,
}: {
  title: string
  emptyText: string
  rows: { name: string; count: number }[]
}) {
  const most = Math.max(1, ...rows.map(({ count }) => count))
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
              <b>{number(count)}</b>
              <ProportionBar share={count / most} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** The figures above the charts. */
export const Totals = ({ figures }: { figures: { value: number; label: string }[] }) => (
  <dl className={styles.totals}>
    {figures.map(({ value, label }) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd>{number(value)}</dd>
      </div>
    ))}
  </dl>
)
