import { useEffect, useRef } from 'react'
import { useReducedMotion } from '#app/ui/motion/reduced-motion.ts'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './orb.module.css'
import type { OrbSettings } from './orb-webgl.ts'

interface Props extends OrbSettings {
  className?: string | undefined
}

/**
 * Renders a ring of light: a gradient until the ring is in view, then drawn by WebGL. With reduced motion, and if the script does
 * not load or cannot draw, the gradient stays.
 */
export function Orb({ className, hue = 0, intensity = 0.2, turnsOnHover = true }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const hasReducedMotion = useReducedMotion()

  useEffect(() => {
    const element = canvas.current
    if (!element || hasReducedMotion) return
    let stop: (() => void) | undefined
    let isUnmounted = false
    const startDrawing = async () => {
      const { drawOrb } = await import('./orb-webgl.ts')
      if (!isUnmounted) stop = drawOrb(element, { hue, intensity, turnsOnHover })
    }
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry?.isIntersecting) return
      observer.disconnect()
      startDrawing().catch(() => undefined)
    })
    observer.observe(element)
    return () => {
      isUnmounted = true
      observer.disconnect()
      stop?.()
    }
  }, [hasReducedMotion, hue, intensity, turnsOnHover])

  return (
    <span className={joinClasses(styles.orb, className)} aria-hidden="true">
      <canvas ref={canvas} />
    </span>
  )
}
