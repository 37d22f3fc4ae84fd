import { type RefObject, useEffect, useRef, useState } from 'react'

/** Distance beyond which a mostly horizontal touch counts as a swipe. @source §9 */
const SWIPE_PX = 50

/** Returns an index modulo `count`, never negative, so that both ends of a list join. */
export const wrap = (index: number, count: number) => ((index % count) + count) % count

/**
 * Returns the step of a touch.
 * @param dx horizontal distance in CSS pixels, positive to the right
 * @param dy vertical distance in CSS pixels
 * @returns -1 previous (to the right), 1 next (to the left), 0 nothing
 * @source §2.3
 */
export function swipeStep(dx: number, dy: number): -1 | 0 | 1 {
  if (Math.abs(dx) <= SWIPE_PX || Math.abs(dx) <= Math.abs(dy)) return 0
  return dx > 0 ? -1 : 1
}

/** Place of a picture relative to the current one; 'far' is out of sight. */
export type Place = 'current' | 'previous' | 'next' | 'far'

export function placeOf(index: number, current: number, count: number): Place {
  if (index === current) return 'current'
  if (index === wrap(current + 1, count)) return 'next'
  if (index === wrap(current - 1, count)) return 'previous'
  return 'far'
}

/** Calls `onStep` with the direction of a swipe. During the touch, --drag on the element follows the finger. */
export function useSwipe(target: RefObject<HTMLElement | null>, step: (by: -1 | 1) => void): void {
  const latest = useRef(step)
  useEffect(() => {
    latest.current = step
  })
  useEffect(() => {
    const element = target.current
    if (!element) return
    let start: { x: number; y: number } | undefined
    const release = () => {
      start = undefined
      element.style.removeProperty('--drag')
      delete element.dataset.dragging
    }
    const begin = ({ touches }: TouchEvent) => {
      release()
      const touch = touches.length === 1 ? touches[0] : undefined
      start = touch && { x: touch.clientX, y: touch.clientY }
    }
    const move = ({ touches }: TouchEvent) => {
      const touch = touches[0]
      if (!start || !touch) return
      const dx = touch.clientX - start.x
      if (Math.abs(dx) <= Math.abs(touch.clientY - start.y)) return
      element.dataset.dragging = ''
      element.style.setProperty('--drag', `${dx}px`)
    }
    const end = ({ changedTouches }: TouchEvent) => {
      const touch = changedTouches[0]
      const by = start && touch ? swipeStep(touch.clientX - start.x, touch.clientY - start.y) : 0
      release()
      if (by !== 0) latest.current(by)
    }
    element.addEventListener('touchstart', begin, { passive: true })
    element.addEventListener('touchmove', move, { passive: true })
    element.addEventListener('touchend', end)
    element.addEventListener('touchcancel', release)
    return () => {
      element.removeEventListener('touchstart', begin)
      element.removeEventListener('touchmove', move)
      element.removeEventListener('touchend', end)
      element.removeEventListener('touchcancel', release)
    }
  }, [target])
}

/** Returns whether the mouse is over the element, or the keyboard focus inside it. A tap counts as neither. */
export function useAttention(target: RefObject<HTMLElement | null>): boolean {
  const [pointer, setPointer] = useState(false)
  const [keyboard, setKeyboard] = useState(false)
  useEffect(() => {
    const element = target.current
    if (!element) return
    const over = (event: PointerEvent) => setPointer(event.type === 'pointerenter' && event.pointerType !== 'touch')
    const focus = () => setKeyboard(element.querySelector(':focus-visible') !== null)
    const blur = (event: FocusEvent) => {
      if (!(event.relatedTarget instanceof Node && element.contains(event.relatedTarget))) setKeyboard(false)
    }
    element.addEventListener('pointerenter', over)
    element.addEventListener('pointerleave', over)
    element.addEventListener('focusin', focus)
    element.addEventListener('focusout', blur)
    return () => {
      element.removeEventListener('pointerenter', over)
      element.removeEventListener('pointerleave', over)
      element.removeEventListener('focusin', focus)
      element.removeEventListener('focusout', blur)
    }
  }, [target])
  return pointer || keyboard
}
