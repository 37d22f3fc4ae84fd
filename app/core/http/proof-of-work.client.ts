import { solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2'
import type { WorkChallenge } from './proof-of-work.ts'

/**
 * Does work that a server gave. The browser derives the keys beside the page, which stays as quick as it was.
 * @returns the solution; undefined when this browser cannot work, or not within a minute and a half
 */
export async function workOn(challenge: WorkChallenge): Promise<string | undefined> {
  const solution = await solveChallenge({ challenge: challenge, deriveKey }).catch(() => null)
  return solution ? JSON.stringify(solution) : undefined
}
