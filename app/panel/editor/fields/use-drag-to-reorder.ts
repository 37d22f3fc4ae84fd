import { type PointerEvent, type RefObject, useEffect, useRef } from 'react'

/** A dragged item scrolls the page when it is closer than this to the window's edge. */
const SCROLL_EDGE_PX = 70

/**
 * Reorders the items of a list by dragging their handles, with a mouse or a finger; Escape cancels. The callback receives the
 * item's old and new index on release.
 * @returns a function that makes the `onPointerDown` handler for the handle of the item at an index
 */
export function useDragToReorder(
  list: RefObject<HTMLElement | null>,
  onMove: (index: number, newIndex: number) => void,
) {
  const end = useRef<() => void>(undefined)
  useEffect(() => () => end.current?.(), [])
  return (index: number) => (event: PointerEvent<HTMLElement>) => {
    const items = [...(list.current?.children ?? [])] as HTMLElement[]
    const dragged = items[index]
    if (!dragged || event.button !== 0) return
    event.preventDefault()
    const handle = event.currentTarget
    handle.setPointerCapture(event.pointerId)
    const beganY = event.clientY + scrollY
    const boxes = items.map((item) => {
      const { top, height } = item.getBoundingClientRect()
      return { middle: top + scrollY + height / 2, height }
    })
    let to = index
    dragged.dataset.dragged = ''
    const dragTo = (y: number) => {
      const offset = y + scrollY - beganY
      const middle = boxes[index]!.middle + offset
      to = boxes.filter((box, at) => at !== index && box.middle < middle).length
      for (const [at, item] of items.entries()) {
        const direction = at === index ? 0 : at > index && at <= to ? -1 : at < index && at >= to ? 1 : 0
        item.style.translate = at === index ? `0 ${offset}px` : `0 ${direction * boxes[index]!.height}px`
      }
      if (y < SCROLL_EDGE_PX) scrollBy(0, -12)
      else if (y > innerHeight - SCROLL_EDGE_PX) scrollBy(0, 12)
    }
    const move = (next: globalThis.PointerEvent) => dragTo(next.clientY)
    const stop = (isCommitted: boolean) => () => {
      handle.removeEventListener('pointermove', move)
      handle.removeEventListener('pointerup', up)
      handle.removeEventListener('pointercancel', cancel)
      window.removeEventListener('keydown', onKey)
      delete dragged.dataset.dragged
      for (const item of items) item.style.removeProperty('translate')
      end.current = undefined
      if (isCommitted && to !== index) onMove(index, to)
    }
    const up = stop(true)
    const cancel = stop(false)
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && cancel()
    handle.addEventListener('pointermove', move)
    handle.addEventListener('pointerup', up)
    handle.addEventListener('pointercancel', cancel)
    window.addEventListener('keydown', onKey)
    end.current = cancel
  }
}
