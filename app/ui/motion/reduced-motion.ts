import { useEffect, useState } from 'react'

export function useIsHydrated(): boolean {
  const [isHydrated, setIsHydrated] = useState(false)
  useEffect(() => setIsHydrated(true), [])
  return isHydrated
}

/** Returns whether the visitor asked for less motion; false until hydration. */
export function useReducedMotion(): boolean {
  const [hasReducedMotion, setHasReducedMotion] = useState(false)
  useEffect(() => {
    const query = matchMedia('(prefers-reduced-motion: reduce)')
    const read = () => setHasReducedMotion(query.matches)
    read()
    query.addEventListener('change', read)
    return () => query.removeEventListener('change', read)
  }, [])
  return hasReducedMotion
}
