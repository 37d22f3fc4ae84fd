import { useEffect, useState } from 'react'

/** The screens that may be kept. */
type Pantalla = '/programa' | '/jurado'

interface Tipos {
  trustedTypes?: {
    createPolicy(
      name: string,
      rules: { createScriptURL(url: string): string },
    ): { createScriptURL(url: string): string }
  }
}

const keeping = new Map<Pantalla, Promise<unknown>>()

/** The document's policy lets one worker in, by the name that it gives (server/policy.ts). */
function keep(pantalla: Pantalla): Promise<unknown> {
  const url = `${pantalla}-sin-linea.js?version=${window.__reactRouterManifest?.version ?? ''}`
  const { trustedTypes } = window as Tipos
  const trusted =
    trustedTypes?.createPolicy('sin-linea', { createScriptURL: (given) => given }).createScriptURL(url) ?? url
  return navigator.serviceWorker.register(trusted, { scope: pantalla })
}

async function forget(pantalla: Pantalla): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration(pantalla)
  if (!registration || new URL(registration.scope).pathname !== pantalla) return
  await registration.unregister()
  for (const name of await caches.keys()) if (name.startsWith(`${pantalla.slice(1)}-`)) await caches.delete(name)
}

/**
 * Keeps a screen for when there is no line, once it has been opened with one. A document of another screen, from which
 * the router led here, may not register a worker: there it is just not kept.
 * @param haySentido whether there is anything to keep; without it, what was kept is thrown away
 * @returns whether there is no line now
 */
export function useSinLinea(pantalla: Pantalla, haySentido = true): boolean {
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
    if (!haySentido) forget(pantalla).catch(() => {})
    else if (!keeping.has(pantalla)) {
      try {
        const kept = keep(pantalla)
        keeping.set(pantalla, kept)
        kept.catch(() => {})
      } catch {}
    }
  }, [pantalla, haySentido])
  return isOff
}
