import { useEffect, useRef, useState } from 'react'
import type { TrabajoDado } from '#app/accounts/schema.ts'
import type { Reto, Trabajo } from '#app/core/http/proof-of-work.ts'

/** Who has waited this long for the work reads why. */
const SOON_MS = 700

/**
 * The work that comes before a code. It is fetched and done while the address is typed, so that the usual visitor waits
 * for nothing. A browser that cannot do it asks without: then codes come slower.
 */
export function useTrabajo() {
  const hecho = useRef<Promise<Trabajo | undefined>>(undefined)
  const [trabaja, setTrabaja] = useState(false)
  useEffect(() => {
    hecho.current ??= fetchTrabajo()
  }, [])

  const waitFor = async (work: Promise<Trabajo | undefined>) => {
    const timer = setTimeout(() => setTrabaja(true), SOON_MS)
    const trabajo = await work
    clearTimeout(timer)
    setTrabaja(false)
    return trabajo
  }

  return {
    /** What was done, once: for another code there is other work. */
    async take(): Promise<Trabajo | undefined> {
      const trabajo = await waitFor(hecho.current ?? fetchTrabajo())
      hecho.current = undefined
      return trabajo
    },
    /** Does what was asked for instead. */
    again: (reto: Reto) => waitFor(workOn(reto)),
    trabaja,
  }
}

async function fetchTrabajo(): Promise<Trabajo | undefined> {
  try {
    const answer = await fetch('/entrar', { headers: { accept: 'application/json' }, cache: 'no-store' })
    return answer.ok ? await workOn(((await answer.json()) as TrabajoDado).reto) : undefined
  } catch {
    return undefined
  }
}

async function workOn(reto: Reto): Promise<Trabajo | undefined> {
  const client = await import('#app/core/http/proof-of-work.client.ts').catch(() => undefined)
  const respuesta = await client?.workOn(reto)
  return respuesta === undefined ? undefined : { reto: JSON.stringify(reto), respuesta }
}
