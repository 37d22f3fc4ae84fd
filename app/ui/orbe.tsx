import { useEffect, useRef } from 'react'
import { unir } from './clases.ts'
import { useReducedMotion } from './motion.ts'
import styles from './orbe.module.css'
import type { AjustesOrbe } from './orbe-webgl.ts'

interface Props extends AjustesOrbe {
  className?: string | undefined
}

/** A ring of light. A gradient until the page has nothing better to do, then drawn by WebGL; still with less motion. */
export function Orbe({ className, matiz = 0, intensidad = 0.2, giraAlPasar = true }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const reduced = useReducedMotion()

  useEffect(() => {
    const element = canvas.current
    if (!element || reduced) return
    let stop: (() => void) | undefined
    let gone = false
    const begin = async () => {
      const { drawOrbe } = await import('./orbe-webgl.ts')
      if (!gone) stop = drawOrbe(element, { matiz, intensidad, giraAlPasar })
    }
    // Only once it is looked at.
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry?.isIntersecting) return
      observer.disconnect()
      // A decoration that cannot be fetched stays a gradient.
      begin().catch(() => undefined)
    })
    observer.observe(element)
    return () => {
      gone = true
      observer.disconnect()
      stop?.()
    }
  }, [reduced, matiz, intensidad, giraAlPasar])

  return (
    <span className={unir(styles.orbe, className)} aria-hidden="true">
      <canvas ref={canvas} />
    </span>
  )
}
