import { useEffect } from 'react'

/**
 * Reloads the page if its content security policy forbids frames: after a client-side navigation from a screen without frames, such
 * as the results, the document still has that screen's policy. Unsent changes are stored on the device.
 */
export function useReloadOnFramePolicy(): void {
  useEffect(() => {
    const reload = ({ effectiveDirective }: SecurityPolicyViolationEvent) => {
      if (effectiveDirective === 'frame-src') location.reload()
    }
    document.addEventListener('securitypolicyviolation', reload)
    return () => document.removeEventListener('securitypolicyviolation', reload)
  }, [])
}
