import { formatThousands } from '#app/core/text/thousands-separator.ts'
import { formatDayAndHour } from '#app/core/time/mexico-dates.ts'
import { ProportionBar } from '#app/ui/components/bar-chart.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { toneClass } from '#app/ui/styles/tone.ts'
import { quantity } from '#app/voting/election/tally-rules.ts'
import type { HourlyVotes } from '#app/voting/sealing/schema.ts'
import styles from './results.module.css'
import type { PortrayedCandidate } from './totals-table.tsx'

const HOUR_MS = 3_600_000
const HOURS_SHOWN = 72
/** A line chart needs at least this many hours; fewer are shown as bars. */
const FEW = 3
const [WIDTH, HEIGHT] = [720, 150]

/** Renders the votes by hour over the last three days, and the growth of each candidate's votes. */
export function Charts({ hourlyVotes, candidates }: { hourlyVotes: HourlyVotes[]; candidates: PortrayedCandidate[] }) {
  const last = hourlyVotes.at(-1)
  if (!last) return <p className={styles.others}>Las gráficas aparecen con el primer voto.</p>
  const end = Date.parse(last.hour)
  const first = Date.parse(hourlyVotes[0]!.hour)
  // With a single hour of votes, the graph begins an hour earlier, at zero.
  const begin = first === end ? end - HOUR_MS : Math.max(first, end - (HOURS_SHOWN - 1) * HOUR_MS)
  const byHour = new Map(hourlyVotes.map(({ hour, votos }) => [Date.parse(hour), votos]))
  const hours = Array.from({ length: (end - begin) / HOUR_MS + 1 }, (_, at) => byHour.get(begin + at * HOUR_MS) ?? [])
  const sums = hours.map((votes) => votes.reduce((sum, one) => sum + one, 0))
  const before = candidates.map((_, who) =>
    hourlyVotes.filter(({ hour }) => Date.parse(hour) < begin).reduce((sum, { votos }) => sum + (votos[who] ?? 0), 0),
  )
  const growth = candidates.map((_, who) => {
    let sum = before[who]!
    return hours.map((votes) => (sum += votes[who] ?? 0))
  })
  const span = first === end ? `${formatDayAndHour(end)} h` : `${formatDayAndHour(begin)} a ${formatDayAndHour(end)} h`
  const busiest = Math.max(...sums)
  const most = Math.max(...growth.flat(), 1)
  const line = (values: number[], top: number) =>
    values
      .map((value, at) => {
        const x = (at * WIDTH) / (values.length - 1)
        return `${at === 0 ? 'M' : 'L'}${x.toFixed(1)} ${(HEIGHT - (value / top) * (HEIGHT - 6)).toFixed(1)}`
      })
      .join('')
  const total = line(sums, busiest)
  const hourAt = (at: number) => `${formatDayAndHour(begin + at * HOUR_MS)} h`
  const labels = hours.map((_, at) => ({ at, label: hourAt(at) }))
  const isShort = hourlyVotes.length < FEW
  return (
    <section className={styles.charts} aria-label="Votos en el tiempo">
      <figure>
        <figcaption>
          Votos por hora, {span}. La hora más alta tuvo {quantity(busiest, 'voto')}.
        </figcaption>
        {isShort ? (
          <ul className={styles.few}>
            {labels
              .filter(({ at }) => sums[at]! > 0)
              .map(({ at, label }) => (
                <Bar key={label} name={label} value={sums[at]!} most={busiest} />
              ))}
          </ul>
        ) : (
          <>
            <Peak
              position={sums.indexOf(busiest) / (sums.length - 1)}
              text={`${formatThousands(busiest)} · ${hourAt(sums.indexOf(busiest))}`}
            />
            <svg
              viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
              preserveAspectRatio="none"
              aria-hidden="true"
              className={styles.hours}
            >
              <linearGradient id="luz-horas" x1="0" y1="0" x2="0" y2="1">
                <stop offset="0" stopColor="#ff2d8f" stopOpacity=".55" />
                <stop offset="1" stopColor="#ff2d8f" stopOpacity="0" />
              </linearGradient>
              <path d={`${total}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z`} fill="url(#luz-horas)" />
              <path d={total} className={styles.stroke} />
            </svg>
            <Axis labels={labels} />
          </>
        )}
      </figure>
      <figure>
        <figcaption>Lo que ha reunido cada candidata, {span}</figcaption>
        {isShort ? (
          <ul className={styles.few}>
            {candidates.map(({ id, name, tone }, who) => (
              <Bar key={id} name={name} value={growth[who]!.at(-1)!} most={most} className={toneClass(tone)} />
            ))}
          </ul>
        ) : (
          <>
            <svg
              viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
              preserveAspectRatio="none"
              aria-hidden="true"
              className={styles.hours}
            >
              {growth.map((values, who) => (
                <path
                  key={candidates[who]!.id}
                  d={line(values, most)}
                  className={joinClasses(styles.stroke, styles.ofThem, toneClass(candidates[who]!.tone))}
                />
              ))}
            </svg>
            <Axis labels={labels} />
            <ul className={styles.legend}>
              {candidates.map(({ id, name, tone }, who) => (
                <li key={id} className={toneClass(tone)}>
                  {name}: {formatThousands(growth[who]!.at(-1)!)}
                </li>
              ))}
            </ul>
          </>
        )}
      </figure>
    </section>
  )
}

/** Renders a name with its number, and a bar relative to the largest number. */
const Bar = ({
  name,
  value,
  most,
  className,
}: {
  name: string
  value: number
  most: number
  className?: string | undefined
}) => (
  <li className={className}>
    <span>{name}</span>
    <b>{formatThousands(value)}</b>
    <ProportionBar share={value / most} />
  </li>
)

/** Renders hour labels below a chart: beginning, middle and end. */
function Axis({ labels }: { labels: { at: number; label: string }[] }) {
  const end = labels.length - 1
  const shown = [0, Math.round(end / 2), end].map((at) => labels[at]!)
  return (
    <svg width="100%" height="20" aria-hidden="true" className={styles.axis}>
      {shown.map(({ at, label }) => (
        <Label key={at} position={at / end} text={label} />
      ))}
    </svg>
  )
}

/** Renders a label above a chart's highest point. */
const Peak = ({ position, text }: { position: number; text: string }) => (
  <svg width="100%" height="20" aria-hidden="true" className={joinClasses(styles.axis, styles.top)}>
    <Label position={position} text={text} />
  </svg>
)

/** Renders a label at a share of the width, anchored so that it stays within the chart. */
const Label = ({ position, text }: { position: number; text: string }) => (
  <text
    x={`${(position * 100).toFixed(1)}%`}
    y="14"
    textAnchor={position < 0.15 ? 'start' : position > 0.85 ? 'end' : 'middle'}
  >
    {text}
  </text>
)
