import { joinClasses } from '#app/ui/styles/class-names.ts'
import { type Tone, toneClass } from '#app/ui/styles/tone.ts'
import { BULBS_PER_RING, litBulbsOf } from '#app/voting/election/rules.ts'
import styles from './vote-wheel.module.css'

/** Radius of each ring of bulbs, from the rim inwards, in units of a drawing of 1,000: bulbs are as far apart on all. */
const RADIOS = BULBS_PER_RING.map((_, index) => 480 - 60 * index)

/** Twelve spokes, from the hub to the rim, none upright: beside words that would be a rule. */
const SPOKES = Array.from({ length: 12 }, (_, index) => {
  const [x, y] = around((index + 0.5) / 12)
  return `M${round(x * 60)} ${round(y * 60)}L${round(x * 480)} ${round(y * 480)}`
}).join('')

interface Props {
  /** Sealed so far. */
  votos: number
  /** The winner's, once there is one: then every bulb is hers. */
  tono?: Tone | undefined
}

/**
 * The wheel that the votes light, behind the screen: a bulb a vote, all in gold, so that it tells how many there are and
 * of nobody for whom. Once it is full it is lit again, brighter.
 */
export function VoteWheel({ votos, tono }: Props) {
  const { llena, focos } = litBulbsOf(votos)
  return (
    <svg
      className={joinClasses(
        styles.rueda,
        tono && toneClass(tono),
        (llena || tono) && styles.llena,
        tono && styles.suya,
      )}
      viewBox="-500 -500 1000 1000"
      fill="none"
      aria-hidden="true"
      data-votos={votos}
    >
      <path className={styles.rayos} d={SPOKES} />
      {RADIOS.map((radio, index) => (
        <circle key={radio} className={styles.apagados} r={radio} strokeDasharray={dashesOf(index)} />
      ))}
      {!tono &&
        RADIOS.map((radio, index) => {
          const lit = focos[index]!
          if (lit === 0) return null
          const arc = { d: arcOf(radio, lit / BULBS_PER_RING[index]!), strokeDasharray: dashesOf(index) }
          return (
            <g key={radio} className={styles.anillo}>
              <path className={styles.halos} {...arc} />
              <path className={styles.focos} {...arc} />
            </g>
          )
        })}
    </svg>
  )
}

/** Dashes without length and with round ends are bulbs. */
const dashesOf = (index: number) => `0 ${round((2 * Math.PI * RADIOS[index]!) / BULBS_PER_RING[index]!)}`

/** From the top, clockwise, and a hair further than the last bulb, which would be lost to rounding. */
function arcOf(radio: number, share: number): string {
  const bulb = 1 / (2 * Math.PI * radio)
  const [x, y] = around(Math.min(share, 1) - 12 * bulb)
  const isLarge = share > 0.5 ? 1 : 0
  return `M0 ${-radio}A${radio} ${radio} 0 ${isLarge} 1 ${round(x * radio)} ${round(y * radio)}`
}

/** A place on a circle of radius 1, in turns from its top. */
function around(turns: number): [x: number, y: number] {
  return [Math.sin(2 * Math.PI * turns), -Math.cos(2 * Math.PI * turns)]
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
