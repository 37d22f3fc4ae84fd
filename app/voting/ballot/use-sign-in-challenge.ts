import { useEffect, useRef, useState } from 'react'
import type { WorkOffer } from '#app/accounts/schema.ts'
import type { SubmittedWork, WorkChallenge } from '#app/core/http/proof-of-work.ts'

/** The visitor is told about the computation after this delay. */
const WORK_NOTICE_DELAY_MS = 700

/**
 * Does the proof of work that the server asks for before it mails a code. The challenge is fetched and solved while the visitor
 * types the address, so most visitors never wait for it. A browser that cannot solve it requests the code without a proof of
 * work; the server sends such codes more slowly.
 */
export function useSignInChallenge() {
  const pendingSolution = useRef<Promise<SubmittedWork | undefined>>(undefined)
  const [isWorking, setIsWorking] = useState(false)
  useEffect(() => {
    pendingSolution.current ??= fetchAndSolve()
  }, [])

  const waitFor = async (work: Promise<SubmittedWork | undefined>) => {
    const timer = setTimeout(() => setIsWorking(true), WORK_NOTICE_DELAY_MS)
    const proofOfWork = await work
    clearTimeout(timer)
    setIsWorking(false)
    return proofOfWork
  }

  return {
    /** Returns the solved challenge and forgets it, since the server accepts a solution once. */
    async takeSolution(): Promise<SubmittedWork | undefined> {
      const proofOfWork = await waitFor(pendingSolution.current ?? fetchAndSolve())
      pendingSolution.current = undefined
      return proofOfWork
    },
    /** Solves the challenge of a refusal. */
    solveAgain: (challenge: WorkChallenge) => waitFor(solve(challenge)),
    isWorking,
  }
}

async function fetchAndSolve(): Promise<SubmittedWork | undefined> {
  try {
    const answer = await fetch('/entrar', { headers: { accept: 'application/json' }, cache: 'no-store' })
    return answer.ok ? await solve(((await answer.json()) as WorkOffer).reto) : undefined
  } catch {
    return undefined
  }
}

async function solve(challenge: WorkChallenge): Promise<SubmittedWork | undefined> {
  const client = await import('#app/core/http/proof-of-work.client.ts').catch(() => undefined)
  const solution = await client?.solveWork(challenge)
  return solution === undefined ? undefined : { reto: JSON.stringify(challenge), respuesta: solution }
}
