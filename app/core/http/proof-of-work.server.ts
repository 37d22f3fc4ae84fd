import { createHmac, type KeyObject, randomInt } from 'node:crypto'
import { createChallenge, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import * as v from 'valibot'
import type { SubmittedWork, WorkChallenge } from './proof-of-work.ts'

const CHALLENGE_VALIDITY_MS = 10 * 60_000
/** One hash has this many PBKDF2 iterations: a sixth of a millisecond on a server, about two on a cheap phone. */
const PBKDF2_ITERATIONS = 1_000

const secretOf = (key: KeyObject) => key.export().toString('base64url')
/** Returns the secret that signs the derived key, so that the server verifies a solution without repeating the work. */
const solutionSecretOf = (key: KeyObject) => createHmac('sha256', key).update('respuesta').digest('base64url')

/**
 * Creates a proof-of-work challenge, valid for ten minutes. The server does not store it, so a caller that accepts a solution
 * only once has to remember its fingerprint.
 * @param subject the person or action that the proof of work is valid for
 * @param difficulty minimum number of hashes that a solution takes; the maximum is just below twice as many
 * @param counter the solution, which only load tests give; drawn at random by default
 */
export const createWorkChallenge = (
  key: KeyObject,
  subject: string,
  difficulty: number,
  nowMs: number,
  counter: number = randomInt(difficulty, 2 * difficulty),
): Promise<WorkChallenge> =>
  createChallenge({
    algorithm: 'PBKDF2/SHA-256',
    cost: PBKDF2_ITERATIONS,
    counter,
    deriveKey,
    data: { sujeto: subject, intentos: difficulty, hasta: nowMs + CHALLENGE_VALIDITY_MS },
    hmacSignatureSecret: secretOf(key),
    hmacKeySignatureSecret: solutionSecretOf(key),
  })

/** The parts of a challenge and its solution that are checked before their signatures. */
const SolutionSchema = v.object({
  reto: v.looseObject({
    parameters: v.looseObject({ data: v.object({ sujeto: v.string(), intentos: v.number(), hasta: v.number() }) }),
    signature: v.string(),
  }),
  respuesta: v.object({ counter: v.number(), derivedKey: v.string() }),
})

export interface VerifiedWork {
  /** Identifies the challenge. A caller that remembers it until it expires can accept one solution only. */
  fingerprint: string
  /** Difficulty of the challenge, as in `createWorkChallenge`. */
  difficulty: number
  expiresAt: Date
}

/**
 * Verifies a solution.
 * @returns undefined if it is malformed or wrong, or if its challenge has expired, belongs to another subject or was not made
 * with `key`
 */
export async function verifyWork(
  key: KeyObject,
  subject: string,
  nowMs: number,
  submittedWork: SubmittedWork,
): Promise<VerifiedWork | undefined> {
  try {
    const { reto, respuesta } = v.parse(SolutionSchema, {
      reto: JSON.parse(submittedWork.reto),
      respuesta: JSON.parse(submittedWork.respuesta),
    })
    const { data } = reto.parameters
    if (data.sujeto !== subject || data.hasta < nowMs) return undefined
    const { verified } = await verifySolution({
      challenge: reto as unknown as WorkChallenge,
      solution: { ...respuesta, time: 0 },
      deriveKey,
      hmacSignatureSecret: secretOf(key),
      hmacKeySignatureSecret: solutionSecretOf(key),
    })
    return verified
      ? { fingerprint: reto.signature, difficulty: data.intentos, expiresAt: new Date(data.hasta) }
      : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns whether there is a proof of work that is difficult enough. A quarter of `difficulty` suffices, since traffic may have
 * raised the difficulty after the challenge was issued.
 */
export const isEnoughWork = (verifiedWork: VerifiedWork | undefined, difficulty: number): boolean =>
  verifiedWork !== undefined && verifiedWork.difficulty * 4 >= difficulty
