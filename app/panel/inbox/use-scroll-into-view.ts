import { type RefObject, useEffect } from 'react'

/** What stands beside it is seen to go on. */
const SCROLL_MARGIN_PX = 20

/**
 * Brings what is chosen into sight within rows that are longer than the screen, and moves nothing else.
 * @param chosen finds what is chosen; each stands in a row (its nearest ancestor that scrolls sideways)
 * @param shown whenever it changes, another one is chosen
 */
export function useScrollIntoView(rows: RefObject<HTMLElement | null>, chosen: string, shown: unknown): void {
  useEffect(() => {
    const show = () => {
      for (const one of rows.current?.querySelectorAll<HTMLElement>(chosen) ?? []) {
        const row = rowOf(one, rows.current!)
        if (!row) continue
        const [here, around] = [one.getBoundingClientRect(), row.getBoundingClientRect()]
        row.scrollLeft += Math.min(0, here.left - around.left - SCROLL_MARGIN_PX)
        row.scrollLeft += Math.max(0, here.right - around.right + SCROLL_MARGIN_PX)
      }
    }
    show()
    // Letters that come later are wider or narrower.
    void document.fonts.ready.then(show)
  }, [rows, chosen, shown])
}

function rowOf(one: HTMLElement, last: HTMLElement): HTMLElement | undefined {
  for (let at: HTMLElement | null = one.parentElement; at; at = at === last ? null : at.parentElement)
    if (at.scrollWidth > at.clientWidth) return at
  return undefined
}
