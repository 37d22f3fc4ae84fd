import { type RefObject, useEffect, useRef, useState } from 'react'

/** Distance beyond which a mostly horizontal touch is a swipe. @source §9 */
const SWIPE_PX = 50

/** Returns an index modulo `count`, never negative, so that both ends of a list join. */
export const wrapIndex = (index: number, count: number) => ((index % count) + count) % count

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
export type SlidePlace = 'current' | 'previous' | 'next' | 'far'

export function slidePlaceOf(index: number, current: number, count: number): SlidePlace {
  if (index === current) return 'current'
  if (index === wrapIndex(current + 1, count)) return 'next'
  if (index === wrapIndex(current - 1, count)) return 'previous'
  return 'far'
}

/** Calls `onStep` with the step of a swipe (`swipeStep`). --drag on the element follows a finger that moves mostly sideways. */
export function useSwipe(target: RefObject<HTMLElement | null>, onStep: (step: -1 | 1) => void): void {
  const latestOnStep = useRef(onStep)
  useEffect(() => {
    latestOnStep.current = onStep
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
      const step = start && touch ? swipeStep(touch.clientX - start.x, touch.clientY - start.y) : 0
      release()
      if (step !== 0) latestOnStep.current(step)
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
export function useHoverOrFocus(target: RefObject<HTMLElement | null>): boolean {
  const [hasPointer, setHasPointer] = useState(false)
  const [hasFocus, setHasFocus] = useState(false)
  useEffect(() => {
    const element = target.current
    if (!element) return
    const updatePointer = (event: PointerEvent) =>
      setHasPointer(event.type === 'pointerenter' && event.pointerType !== 'touch')
    const focus = () => setHasFocus(element.querySelector(':focus-visible') !== null)
    const blur = (event: FocusEvent) => {
      if (!(event.relatedTarget instanceof Node && element.contains(event.relatedTarget))) setHasFocus(false)
    }
    element.addEventListener('pointerenter', updatePointer)
    element.addEventListener('pointerleave', updatePointer)
    element.addEventListener('focusin', focus)
    element.addEventListener('focusout', blur)
    return () => {
      element.removeEventListener('pointerenter', updatePointer)
      element.removeEventListener('pointerleave', updatePointer)
      element.removeEventListener('focusin', focus)
      element.removeEventListener('focusout', blur)
    }
  }, [target])
  return hasPointer || hasFocus
}
