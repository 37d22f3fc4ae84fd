import { solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2'
import type { Reto } from './schema.ts'

/**
 * Does the work that unusual traffic asks for, in a worker beside the page.
 * @returns the solution; undefined when this browser cannot work, or not within a minute and a half
 */
export async function workOn(reto: Reto): Promise<string | undefined> {
  const solution = await solveChallenge({ challenge: reto, deriveKey }).catch(() => null)
  return solution ? JSON.stringify(solution) : undefined
}
