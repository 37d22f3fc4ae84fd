import { useEffect } from 'react'

/**
 * A screen that shows the site in frames. Whoever came from a public screen without another document brought that
 * screen's policy along, which allows none: the document is asked for anew, once. What was typed is on the device.
 */
export function useFramePolicy(): void {
  useEffect(() => {
    const reload = ({ effectiveDirective }: SecurityPolicyViolationEvent) => {
      if (effectiveDirective === 'frame-src') location.reload()
    }
    document.addEventListener('securitypolicyviolation', reload)
    return () => document.removeEventListener('securitypolicyviolation', reload)
  }, [])
}
