import { useEffect, useState } from 'react'

/** The visitor has reached the end this many pixels before it: phones stop short by fractions of a pixel and by their bars. */
const NEAR_END_PX = 80

/**
 * Returns whether the visitor has scrolled to the end of the page. A window that opens there covers no vote button that the
 * visitor is about to press.
 * @param isEnabled whether to observe scrolling
 */
export function useHasReachedEnd(isEnabled: boolean): boolean {
  const [isReached, setIsReached] = useState(false)
  useEffect(() => {
    if (!isEnabled || isReached) return
    const checkPosition = () => {
      const { scrollHeight, clientHeight } = document.documentElement
      if (scrollY + clientHeight >= scrollHeight - NEAR_END_PX) setIsReached(true)
    }
    addEventListener('scroll', checkPosition, { passive: true })
    return () => removeEventListener('scroll', checkPosition)
  }, [isEnabled, isReached])
  return isReached
}
