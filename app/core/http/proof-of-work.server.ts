import { createHmac, type KeyObject, randomInt } from 'node:crypto'
import { createChallenge, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import * as v from 'valibot'
import type { SubmittedWork, WorkChallenge } from './proof-of-work.ts'

const VALID_MS = 10 * 60_000
/** One try costs this many PBKDF2 iterations: a sixth of a millisecond on a server, about two on a cheap phone. */
const PBKDF2_ITERATIONS = 1_000

const secretOf = (key: KeyObject) => key.export().toString('base64url')
/** Returns the secret that signs the derived key, so that a solution is verified without repeating the work. */
const solutionSecretOf = (key: KeyObject) => createHmac('sha256', key).update('respuesta').digest('base64url')

/**
 * Creates a proof-of-work challenge, valid for ten minutes. The server does not store it, so a caller that accepts a solution
 * only once has to remember its fingerprint.
 * @param subject the person or action that the proof of work is valid for
 * @param difficulty the fewest hashes that a solution takes; the most are just under twice as many
 * @param now in milliseconds
 * @param counter the solution, given by load tests; drawn at random by default
 */
export const createWorkChallenge = (
  key: KeyObject,
  subject: string,
  difficulty: number,
  now: number,
  counter: number = randomInt(difficulty, 2 * difficulty),
): Promise<WorkChallenge> =>
  createChallenge({
    algorithm: 'PBKDF2/SHA-256',
    cost: PBKDF2_ITERATIONS,
    counter,
    deriveKey,
    data: { sujeto: subject, intentos: difficulty, hasta: now + VALID_MS },
    hmacSignatureSecret: secretOf(key),
    hmacKeySignatureSecret: solutionSecretOf(key),
  })

/** The part of a solution that is checked before its signature. */
const WorkSchema = v.object({
  reto: v.looseObject({
    parameters: v.looseObject({ data: v.object({ sujeto: v.string(), intentos: v.number(), hasta: v.number() }) }),
    signature: v.string(),
  }),
  respuesta: v.object({ counter: v.number(), derivedKey: v.string() }),
})

/** A verified solution. */
export interface VerifiedWork {
  /** Identifies the challenge, so that a caller can remember it until it expires, and accept one solution only. */
  fingerprint: string
  /** As in `createWorkChallenge`. */
  difficulty: number
  expiresAt: Date
}

/** Verifies a solution. @returns undefined when it is wrong, has expired, or solves the challenge of another subject */
export async function checkWork(
  key: KeyObject,
  subject: string,
  now: number,
  submittedWork: SubmittedWork,
): Promise<VerifiedWork | undefined> {
  try {
    const { reto, respuesta } = v.parse(WorkSchema, {
      reto: JSON.parse(submittedWork.reto),
      respuesta: JSON.parse(submittedWork.respuesta),
    })
    const { data } = reto.parameters
    if (data.sujeto !== subject || data.hasta < now) return undefined
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
 * Returns whether a proof of work is difficult enough. A quarter of `difficulty` suffices, since traffic, and with it the
 * difficulty, may have grown since the challenge was issued.
 */
export const isEnoughWork = (verifiedWork: VerifiedWork | undefined, difficulty: number): boolean =>
  verifiedWork !== undefined && verifiedWork.difficulty * 4 >= difficulty
