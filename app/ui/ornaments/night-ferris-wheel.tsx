import styles from './night-ferris-wheel.module.css'

const RADIO = 330
const BULBS = 72
const CABINS = 12
/** Index of the cabin whose light is out. */
const DARK_CABIN = 8

/** SVG coordinates of a point around the hub; `turns` counts clockwise from the top. */
const en = (turns: number, radio: number) =>
  [Math.sin(2 * Math.PI * turns) * radio, -Math.cos(2 * Math.PI * turns) * radio]
    .map((value) => Math.round(value * 10) / 10)
    .join(' ')

const line = (from: string, hasta: string) => `M${from}L${hasta}`
const repeat = <T,>(count: number, draw: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => draw(index))

/** Pairs of rods that cross each other on their way from the hub to the rim. */
const RODS = repeat(24, (i) => line(en(i / 24, 34), en((i + (i % 2 ? 1.5 : -1.5)) / 24, RADIO - 26))).join('')
const LATTICE = repeat(
  48,
  (i) =>
    line(en(i / 48, RADIO), en((i + 0.5) / 48, RADIO - 26)) +
    line(en((i + 0.5) / 48, RADIO - 26), en((i + 1) / 48, RADIO)),
).join('')
/** Dash pattern of bulbs: dashes without length, with round caps. */
const litBulbs = (radio: number, count: number) => `0 ${(2 * Math.PI * radio) / count}`

export const NightFerrisWheel = () => (
  <svg className={styles.rueda} viewBox="-420 -400 840 1000" fill="none" aria-hidden="true">
    <path
      className={styles.pies}
      d="M-7 20L-316 1000M7 20L316 1000M-16 20L-347 1000M16 20L347 1000M-82 250H82M-117 360H117M-151 470H151M-82 250L117 360M82 250L-117 360M-117 360L151 470M117 360L-151 470"
    />
    <circle className={styles.aro} r={RADIO} />
    <circle className={styles.hilo} r={RADIO - 26} />
    <circle className={styles.hilo} r="190" />
    <circle className={styles.hilo} r="34" />
    <circle className={styles.aro} r="14" />
    <path className={styles.hilo} d={RODS} />
    <path className={styles.celosia} d={LATTICE} />
    <circle className={styles.halos} r={RADIO} strokeDasharray={litBulbs(RADIO, BULBS)} />
    <circle className={styles.focos} r={RADIO} strokeDasharray={litBulbs(RADIO, BULBS)} />
    <circle className={styles.luces} r="190" strokeDasharray={litBulbs(190, 24)} />
    <circle className={styles.halosRosas} r={RADIO} strokeDasharray={litBulbs(RADIO, CABINS)} />
    <circle className={styles.focosRosas} r={RADIO} strokeDasharray={litBulbs(RADIO, CABINS)} />
    {repeat(CABINS, (i) => (
      <g
        key={i}
        transform={`translate(${en((i + 0.5) / CABINS, RADIO)})`}
        className={i === DARK_CABIN ? styles.apagada : styles.cabina}
      >
        <path d="M0 0V12M-19 26Q-17 12 0 12T19 26Z" />
        <path className={styles.ventana} d="M-18 27H18L15 50Q14 54 10 54H-10Q-14 54 -15 50Z" />
        <path d="M-6 27V54M6 27V54" />
      </g>
    ))}
  </svg>
)
