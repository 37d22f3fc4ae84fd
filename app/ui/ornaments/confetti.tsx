import { useEffect, useRef } from 'react'
import { useReducedMotion } from '#app/ui/motion/reduced-motion.ts'
import styles from './confetti.module.css'

interface Props {
  piezas: number
  /** Each new number starts a shower; 0 starts none. */
  vez: number
  /** Called when a shower is over; with reduced motion, after the same time. */
  onCaida?: () => void
}

/** A shower of confetti over its container, once. With reduced motion, the pieces hang still along the top. */
export function Confetti({ piezas, vez, onCaida }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const reduced = useReducedMotion()
  const latestCallback = useRef(onCaida)
  useEffect(() => {
    latestCallback.current = onCaida
  })

  useEffect(() => {
    if (vez === 0) return
    const pieces = [...(frame.current?.children ?? [])] as HTMLElement[]
    const isGone = new AbortController()
    // Confetti is decoration: if the script does not load, nothing falls, and the callback runs all the same.
    import('./confetti.client.ts')
      .then(({ hang, shower }) => (reduced ? hang : shower)(pieces, isGone.signal))
      .catch(() => {})
      .then(() => isGone.signal.aborted || latestCallback.current?.())
    return () => isGone.abort()
  }, [reduced, vez])

  return (
    <div ref={frame} className={styles.lluvia} aria-hidden="true" data-confeti={piezas}>
      {Array.from({ length: piezas }, (_, index) => (
        <i key={index} />
      ))}
    </div>
  )
}
