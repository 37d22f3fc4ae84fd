import { solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2'
import type { WorkChallenge } from './proof-of-work.ts'

/**
 * Solves a proof-of-work challenge. The browser derives the keys off the main thread, so the page stays responsive.
 * @returns the solution as JSON; undefined if this browser cannot solve the challenge within a minute and a half
 */
export async function solveWork(challenge: WorkChallenge): Promise<string | undefined> {
  const solution = await solveChallenge({ challenge, deriveKey }).catch(() => null)
  return solution ? JSON.stringify(solution) : undefined
}
