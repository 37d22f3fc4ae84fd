import { useEffect, useState } from 'react'

/** So near the page's end counts as there: phones stop short of it by fractions, and by their own bars. */
const NEAR_END_PX = 80

/**
 * Whether the visitor has scrolled to the end of the page, at least once. On the way a vote's button may be in the
 * middle of the screen, about to be pressed: what waits for this opens over none of them.
 * @param isOn false where nobody asks
 */
export function useFinal(isOn: boolean): boolean {
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
