import { useEffect } from 'react'

/**
 * Reloads the page if its content security policy forbids frames, since after a client-side navigation from a public screen
 * the document still has that screen's policy. Unsent changes are stored on the device.
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
