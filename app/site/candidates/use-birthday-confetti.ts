import { type RefObject, useEffect } from 'react'
import { useReducedMotion } from '#app/ui/motion/reduced-motion.ts'
import { useInView } from '#app/ui/motion/reveal-in-view.ts'
import styles from './birthday-confetti.module.css'
import { CONFETTI, CONFETTI_INTERVAL_MS, CONFETTI_VISIBLE_SHARE, isBirthdayToday } from './rules.ts'

/**
 * Throws confetti over the screen on a candidate's birthday, while her block is in view; none with reduced motion.
 * @returns whether her birthday is today; false before the site's time is known
 * @source §4
 */
export function useBirthdayConfetti(
  block: RefObject<HTMLElement | null>,
  birthday: string,
  clock: (() => Date) | undefined,
): boolean {
  const isInView = useInView(block, CONFETTI_VISIBLE_SHARE)
  const hasReducedMotion = useReducedMotion()
  const isBirthday = clock !== undefined && isBirthdayToday(birthday, clock())
  const isRunning = isBirthday && isInView && !hasReducedMotion

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
      // A failed download is ignored, since confetti is only decoration.
      () => {},
    )
    return () => {
      isStopped = true
      clearInterval(timer)
    }
  }, [isRunning, block])
  return isBirthday
}

/** Returns the block's `--light`, which holds channels such as «255 45 143», as `#rrggbb` for canvas-confetti. */
function lightColorOf(block: HTMLElement): string {
  const channels = getComputedStyle(block).getPropertyValue('--light').trim().split(' ')
  return `#${channels.map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`
}
