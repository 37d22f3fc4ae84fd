import { joinClasses } from '#app/ui/styles/class-names.ts'
import { type Tone, toneClass } from '#app/ui/styles/tone.ts'
import { BULBS_PER_RING, litBulbsOf } from '#app/voting/election/rules.ts'
import styles from './vote-wheel.module.css'

/**
 * Each ring of bulbs has this radius, from the rim inwards, in a drawing of 1,000 units. Bulbs are equally spaced on all rings.
 */
const RING_RADII = BULBS_PER_RING.map((_, index) => 480 - 60 * index)

/** The path has twelve spokes from hub to rim. None is vertical, since it would look like a rule beside the text. */
const SPOKES = Array.from({ length: 12 }, (_, index) => {
  const [x, y] = around((index + 0.5) / 12)
  return `M${round(x * 60)} ${round(y * 60)}L${round(x * 480)} ${round(y * 480)}`
}).join('')

interface Props {
  /** Counts the votes sealed so far. */
  votes: number
  /** The winner's tone; with it every bulb has that colour. */
  tone?: Tone | undefined
}

/**
 * Renders the wheel behind the screen: one golden bulb lights per sealed vote, which tells how many votes there are but not for
 * which candidate. A full wheel lights up once more, brighter.
 */
export function VoteWheel({ votes, tone }: Props) {
  const { isFull, litBulbs } = litBulbsOf(votes)
  return (
    <svg
      className={joinClasses(
        styles.wheel,
        tone && toneClass(tone),
        (isFull || tone) && styles.filled,
        tone && styles.own,
      )}
      viewBox="-500 -500 1000 1000"
      fill="none"
      aria-hidden="true"
      data-votes={votes}
    >
      <path className={styles.rays} d={SPOKES} />
      {RING_RADII.map((radius, index) => (
        <circle key={radius} className={styles.off} r={radius} strokeDasharray={dashesOf(index)} />
      ))}
      {!tone &&
        RING_RADII.map((radius, index) => {
          const lit = litBulbs[index]!
          if (lit === 0) return null
          const arc = { d: arcOf(radius, lit / BULBS_PER_RING[index]!), strokeDasharray: dashesOf(index) }
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

/** Zero-length dashes with round caps draw a ring's bulbs. */
const dashesOf = (index: number) => `0 ${round((2 * Math.PI * RING_RADII[index]!) / BULBS_PER_RING[index]!)}`

/** Returns a clockwise arc from the top, slightly beyond the last lit bulb, which rounding would otherwise lose. */
function arcOf(radius: number, share: number): string {
  const bulb = 1 / (2 * Math.PI * radius)
  const [x, y] = around(Math.min(share, 1) - 12 * bulb)
  const isLarge = share > 0.5 ? 1 : 0
  return `M0 ${-radius}A${radius} ${radius} 0 ${isLarge} 1 ${round(x * radius)} ${round(y * radius)}`
}

/** Returns a point on the unit circle. @param turns clockwise from the top */
function around(turns: number): [x: number, y: number] {
  return [Math.sin(2 * Math.PI * turns), -Math.cos(2 * Math.PI * turns)]
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
