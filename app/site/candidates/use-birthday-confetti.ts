import { type RefObject, useEffect } from 'react'
import { useReducedMotion } from '#app/ui/motion/reduced-motion.ts'
import { useInView } from '#app/ui/motion/reveal-in-view.ts'
import styles from './birthday-confetti.module.css'
import { CONFETTI, CONFETTI_INTERVAL_MS, CONFETTI_VISIBLE_SHARE, isBirthdayToday } from './rules.ts'

/**
 * Throws confetti over the screen on a candidate's birthday, while her block is in view (§4).
 * @returns whether her birthday is today
 */
export function useBirthdayConfetti(
  block: RefObject<HTMLElement | null>,
  birthday: string,
  clock: (() => Date) | undefined,
): boolean {
  const isInView = useInView(block, CONFETTI_VISIBLE_SHARE)
  const hasReducedMotion = useReducedMotion()
  const isToday = clock !== undefined && isBirthdayToday(birthday, clock())
  const isRunning = isToday && isInView && !hasReducedMotion

  useEffect(() => {
    if (!isRunning) return
    let timer: ReturnType<typeof setInterval> | undefined
    let isStopped = false
    import('canvas-confetti').then(
      ({ default: confetti }) => {
        if (isStopped || !block.current) return
        const colors = [lightColorOf(block.current), '#d9b25f', '#f7f0e6']
        const canvas = document.createElement('canvas')
        canvas.className = styles.canvas!
        canvas.ariaHidden = 'true'
        document.body.append(canvas)
        // The content security policy allows no worker from a `blob:` URL.
        const fire = confetti.create(canvas, { resize: true, useWorker: false })
        const burst = () => fire({ ...CONFETTI, colors })?.then(() => isStopped && canvas.remove())
        burst()
        timer = setInterval(burst, CONFETTI_INTERVAL_MS)
      },
      // Without the script there is no confetti.
      () => {},
    )
    return () => {
      isStopped = true
      clearInterval(timer)
    }
  }, [isRunning, block])
  return isToday
}

/** Reads the block's --light as `#rrggbb`. */
function lightColorOf(block: HTMLElement): string {
  const channels = getComputedStyle(block).getPropertyValue('--light').trim().split(' ')
  return `#${channels.map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`
}
