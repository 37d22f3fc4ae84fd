import { useEffect, useState } from 'react'

/** The only address that may be kept, and what keeps it. */
const PANTALLA = '/programa'
const TRABAJADOR = '/programa-sin-linea.js'

interface Tipos {
  trustedTypes?: {
    createPolicy(
      name: string,
      rules: { createScriptURL(url: string): string },
    ): { createScriptURL(url: string): string }
  }
}

let keeping: Promise<unknown> | undefined

/** The document's policy lets one worker in, by the name that it gives (server/policy.ts). */
function keep(): Promise<unknown> {
  const url = `${TRABAJADOR}?version=${window.__reactRouterManifest?.version ?? ''}`
  const { trustedTypes } = window as Tipos
  const trusted =
    trustedTypes?.createPolicy('sin-linea', { createScriptURL: (given) => given }).createScriptURL(url) ?? url
  return navigator.serviceWorker.register(trusted, { scope: PANTALLA })
}

async function forget(): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration(PANTALLA)
  if (!registration || new URL(registration.scope).pathname !== PANTALLA) return
  await registration.unregister()
  for (const name of await caches.keys()) if (name.startsWith('programa-')) await caches.delete(name)
}

/**
 * Keeps the programme for when there is no line, once it has been opened with one. A document of another screen, from
 * which the router led here, may not register a worker: there the programme is just not kept.
 * @param hayPrograma without one, what was kept is thrown away
 * @returns whether there is no line now
 */
export function useSinLinea(hayPrograma: boolean): boolean {
  const [isOff, setIsOff] = useState(false)
  useEffect(() => {
    const look = () => setIsOff(!navigator.onLine)
    look()
    addEventListener('online', look)
    addEventListener('offline', look)
    return () => {
      removeEventListener('online', look)
      removeEventListener('offline', look)
    }
  }, [])
  useEffect(() => {
    if (!('serviceWorker' in navigator)) return
    // Nothing of the screen depends on it: in a private window, say, there is none.
    if (!hayPrograma) forget().catch(() => {})
    else {
      try {
        keeping ??= keep()
        keeping.catch(() => {})
      } catch {}
    }
  }, [hayPrograma])
  return isOff
}
