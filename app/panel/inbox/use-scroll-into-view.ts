import { type RefObject, useEffect } from 'react'

/** Visible part of the next element, so that the row looks scrollable. */
const NEXT_ELEMENT_MARGIN_PX = 20

/**
 * Scrolls elements into view within rows that are wider than the screen, without scrolling the page.
 * @param selector of the elements; an element's row is its nearest ancestor that scrolls sideways
 * @param trigger value whose change repeats the scrolling
 */
export function useScrollIntoView(rows: RefObject<HTMLElement | null>, selector: string, trigger: unknown): void {
  useEffect(() => {
    const scrollAll = () => {
      for (const element of rows.current?.querySelectorAll<HTMLElement>(selector) ?? []) {
        const row = scrollingAncestorOf(element, rows.current!)
        if (!row) continue
        const [elementBox, rowBox] = [element.getBoundingClientRect(), row.getBoundingClientRect()]
        row.scrollLeft += Math.min(0, elementBox.left - rowBox.left - NEXT_ELEMENT_MARGIN_PX)
        row.scrollLeft += Math.max(0, elementBox.right - rowBox.right + NEXT_ELEMENT_MARGIN_PX)
      }
    }
    scrollAll()
    // Web fonts may load later and change the widths.
    void document.fonts.ready.then(scrollAll)
  }, [rows, selector, trigger])
}

function scrollingAncestorOf(element: HTMLElement, outermost: HTMLElement): HTMLElement | undefined {
  for (
    let ancestor: HTMLElement | null = element.parentElement;
    ancestor;
    ancestor = ancestor === outermost ? null : ancestor.parentElement
  )
    if (ancestor.scrollWidth > ancestor.clientWidth) return ancestor
  return undefined
}
