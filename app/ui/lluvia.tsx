import { useEffect, useRef } from 'react'
import styles from './lluvia.module.css'
import { useReducedMotion } from './motion.ts'

/** Beyond 5 s, something that moves by itself would need a button to stop it (WCAG 2.2.2). */
const LLUVIA_MS = 4_800

const entre = (least: number, most: number) => least + Math.random() * (most - least)

interface Props {
  piezas: number
  /** Each new number brings a shower; 0 brings none. */
  vez: number
  /** Called once a shower is over, and after the same time where it hangs still. */
  onCaida?: () => void
}

/** A shower of confetti over its frame, once. With less motion wanted, the pieces hang still along its top. */
export function Lluvia({ piezas, vez, onCaida }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const reduced = useReducedMotion()
  const caida = useRef(onCaida)
  useEffect(() => {
    caida.current = onCaida
  })

  useEffect(() => {
    if (vez === 0) return
    const { clientHeight = 0, children = [] } = frame.current ?? {}
    const falls = [...children].map((piece, index) => {
      const x = ((index + Math.random()) / children.length) * 100
      const turn = entre(-540, 540)
      const at = (y: number, drift: number, turned: number) =>
        `translate3d(${drift}px, ${y}px, 0) rotate3d(1, 0.6, 0.3, ${turned}deg)`
      Object.assign((piece as HTMLElement).style, { left: `${x}%`, visibility: 'visible' })
      if (reduced) {
        ;(piece as HTMLElement).style.transform = at(Math.random() * clientHeight, 0, turn)
        return undefined
      }
      const drift = entre(-70, 70)
      const duration = entre(2_400, 3_600)
      return piece.animate(
        [
          { transform: at(-30, 0, 0), opacity: 1 },
          { transform: at(clientHeight * 0.8, drift, turn * 0.8), opacity: 1, offset: 0.8 },
          { transform: at(clientHeight, drift * 1.2, turn), opacity: 0 },
        ],
        { duration, delay: entre(0, LLUVIA_MS - duration), fill: 'both', easing: 'linear' },
      )
    })
    const still = reduced ? setTimeout(() => caida.current?.(), LLUVIA_MS) : undefined
    let isGone = false
    if (!reduced)
      Promise.all(falls.map((fall) => fall?.finished)).then(
        () => !isGone && caida.current?.(),
        () => {}, // Called off by the next shower, or because the screen was left.
      )
    return () => {
      isGone = true
      clearTimeout(still)
      for (const fall of falls) fall?.cancel()
    }
  }, [reduced, vez])

  return (
    <div ref={frame} className={styles.lluvia} aria-hidden="true" data-confeti={piezas}>
      {Array.from({ length: piezas }, (_, index) => (
        <i key={index} />
      ))}
    </div>
  )
}
