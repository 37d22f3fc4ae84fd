import { useEffect, useRef } from 'react'
import { useReducedMotion } from '#app/ui/motion/reduced-motion.ts'
import styles from './confetti.module.css'

interface Props {
  piezas: number
  /** Each new number brings a shower; 0 brings none. */
  vez: number
  /** Called once a shower is over, and after the same time where it hangs still. */
  onCaida?: () => void
}

/** A shower of confetti over its frame, once. With less motion wanted, the pieces hang still along its top. */
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
    // Decoration: where the script cannot be fetched, nothing falls, and what waits for the end goes on.
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
