/** Resolves after the next frame is painted; without frames, as on the server, after two timers. */
export const afterNextPaint = (): Promise<void> =>
  new Promise((resolve) => (globalThis.requestAnimationFrame ?? setTimeout)(() => setTimeout(resolve)))

interface PendingPress {
  work: () => void
  pressed: Element | null
}
let pendingPress: PendingPress | undefined

/**
 * Runs the work of a click after the next paint, so that slow work does not delay the click's visible feedback. A second call
 * before the paint replaces the first call's work.
 * @param pressed element that looks pressed until the work runs (base.css), for clicks without other feedback
 */
export function afterPaint(work: () => void, pressed: Element | null = null): void {
  const isScheduled = pendingPress !== undefined
  pendingPress?.pressed?.removeAttribute('data-pressed')
  pressed?.setAttribute('data-pressed', '')
  pendingPress = { work, pressed }
  if (isScheduled) return
  void afterNextPaint().then(() => {
    const press = pendingPress
    pendingPress = undefined
    press?.pressed?.removeAttribute('data-pressed')
    press?.work()
  })
}

/** Runs work when the browser is idle, within two seconds; without `requestIdleCallback`, after 200 ms. */
export const whenIdle = (work: () => void): void => {
  if ('requestIdleCallback' in window) requestIdleCallback(work, { timeout: 2_000 })
  else setTimeout(work, 200)
}

/** Runs each piece of work in an idle period of its own, since all of them together would delay a click. */
export function runInIdlePeriods([first, ...rest]: readonly (() => unknown)[]): void {
  if (first)
    whenIdle(() => {
      first()
      runInIdlePeriods(rest)
    })
}
