import { useEffect, useState } from 'react'

/** The screens that may be kept. */
type OfflineScreen = '/programa' | '/jurado'

interface TrustedTypesWindow {
  trustedTypes?: {
    createPolicy(
      name: string,
      rules: { createScriptURL(url: string): string },
    ): { createScriptURL(url: string): string }
  }
}

const keeping = new Map<OfflineScreen, Promise<unknown>>()

/** The document's policy lets one worker in, by the name that it gives (server/security-headers.ts). */
function keep(screen: OfflineScreen): Promise<unknown> {
  const url = `${screen}-sin-linea.js?version=${window.__reactRouterManifest?.version ?? ''}`
  const { trustedTypes } = window as TrustedTypesWindow
  const trusted =
    trustedTypes?.createPolicy('sin-linea', { createScriptURL: (given) => given }).createScriptURL(url) ?? url
  return navigator.serviceWorker.register(trusted, { scope: screen })
}

async function forget(screen: OfflineScreen): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration(screen)
  if (!registration || new URL(registration.scope).pathname !== screen) return
  await registration.unregister()
  for (const name of await caches.keys()) if (name.startsWith(`${screen.slice(1)}-`)) await caches.delete(name)
}

/**
 * Keeps a screen for when there is no line, once it has been opened with one. A document of another screen, from which
 * the router led here, may not register a worker: there it is just not kept.
 * @param hasSomethingToKeep whether there is anything to keep; without it, what was kept is thrown away
 * @returns whether there is no line now
 */
export function useOffline(screen: OfflineScreen, hasSomethingToKeep = true): boolean {
  const [isOff, setIsOff] = useState(false)
  useEffect(() => {
    let isOver = false
    const tell = (isOff: boolean) => !isOver && setIsOff(isOff)
    const look = () => {
      tell(!navigator.onLine)
      // A network that leads nowhere counts as a line: where the worker may have answered, the site itself is asked.
      if (navigator.onLine && navigator.serviceWorker?.controller)
        fetch('/hora', { cache: 'no-store' }).then(
          () => tell(false),
          () => tell(true),
        )
    }
    look()
    addEventListener('online', look)
    addEventListener('offline', look)
    return () => {
      isOver = true
      removeEventListener('online', look)
      removeEventListener('offline', look)
    }
  }, [])
  useEffect(() => {
    if (!('serviceWorker' in navigator)) return
    // Nothing of the screen depends on it: in a private window, say, there is none.
    if (!hasSomethingToKeep) forget(screen).catch(() => {})
    else if (!keeping.has(screen)) {
      try {
        const kept = keep(screen)
        keeping.set(screen, kept)
        kept.catch(() => {})
      } catch {}
    }
  }, [screen, hasSomethingToKeep])
  return isOff
}
