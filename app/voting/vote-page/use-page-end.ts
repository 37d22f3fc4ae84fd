import { useEffect, useState } from 'react'

/** The end counts as reached within this many pixels: phones stop short by fractions of a pixel and by their bars. */
const NEAR_END_PX = 80

/**
 * Returns whether the visitor has scrolled to the end of the page at least once. On the way there a vote button may be in
 * mid-screen, about to be pressed; a window that waits for the end covers none.
 * @param isOn false: scrolling is not observed
 */
export function useHasReachedEnd(isOn: boolean): boolean {
  const [isReached, setIsReached] = useState(false)
  useEffect(() => {
    if (!isOn || isReached) return
    const look = () => {
      const { scrollHeight, clientHeight } = document.documentElement
      if (scrollY + clientHeight >= scrollHeight - NEAR_END_PX) setIsReached(true)
    }
    addEventListener('scroll', look, { passive: true })
    return () => removeEventListener('scroll', look)
  }, [isOn, isReached])
  return isReached
}
