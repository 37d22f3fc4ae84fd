import { createHmac, type KeyObject, randomInt } from 'node:crypto'
import { createChallenge, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import * as v from 'valibot'
import type { Work, WorkChallenge } from './proof-of-work.ts'

const VALID_MS = 10 * 60_000
/** Cost of one try: a sixth of a millisecond on a server, some two on a cheap phone. */
const COST = 1_000

const secretOf = (key: KeyObject) => key.export().toString('base64url')
/** Signs what the work leads to, so that it is checked without being done again. */
const answerSecretOf = (key: KeyObject) => createHmac('sha256', key).update('respuesta').digest('base64url')

/**
 * Makes work, in force for ten minutes. The server keeps nothing of it.
 * @param subject whom or what it is for: it counts for nothing else
 * @param attempts how many tries it takes at least; at most twice as many
 * @param now milliseconds
 * @param counter the answer, for those who measure the site: undefined draws one
 */
export const makeWork = (
  key: KeyObject,
  subject: string,
  attempts: number,
  now: number,
  counter: number = randomInt(attempts, 2 * attempts),
): Promise<WorkChallenge> =>
  createChallenge({
    algorithm: 'PBKDF2/SHA-256',
    cost: COST,
    counter,
    deriveKey,
    data: { sujeto: subject, intentos: attempts, hasta: now + VALID_MS },
    hmacSignatureSecret: secretOf(key),
    hmacKeySignatureSecret: answerSecretOf(key),
  })

/** The part of a solution that is checked before its signature. */
const WorkSchema = v.object({
  reto: v.looseObject({
    parameters: v.looseObject({ data: v.object({ sujeto: v.string(), intentos: v.number(), hasta: v.number() }) }),
    signature: v.string(),
  }),
  respuesta: v.object({ counter: v.number(), derivedKey: v.string() }),
})

/** Work that was done. */
export interface DoneWork {
  /** Names this very piece of work, so that whoever wants it once can remember it until `hasta`. */
  huella: string
  intentos: number
  hasta: Date
}

/** @returns undefined when the work was given to somebody else, is no longer in force or was not done */
export async function checkWork(
  key: KeyObject,
  subject: string,
  now: number,
  proofOfWork: Work,
): Promise<DoneWork | undefined> {
  try {
    const { reto, respuesta } = v.parse(WorkSchema, {
      reto: JSON.parse(proofOfWork.reto),
      respuesta: JSON.parse(proofOfWork.respuesta),
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
    return verified ? { huella: reto.signature, intentos: data.intentos, hasta: new Date(data.hasta) } : undefined
  } catch {
    return undefined
  }
}

/** Whether work was heavy enough. Traffic may have grown since it was given, so up to four times less is accepted. */
export const isEnough = (done: DoneWork | undefined, attempts: number): boolean =>
  done !== undefined && done.intentos * 4 >= attempts
