/** When work is done that no press should wait for. */

/** Comes when the next frame has been painted; where none is, as on the server, soon. */
export const painted = (): Promise<void> =>
  new Promise((resolve) => (globalThis.requestAnimationFrame ?? setTimeout)(() => setTimeout(resolve)))

interface PendingPress {
  work: () => void
  pressed: Element | null
}
let next: PendingPress | undefined

/**
 * Does what a press asks for as soon as what the press itself shows has been painted: where that work takes a while, the
 * answer under the finger comes first. Of several presses until then, the last one counts.
 * @param pressed looks pressed until it is done (base.css), where it would show nothing by itself
 */
export function afterPaint(work: () => void, pressed: Element | null = null): void {
  const isComing = next !== undefined
  next?.pressed?.removeAttribute('data-pulsado')
  pressed?.setAttribute('data-pulsado', '')
  next = { work, pressed }
  if (isComing) return
  void painted().then(() => {
    const last = next
    next = undefined
    last?.pressed?.removeAttribute('data-pulsado')
    last?.work()
  })
}

/** Does it when there is nothing else to do, within two seconds. */
export const whenIdle = (work: () => void): void => {
  if ('requestIdleCallback' in window) requestIdleCallback(work, { timeout: 2_000 })
  else setTimeout(work, 200)
}

/** Does one after the other, each when there is nothing else to do: together they would keep a press waiting. */
export function inPieces([first, ...rest]: readonly (() => unknown)[]): void {
  if (first)
    whenIdle(() => {
      first()
      inPieces(rest)
    })
}
