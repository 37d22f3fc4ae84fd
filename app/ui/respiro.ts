/** When work is done that no press should wait for. */

let next: (() => void) | undefined

/**
 * Does what a press asks for as soon as what the press itself shows has been painted: where that work takes a while, the
 * answer under the finger comes first. Of several presses until then, the last one counts.
 */
export function afterPaint(work: () => void): void {
  const isComing = next !== undefined
  next = work
  if (isComing) return
  requestAnimationFrame(() =>
    setTimeout(() => {
      const last = next
      next = undefined
      last?.()
    }),
  )
}

/** Does it when there is nothing else to do, within two seconds. */
export const whenIdle = (work: () => void): void => {
  if ('requestIdleCallback' in window) requestIdleCallback(work, { timeout: 2_000 })
  else setTimeout(work, 200)
}
