import { useEffect } from 'react'

/**
 * For screens that show the site in frames. After a client-side navigation from a public screen the document still has that
 * screen's content security policy, which forbids frames, so it reloads once. Unsent changes are stored on the device.
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
