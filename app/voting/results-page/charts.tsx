import { quantity } from '#app/core/text/quantity.ts'
import { formatThousands } from '#app/core/text/thousands-separator.ts'
import { HOUR_MS } from '#app/core/time/durations.ts'
import { formatDayAndHour } from '#app/core/time/mexico-dates.ts'
import { ProportionBar } from '#app/ui/components/bar-chart.tsx'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import { toneClass } from '#app/ui/styles/tone.ts'
import type { HourlyVotes } from '#app/voting/sealing/schema.ts'
import styles from './results.module.css'
import type { PortrayedCandidate } from './totals-table.tsx'

/** The charts end with the latest hour with votes, and begin at most this many hours before its end. */
const MAX_SHOWN_HOURS = 72
/** Fewest hours with votes, in the whole vote, for a line; with fewer, bars are shown. */
const MIN_LINE_HOURS = 3
const [WIDTH, HEIGHT] = [720, 150]

/**
 * Renders the votes per hour and the cumulative votes of each candidate, over at most MAX_SHOWN_HOURS. Before the first sealed vote,
 * renders a sentence instead or, without candidates, nothing.
 */
export function Charts({ hourlyVotes, candidates }: { hourlyVotes: HourlyVotes[]; candidates: PortrayedCandidate[] }) {
  const lastHour = hourlyVotes.at(-1)
  if (!lastHour)
    return candidates.length > 0 && <p className={styles.others}>Las gráficas aparecen con el primer voto.</p>
  const endMs = Date.parse(lastHour.hour)
  const firstMs = Date.parse(hourlyVotes[0]!.hour)
  const beginMs = Math.max(firstMs, endMs - (MAX_SHOWN_HOURS - 1) * HOUR_MS)
  const votesByHour = new Map(hourlyVotes.map(({ hour, votos }) => [Date.parse(hour), votos]))
  /** Votes of each hour, in the candidates' order; empty for an hour without votes. */
  const votesByShownHour = Array.from(
    { length: (endMs - beginMs) / HOUR_MS + 1 },
    (_, index) => votesByHour.get(beginMs + index * HOUR_MS) ?? [],
  )
  const votesPerHour = votesByShownHour.map((votes) => votes.reduce((sum, count) => sum + count, 0))
  const votesBefore = candidates.map((_, candidateIndex) =>
    hourlyVotes
      .filter(({ hour }) => Date.parse(hour) < beginMs)
      .reduce((sum, { votos }) => sum + (votos[candidateIndex] ?? 0), 0),
  )
  const cumulativeVotes = candidates.map((_, candidateIndex) => {
    let sum = votesBefore[candidateIndex]!
    return votesByShownHour.map((votes) => (sum += votes[candidateIndex] ?? 0))
  })
  const spanText =
    firstMs === endMs
      ? `${formatDayAndHour(endMs)} h`
      : `del ${formatDayAndHour(beginMs)} h, al ${formatDayAndHour(endMs)} h`
  const maxHourVotes = Math.max(...votesPerHour)
  const maxCumulativeVotes = Math.max(...cumulativeVotes.flat(), 1)
  const linePath = (values: number[], maxValue: number) =>
    values
      .map((value, index) => {
        const x = (index * WIDTH) / (values.length - 1)
        return `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${(HEIGHT - (value / maxValue) * (HEIGHT - 6)).toFixed(1)}`
      })
      .join('')
  const hourlyPath = linePath(votesPerHour, maxHourVotes)
  const hourAt = (index: number) => `${formatDayAndHour(beginMs + index * HOUR_MS)} h`
  const labels = votesByShownHour.map((_, index) => ({ index, label: hourAt(index) }))
  const hasFewHours = hourlyVotes.length < MIN_LINE_HOURS
  return (
    <section className={styles.charts} aria-label="Votos en el tiempo">
      <figure>
        <figcaption>
          Votos por hora, {spanText}. La hora más alta tuvo {quantity(maxHourVotes, 'voto')}.
        </figcaption>
        {hasFewHours ? (
          <ul className={styles.fewHours}>
            {labels
              .filter(({ index }) => votesPerHour[index]! > 0)
              .map(({ index, label }) => (
                <NumberBar key={label} name={label} value={votesPerHour[index]!} maxValue={maxHourVotes} />
              ))}
          </ul>
        ) : (
          <>
            <Peak
              position={votesPerHour.indexOf(maxHourVotes) / (votesPerHour.length - 1)}
              text={`${formatThousands(maxHourVotes)} · ${hourAt(votesPerHour.indexOf(maxHourVotes))}`}
            />
            <svg
              viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
              preserveAspectRatio="none"
              aria-hidden="true"
              className={styles.chart}
            >
              <linearGradient id="hourly-glow" x1="0" y1="0" x2="0" y2="1">
                <stop offset="0" stopColor="var(--accent)" stopOpacity=".55" />
                <stop offset="1" stopColor="var(--accent)" stopOpacity="0" />
              </linearGradient>
              <path d={`${hourlyPath}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z`} fill="url(#hourly-glow)" />
              <path d={hourlyPath} className={styles.stroke} />
            </svg>
            <Axis labels={labels} />
          </>
        )}
      </figure>
      <figure>
        <figcaption>Lo que ha reunido cada candidata, {spanText}</figcaption>
        {hasFewHours ? (
          <ul className={styles.fewHours}>
            {candidates.map(({ id, name, tone }, candidateIndex) => (
              <NumberBar
                key={id}
                name={name}
                value={cumulativeVotes[candidateIndex]!.at(-1)!}
                maxValue={maxCumulativeVotes}
                className={toneClass(tone)}
              />
            ))}
          </ul>
        ) : (
          <>
            <svg
              viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
              preserveAspectRatio="none"
              aria-hidden="true"
              className={styles.chart}
            >
              {cumulativeVotes.map((values, candidateIndex) => (
                <path
                  key={candidates[candidateIndex]!.id}
                  d={linePath(values, maxCumulativeVotes)}
                  className={joinClasses(
                    styles.stroke,
                    styles.candidateLine,
                    toneClass(candidates[candidateIndex]!.tone),
                  )}
                />
              ))}
            </svg>
            <Axis labels={labels} />
            <ul className={styles.legend}>
              {candidates
                .map((candidate, candidateIndex) => ({ ...candidate, votes: cumulativeVotes[candidateIndex]!.at(-1)! }))
                .toSorted((a, b) => b.votes - a.votes)
                .map(({ id, name, tone, votes }) => (
                  <li key={id} className={toneClass(tone)}>
                    {name}: {formatThousands(votes)}
                  </li>
                ))}
            </ul>
          </>
        )}
      </figure>
    </section>
  )
}

