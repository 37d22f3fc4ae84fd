import { createHmac, type KeyObject, randomInt } from 'node:crypto'
import { createChallenge, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import * as v from 'valibot'
import type { SubmittedWork, WorkChallenge } from './proof-of-work.ts'

const VALID_MS = 10 * 60_000
/** One try costs this many PBKDF2 iterations: a sixth of a millisecond on a server, about two on a cheap phone. */
const PBKDF2_ITERATIONS = 1_000

const secretOf = (key: KeyObject) => key.export().toString('base64url')
/** Returns the secret that signs the derived key, so that a solution is checked without repeating the work. */
const answerSecretOf = (key: KeyObject) => createHmac('sha256', key).update('respuesta').digest('base64url')

/**
 * Creates a proof of work, valid for ten minutes. The server stores nothing of it, so a caller that accepts a solution only once
 * has to remember its fingerprint.
 * @param subject the person or action that the work is valid for
 * @param attempts the fewest tries that it takes; the most are just under twice as many
 * @param now milliseconds
 * @param counter the answer, given by load tests; drawn at random by default
 */
export const createWork = (
  key: KeyObject,
  subject: string,
  attempts: number,
  now: number,
  counter: number = randomInt(attempts, 2 * attempts),
): Promise<WorkChallenge> =>
  createChallenge({
    algorithm: 'PBKDF2/SHA-256',
    cost: PBKDF2_ITERATIONS,
    counter,
    deriveKey,
    data: { sujeto: subject, intentos: attempts, hasta: now + VALID_MS },
    hmacSignatureSecret: secretOf(key),
    hmacKeySignatureSecret: answerSecretOf(key),
  })

/** This part of a solution is checked before its signature. */
const WorkSchema = v.object({
  reto: v.looseObject({
    parameters: v.looseObject({ data: v.object({ sujeto: v.string(), intentos: v.number(), hasta: v.number() }) }),
    signature: v.string(),
  }),
  respuesta: v.object({ counter: v.number(), derivedKey: v.string() }),
})

/** This is a verified solution. */
export interface VerifiedWork {
  /** The fingerprint identifies the piece of work, so that a caller can remember it until it expires, and accept it once. */
  fingerprint: string
  attempts: number
  expiresAt: Date
}

/** Verifies a solution. @returns undefined when the work was given to another subject, has expired or was not done */
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
      hmacKeySignatureSecret: answerSecretOf(key),
    })
    return verified
      ? { fingerprint: reto.signature, attempts: data.intentos, expiresAt: new Date(data.hasta) }
      : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns whether the work was heavy enough. Traffic may have grown since it was given, so a quarter of `attempts` is accepted.
 */
export const isEnoughWork = (verifiedWork: VerifiedWork | undefined, attempts: number): boolean =>
  verifiedWork !== undefined && verifiedWork.attempts * 4 >= attempts
