import { joinClasses } from '#app/ui/styles/class-names.ts'
import { type Tone, toneClass } from '#app/ui/styles/tone.ts'
import { BULBS_PER_RING, litBulbsOf } from '#app/voting/election/rules.ts'
import styles from './vote-wheel.module.css'

/** Radii of the rings of bulbs, from the rim inwards, in a drawing 1,000 units wide. Bulbs are equally far apart on all rings. */
const RING_RADII = BULBS_PER_RING.map((_, index) => 480 - 60 * index)

/** Path of twelve spokes. None is vertical, since a vertical one would look like a line between columns of text. */
const SPOKES = Array.from({ length: 12 }, (_, index) => {
  const [x, y] = pointOnCircle((index + 0.5) / 12)
  return `M${roundToHundredths(x * 60)} ${roundToHundredths(y * 60)}L${roundToHundredths(x * 480)} ${roundToHundredths(y * 480)}`
}).join('')

interface Props {
  /** Number of votes in the published blocks. */
  votes: number
  /** Tone of the winner, in which all bulbs are lit. */
  tone?: Tone | undefined
}

/**
 * Renders the wheel behind the screen. Each vote in a published block lights one golden bulb, which shows how many votes there are
 * but not for whom. Once all bulbs are lit, further votes make them brighter.
 */
export function VoteWheel({ votes, tone }: Props) {
  const { isFull, litBulbs } = litBulbsOf(votes)
  return (
    <svg
      className={joinClasses(
        styles.wheel,
        tone && toneClass(tone),
        (isFull || tone) && styles.filled,
        tone && styles.winner,
      )}
      viewBox="-500 -500 1000 1000"
      fill="none"
      aria-hidden="true"
      data-votes={votes}
    >
      <path className={styles.rays} d={SPOKES} />
      {RING_RADII.map((radius, index) => (
        <circle key={radius} className={styles.unlit} r={radius} strokeDasharray={dashesOf(index)} />
      ))}
      {!tone &&
        RING_RADII.map((radius, index) => {
          const litCount = litBulbs[index]!
          if (litCount === 0) return null
          const arc = { d: arcOf(radius, litCount / BULBS_PER_RING[index]!), strokeDasharray: dashesOf(index) }
          return (
            <g key={radius} className={styles.ring}>
              <path className={styles.halos} {...arc} />
              <path className={styles.bulbLights} {...arc} />
            </g>
          )
        })}
    </svg>
  )
}

/** Returns the dash pattern of a ring: zero-length dashes with round caps draw its bulbs. */
const dashesOf = (index: number) =>
  `0 ${roundToHundredths((2 * Math.PI * RING_RADII[index]!) / BULBS_PER_RING[index]!)}`

/**
 * Returns a clockwise arc from the top. It ends 12 units before the next bulb, since at the last lit one rounding might cut that
 * bulb off.
 */
function arcOf(radius: number, share: number): string {
  const turnsPerUnit = 1 / (2 * Math.PI * radius)
  const [x, y] = pointOnCircle(Math.min(share, 1) - 12 * turnsPerUnit)
  const isLarge = share > 0.5 ? 1 : 0
  return `M0 ${-radius}A${radius} ${radius} 0 ${isLarge} 1 ${roundToHundredths(x * radius)} ${roundToHundredths(y * radius)}`
}

/** Returns a point on the unit circle. @param turns clockwise from the top */
function pointOnCircle(turns: number): [x: number, y: number] {
  return [Math.sin(2 * Math.PI * turns), -Math.cos(2 * Math.PI * turns)]
}

function roundToHundredths(value: number): number {
  return Math.round(value * 100) / 100
}
