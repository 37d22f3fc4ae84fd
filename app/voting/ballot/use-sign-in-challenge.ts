import { useEffect, useRef, useState } from 'react'
import type { WorkOffer } from '#app/accounts/schema.ts'
import type { Work, WorkChallenge } from '#app/core/http/proof-of-work.ts'

/** Who has waited this long for the work reads why. */
const SOON_MS = 700

/**
 * The work that comes before a code. It is fetched and done while the address is typed, so that the usual visitor waits
 * for nothing. A browser that cannot do it asks without: then codes come slower.
 */
export function useSignInChallenge() {
  const done = useRef<Promise<Work | undefined>>(undefined)
  const [isWorking, setTrabaja] = useState(false)
  useEffect(() => {
    done.current ??= fetchWork()
  }, [])

  const waitFor = async (work: Promise<Work | undefined>) => {
    const timer = setTimeout(() => setTrabaja(true), SOON_MS)
    const proofOfWork = await work
    clearTimeout(timer)
    setTrabaja(false)
    return proofOfWork
  }

  return {
    /** What was done, once: for another code there is other work. */
    async take(): Promise<Work | undefined> {
      const proofOfWork = await waitFor(done.current ?? fetchWork())
      done.current = undefined
      return proofOfWork
    },
    /** Does what was asked for instead. */
    again: (challenge: WorkChallenge) => waitFor(workOn(challenge)),
    trabaja: isWorking,
  }
}

async function fetchWork(): Promise<Work | undefined> {
  try {
    const answer = await fetch('/entrar', { headers: { accept: 'application/json' }, cache: 'no-store' })
    return answer.ok ? await workOn(((await answer.json()) as WorkOffer).reto) : undefined
  } catch {
    return undefined
  }
}

async function workOn(challenge: WorkChallenge): Promise<Work | undefined> {
  const client = await import('#app/core/http/proof-of-work.client.ts').catch(() => undefined)
  const solution = await client?.workOn(challenge)
  return solution === undefined ? undefined : { reto: JSON.stringify(challenge), respuesta: solution }
}
