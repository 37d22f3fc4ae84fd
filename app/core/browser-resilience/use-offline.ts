import { useEffect, useState } from 'react'

type OfflineScreen = '/programa' | '/jurado'

interface TrustedTypesWindow {
  trustedTypes?: {
    createPolicy(
      name: string,
      rules: { createScriptURL(url: string): string },
    ): { createScriptURL(url: string): string }
  }
}

const registrations = new Map<OfflineScreen, Promise<unknown>>()

/**
 * Registers the screen's service worker. The document's content security policy (server/security-headers.ts) allows its URL only
 * from the Trusted Types policy `sin-linea`.
 */
function registerWorker(screen: OfflineScreen): Promise<unknown> {
  const url = `${screen}-sin-linea.js?version=${window.__reactRouterManifest?.version ?? ''}`
  const { trustedTypes } = window as TrustedTypesWindow
  const trustedUrl =
    trustedTypes?.createPolicy('sin-linea', { createScriptURL: (scriptUrl) => scriptUrl }).createScriptURL(url) ?? url
  return navigator.serviceWorker.register(trustedUrl, { scope: screen })
}

async function removeWorker(screen: OfflineScreen): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration(screen)
  if (!registration || new URL(registration.scope).pathname !== screen) return
  await registration.unregister()
  for (const name of await caches.keys()) if (name.startsWith(`${screen.slice(1)}-`)) await caches.delete(name)
}

/**
 * Keeps a screen for offline use once its own document has been opened online. After a client-side navigation the worker cannot
 * be registered, since the previous screen's content security policy is still in force.
 * @param isWorthKeeping whether to keep the screen; false removes an earlier copy
 * @returns whether the device is offline now or, on a page that the worker may have served, the site does not answer
 */
export function useOffline(screen: OfflineScreen, isWorthKeeping = true): boolean {
  const [isOffline, setIsOffline] = useState(false)
  useEffect(() => {
    let isUnmounted = false
    const update = (isOfflineNow: boolean) => !isUnmounted && setIsOffline(isOfflineNow)
    const checkNetwork = () => {
      update(!navigator.onLine)
      // `navigator.onLine` is also true on a network without the internet. If the worker may have served the page, a request to
      // the site decides.
      if (navigator.onLine && navigator.serviceWorker?.controller)
        fetch('/hora', { cache: 'no-store' }).then(
          () => update(false),
          () => update(true),
        )
    }
    checkNetwork()
    addEventListener('online', checkNetwork)
    addEventListener('offline', checkNetwork)
    return () => {
      isUnmounted = true
      removeEventListener('online', checkNetwork)
      removeEventListener('offline', checkNetwork)
    }
  }, [])
  useEffect(() => {
    if (!('serviceWorker' in navigator)) return
    // Errors are ignored, since service workers do not work everywhere, for example in private windows.
    if (!isWorthKeeping) removeWorker(screen).catch(() => {})
    else if (!registrations.has(screen)) {
      try {
        const registration = registerWorker(screen)
        registrations.set(screen, registration)
        registration.catch(() => {})
      } catch {}
    }
  }, [screen, isWorthKeeping])
  return isOffline
}
