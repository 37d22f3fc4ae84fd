import { createHmac, type KeyObject, randomInt } from 'node:crypto'
import { createChallenge, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import * as v from 'valibot'
import type { Reto, Trabajo } from './proof-of-work.ts'

const VALID_MS = 10 * 60_000
/** Cost of one try: a sixth of a millisecond on a server, some two on a cheap phone. */
const COST = 1_000

const secretOf = (key: KeyObject) => key.export().toString('base64url')
/** Signs what the work leads to, so that it is checked without being done again. */
const answerSecretOf = (key: KeyObject) => createHmac('sha256', key).update('respuesta').digest('base64url')

/**
 * Makes work, in force for ten minutes. The server keeps nothing of it.
 * @param sujeto whom or what it is for: it counts for nothing else
 * @param intentos how many tries it takes at least; at most twice as many
 * @param ahora milliseconds
 * @param counter the answer, for those who measure the site: undefined draws one
 */
export const makeTrabajo = (
  key: KeyObject,
  sujeto: string,
  intentos: number,
  ahora: number,
  counter: number = randomInt(intentos, 2 * intentos),
): Promise<Reto> =>
  createChallenge({
    algorithm: 'PBKDF2/SHA-256',
    cost: COST,
    counter,
    deriveKey,
    data: { sujeto, intentos, hasta: ahora + VALID_MS },
    hmacSignatureSecret: secretOf(key),
    hmacKeySignatureSecret: answerSecretOf(key),
  })

/** The part of a solution that is checked before its signature. */
const TrabajoSchema = v.object({
  reto: v.looseObject({
    parameters: v.looseObject({ data: v.object({ sujeto: v.string(), intentos: v.number(), hasta: v.number() }) }),
    signature: v.string(),
  }),
  respuesta: v.object({ counter: v.number(), derivedKey: v.string() }),
})

/** Work that was done. */
export interface TrabajoHecho {
  /** Names this very piece of work, so that whoever wants it once can remember it until `hasta`. */
  huella: string
  intentos: number
  hasta: Date
}

/** @returns undefined when the work was given to somebody else, is no longer in force or was not done */
export async function checkTrabajo(
  key: KeyObject,
  sujeto: string,
  ahora: number,
  trabajo: Trabajo,
): Promise<TrabajoHecho | undefined> {
  try {
    const { reto, respuesta } = v.parse(TrabajoSchema, {
      reto: JSON.parse(trabajo.reto),
      respuesta: JSON.parse(trabajo.respuesta),
    })
    const { data } = reto.parameters
    if (data.sujeto !== sujeto || data.hasta < ahora) return undefined
    const { verified } = await verifySolution({
      challenge: reto as unknown as Reto,
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
export const isEnough = (hecho: TrabajoHecho | undefined, intentos: number): boolean =>
  hecho !== undefined && hecho.intentos * 4 >= intentos
