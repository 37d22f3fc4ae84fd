import { type RefObject, useEffect } from 'react'

/** This much of the next element stays visible, so that the row looks scrollable. */
const SCROLL_MARGIN_PX = 20

/**
 * Scrolls the chosen elements into view within rows that are wider than the screen, and moves nothing else.
 * @param selector of the elements; an element's row is its nearest ancestor that scrolls sideways
 * @param trigger a change of this value repeats the scroll
 */
export function useScrollIntoView(rows: RefObject<HTMLElement | null>, selector: string, trigger: unknown): void {
  useEffect(() => {
    const show = () => {
      for (const one of rows.current?.querySelectorAll<HTMLElement>(selector) ?? []) {
        const row = rowOf(one, rows.current!)
        if (!row) continue
        const [box, rowBox] = [one.getBoundingClientRect(), row.getBoundingClientRect()]
        row.scrollLeft += Math.min(0, box.left - rowBox.left - SCROLL_MARGIN_PX)
        row.scrollLeft += Math.max(0, box.right - rowBox.right + SCROLL_MARGIN_PX)
      }
    }
    show()
    // Web fonts that load later change the widths.
    void document.fonts.ready.then(show)
  }, [rows, selector, trigger])
}

function rowOf(one: HTMLElement, outermost: HTMLElement): HTMLElement | undefined {
  for (let at: HTMLElement | null = one.parentElement; at; at = at === outermost ? null : at.parentElement)
    if (at.scrollWidth > at.clientWidth) return at
  return undefined
}
