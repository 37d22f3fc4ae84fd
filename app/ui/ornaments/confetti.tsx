import { useEffect, useRef } from 'react'
import { useReducedMotion } from '#app/ui/motion/reduced-motion.ts'
import styles from './confetti.module.css'

interface Props {
  pieceCount: number
  /** Each new number starts a shower, and so does a change of the reduced-motion setting; 0 stands for none. */
  showerNumber: number
  /** Is called when a shower has fallen; with reduced motion, after a shower's longest duration; at once if the script does not load. */
  onEnd?: () => void
}

/** Renders showers of confetti over its container. With reduced motion the pieces do not move. */
export function Confetti({ pieceCount, showerNumber, onEnd }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const hasReducedMotion = useReducedMotion()
  const latestOnEnd = useRef(onEnd)
  useEffect(() => {
    latestOnEnd.current = onEnd
  })

  useEffect(() => {
    if (showerNumber === 0) return
    const pieces = [...(frame.current?.children ?? [])] as HTMLElement[]
    const unmountController = new AbortController()
    import('./confetti.client.ts')
      .then(({ showMotionless, playShower }) =>
        (hasReducedMotion ? showMotionless : playShower)(pieces, unmountController.signal),
      )
      .catch(() => {})
      .then(() => unmountController.signal.aborted || latestOnEnd.current?.())
    return () => unmountController.abort()
  }, [hasReducedMotion, showerNumber])

  return (
    <div ref={frame} className={styles.shower} aria-hidden="true" data-confetti={pieceCount}>
      {Array.from({ length: pieceCount }, (_, index) => (
        <i key={index} />
      ))}
    </div>
  )
}