/** Renders a name with its number, and a bar whose full width stands for `maxValue`. */
const NumberBar = ({
  name,
  value,
  maxValue,
  className,
}: {
  name: string
  value: number
  maxValue: number
  className?: string | undefined
}) => (
  <li className={className}>
    <span>{name}</span>
    <b>{formatThousands(value)}</b>
    <ProportionBar share={value / maxValue} />
  </li>
)

/** Renders the labels of the first, middle and last hour below a chart. */
function Axis({ labels }: { labels: { index: number; label: string }[] }) {
  const lastIndex = labels.length - 1
  const shownLabels = [0, Math.round(lastIndex / 2), lastIndex].map((index) => labels[index]!)
  return (
    <svg width="100%" height="20" aria-hidden="true" className={styles.axis}>
      {shownLabels.map(({ index, label }) => (
        <Label key={index} position={index / lastIndex} text={label} />
      ))}
    </svg>
  )
}

/** Renders a label above a chart's highest point. @param position share of the chart's width, from 0 to 1 */
const Peak = ({ position, text }: { position: number; text: string }) => (
  <svg width="100%" height="20" aria-hidden="true" className={joinClasses(styles.axis, styles.peak)}>
    <Label position={position} text={text} />
  </svg>
)

/** Renders a label, anchored so that it stays within the chart. @param position share of the chart's width, from 0 to 1 */
const Label = ({ position, text }: { position: number; text: string }) => (
  <text
    x={`${(position * 100).toFixed(1)}%`}
    y="14"
    textAnchor={position < 0.15 ? 'start' : position > 0.85 ? 'end' : 'middle'}
  >
    {text}
  </text>
)
