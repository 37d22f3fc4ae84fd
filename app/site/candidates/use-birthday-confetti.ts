import { type RefObject, useEffect } from 'react'
import { useReducedMotion } from '#app/ui/motion/reduced-motion.ts'
import { useEnVista } from '#app/ui/motion/reveal-in-view.ts'
import styles from './birthday-confetti.module.css'
import { CONFETI, CONFETI_CADA_MS, CONFETI_EN_VISTA, cumpleHoy } from './rules.ts'

/** Confetti over the screen on a candidate's birthday, while her block is in view (§4). Pieces in the air may land. */
export function useConfeti(
  bloque: RefObject<HTMLElement | null>,
  cumple: string,
  hora: (() => Date) | undefined,
): void {
  const inView = useEnVista(bloque, CONFETI_EN_VISTA)
  const reduced = useReducedMotion()
  const running = inView && !reduced && hora !== undefined && cumpleHoy(cumple, hora())

  useEffect(() => {
    if (!running) return
    let timer: ReturnType<typeof setInterval> | undefined
    let stopped = false
    import('canvas-confetti').then(
      ({ default: confetti }) => {
        if (stopped || !bloque.current) return
        const colors = [luzDe(bloque.current), '#d9b25f', '#f7f0e6']
        const lienzo = document.createElement('canvas')
        lienzo.className = styles.lienzo!
        lienzo.ariaHidden = 'true'
        document.body.append(lienzo)
        // The content policy allows no worker made of a blob.
        const fire = confetti.create(lienzo, { resize: true, useWorker: false })
        const burst = () => fire({ ...CONFETI, colors })?.then(() => stopped && lienzo.remove())
        burst()
        timer = setInterval(burst, CONFETI_CADA_MS)
      },
      // On a bad line there is no confetti.
      () => {},
    )
    return () => {
      stopped = true
      clearInterval(timer)
    }
  }, [running, bloque])
}

/** The block's light as `#rrggbb`. */
function luzDe(bloque: HTMLElement): string {
  const luz = getComputedStyle(bloque).getPropertyValue('--luz').trim().split(' ')
  return `#${luz.map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`
}
