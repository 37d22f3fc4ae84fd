import { useEffect, useRef, useState } from 'react'
import type { WorkOffer } from '#app/accounts/schema.ts'
import type { SubmittedWork, WorkChallenge } from '#app/core/http/proof-of-work.ts'

/** The page mentions the computation once the visitor has waited for it this long. */
const WORK_NOTICE_DELAY_MS = 700

/**
 * Solves the challenge that the server sets before it mails a code. The solving begins while the visitor types the address, so
 * that the visitor waits less. A browser that fails requests the code without a proof of work, and the server then sends codes
 * more slowly.
 */
export function useSignInChallenge() {
  const pendingSolution = useRef<Promise<SubmittedWork | undefined>>(undefined)
  const [isWorking, setIsWorking] = useState(false)
  useEffect(() => {
    pendingSolution.current ??= fetchAndSolve()
  }, [])

  const waitFor = async (solving: Promise<SubmittedWork | undefined>) => {
    const timer = setTimeout(() => setIsWorking(true), WORK_NOTICE_DELAY_MS)
    const proofOfWork = await solving
    clearTimeout(timer)
    setIsWorking(false)
    return proofOfWork
  }

  return {
    /**
     * Returns the proof of work and forgets it, since the server accepts it once; undefined if the challenge could not be fetched
     * or solved.
     */
    async takeSolution(): Promise<SubmittedWork | undefined> {
      const proofOfWork = await waitFor(pendingSolution.current ?? fetchAndSolve())
      pendingSolution.current = undefined
      return proofOfWork
    },
    /** Solves the challenge that came with a refusal. */
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
  const solver = await import('#app/core/http/proof-of-work.client.ts').catch(() => undefined)
  const solution = await solver?.solveWork(challenge)
  return solution === undefined ? undefined : { reto: JSON.stringify(challenge), respuesta: solution }
}
