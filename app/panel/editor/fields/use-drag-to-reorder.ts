import { type PointerEvent, type RefObject, useEffect, useRef } from 'react'

/** Distance from the window's edge within which a dragged item scrolls the page. */
const SCROLL_EDGE_PX = 70

/**
 * Lets the items of a list be dragged by their handles, with a mouse or a finger; Escape cancels. `onMove` runs on release at another
 * place.
 * @returns a function that makes the `onPointerDown` handler for the handle of the item at an index
 */
export function useDragToReorder(
  list: RefObject<HTMLElement | null>,
  onMove: (index: number, newIndex: number) => void,
) {
  const cancelDrag = useRef<() => void>(undefined)
  useEffect(() => () => cancelDrag.current?.(), [])
  return (index: number) => (event: PointerEvent<HTMLElement>) => {
    const items = [...(list.current?.children ?? [])] as HTMLElement[]
    const draggedItem = items[index]
    if (!draggedItem || event.button !== 0) return
    event.preventDefault()
    const handle = event.currentTarget
    handle.setPointerCapture(event.pointerId)
    const startY = event.clientY + scrollY
    const boxes = items.map((item) => {
      const { top, height } = item.getBoundingClientRect()
      return { middle: top + scrollY + height / 2, height }
    })
    let newIndex = index
    draggedItem.dataset.dragged = ''
    const dragTo = (y: number) => {
      const offset = y + scrollY - startY
      const middle = boxes[index]!.middle + offset
      newIndex = boxes.filter((box, position) => position !== index && box.middle < middle).length
      for (const [position, item] of items.entries()) {
        const direction =
          position > index && position <= newIndex ? -1 : position < index && position >= newIndex ? 1 : 0
        item.style.translate = position === index ? `0 ${offset}px` : `0 ${direction * boxes[index]!.height}px`
      }
      if (y < SCROLL_EDGE_PX) scrollBy(0, -12)
      else if (y > innerHeight - SCROLL_EDGE_PX) scrollBy(0, 12)
    }
    const move = (moveEvent: globalThis.PointerEvent) => dragTo(moveEvent.clientY)
    const finish = (isCommitted: boolean) => () => {
      handle.removeEventListener('pointermove', move)
      handle.removeEventListener('pointerup', up)
      handle.removeEventListener('pointercancel', cancel)
      window.removeEventListener('keydown', onKey)
      delete draggedItem.dataset.dragged
      for (const item of items) item.style.removeProperty('translate')
      cancelDrag.current = undefined
      if (isCommitted && newIndex !== index) onMove(index, newIndex)
    }
    const up = finish(true)
    const cancel = finish(false)
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && cancel()
    handle.addEventListener('pointermove', move)
    handle.addEventListener('pointerup', up)
    handle.addEventListener('pointercancel', cancel)
    window.addEventListener('keydown', onKey)
    cancelDrag.current = cancel
  }
}
