import styles from './night-ferris-wheel.module.css'

const RADIUS = 330
const BULB_COUNT = 72
const CABIN_COUNT = 12
/** Index of the only cabin without light. */
const DARK_CABIN = 8

/** Returns the SVG coordinates of a point around the hub. @param turns clockwise from the top */
const pointAt = (turns: number, radius: number) =>
  [Math.sin(2 * Math.PI * turns) * radius, -Math.cos(2 * Math.PI * turns) * radius]
    .map((value) => Math.round(value * 10) / 10)
    .join(' ')

const line = (from: string, to: string) => `M${from}L${to}`
const repeat = <T,>(count: number, draw: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => draw(index))

/** Path of pairs of rods that cross each other between hub and rim. */
const RODS = repeat(24, (i) => line(pointAt(i / 24, 34), pointAt((i + (i % 2 ? 1.5 : -1.5)) / 24, RADIUS - 26))).join(
  '',
)
const LATTICE = repeat(
  48,
  (i) =>
    line(pointAt(i / 48, RADIUS), pointAt((i + 0.5) / 48, RADIUS - 26)) +
    line(pointAt((i + 0.5) / 48, RADIUS - 26), pointAt((i + 1) / 48, RADIUS)),
).join('')
/** Returns the dash pattern of bulbs: zero-length dashes, which round caps make into dots. */
const bulbDashes = (radius: number, count: number) => `0 ${(2 * Math.PI * radius) / count}`

export const NightFerrisWheel = () => (
  <svg className={styles.wheel} viewBox="-420 -400 840 1000" fill="none" aria-hidden="true">
    <path
      className={styles.supports}
      d="M-7 20L-316 1000M7 20L316 1000M-16 20L-347 1000M16 20L347 1000M-82 250H82M-117 360H117M-151 470H151M-82 250L117 360M82 250L-117 360M-117 360L151 470M117 360L-151 470"
    />
    <circle className={styles.rim} r={RADIUS} />
    <circle className={styles.thread} r={RADIUS - 26} />
    <circle className={styles.thread} r="190" />
    <circle className={styles.thread} r="34" />
    <circle className={styles.rim} r="14" />
    <path className={styles.thread} d={RODS} />
    <path className={styles.lattice} d={LATTICE} />
    <circle className={styles.halos} r={RADIUS} strokeDasharray={bulbDashes(RADIUS, BULB_COUNT)} />
    <circle className={styles.bulbLights} r={RADIUS} strokeDasharray={bulbDashes(RADIUS, BULB_COUNT)} />
    <circle className={styles.lights} r="190" strokeDasharray={bulbDashes(190, 24)} />
    <circle className={styles.pinkHalos} r={RADIUS} strokeDasharray={bulbDashes(RADIUS, CABIN_COUNT)} />
    <circle className={styles.pinkBulbs} r={RADIUS} strokeDasharray={bulbDashes(RADIUS, CABIN_COUNT)} />
    {repeat(CABIN_COUNT, (i) => (
      <g
        key={i}
        transform={`translate(${pointAt((i + 0.5) / CABIN_COUNT, RADIUS)})`}
        className={i === DARK_CABIN ? styles.darkCabin : styles.cabin}
      >
        <path d="M0 0V12M-19 26Q-17 12 0 12T19 26Z" />
        <path className={styles.cabinFloor} d="M-18 27H18L15 50Q14 54 10 54H-10Q-14 54 -15 50Z" />
        <path d="M-6 27V54M6 27V54" />
      </g>
    ))}
  </svg>
)
