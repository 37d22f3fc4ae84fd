import { useEffect, useRef, useState } from 'react'
import type { WorkOffer } from '#app/accounts/schema.ts'
import type { SubmittedWork, WorkChallenge } from '#app/core/http/proof-of-work.ts'

/** After this many milliseconds of waiting the visitor is told about the work. */
const SOON_MS = 700

/**
 * Does the proof of work before a code is mailed. The challenge is fetched and solved while the visitor types the address, so
 * that most visitors wait for nothing. A browser that cannot solve the challenge asks without it, and codes then come more
 * slowly.
 */
export function useSignInChallenge() {
  const pendingWork = useRef<Promise<SubmittedWork | undefined>>(undefined)
  const [isWorking, setIsWorking] = useState(false)
  useEffect(() => {
    pendingWork.current ??= fetchWork()
  }, [])

  const waitFor = async (work: Promise<SubmittedWork | undefined>) => {
    const timer = setTimeout(() => setIsWorking(true), SOON_MS)
    const proofOfWork = await work
    clearTimeout(timer)
    setIsWorking(false)
    return proofOfWork
  }

  return {
    /** Hands out the solved challenge once: the next code needs other work. */
    async takeWork(): Promise<SubmittedWork | undefined> {
      const proofOfWork = await waitFor(pendingWork.current ?? fetchWork())
      pendingWork.current = undefined
      return proofOfWork
    },
    /** Solves the challenge that a refusal brought. */
    solveAgain: (challenge: WorkChallenge) => waitFor(workOn(challenge)),
    isWorking,
  }
}

async function fetchWork(): Promise<SubmittedWork | undefined> {
  try {
    const answer = await fetch('/entrar', { headers: { accept: 'application/json' }, cache: 'no-store' })
    return answer.ok ? await workOn(((await answer.json()) as WorkOffer).reto) : undefined
  } catch {
    return undefined
  }
}

async function workOn(challenge: WorkChallenge): Promise<SubmittedWork | undefined> {
  const client = await import('#app/core/http/proof-of-work.client.ts').catch(() => undefined)
  const solution = await client?.solveWork(challenge)
  return solution === undefined ? undefined : { reto: JSON.stringify(challenge), respuesta: solution }
}
