import { type KeyObject, randomInt } from 'node:crypto'
import { createChallenge, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import * as v from 'valibot'
import type { Reto } from './schema.ts'

const VALID_MS = 10 * 60_000
/** Cost of one try: half a millisecond on the server that checks it, some two on a cheap phone. */
const COST = 1_000

const secretOf = (key: KeyObject) => key.export().toString('base64url')

/**
 * Makes work for one voter, in force for ten minutes. The server keeps nothing of it.
 * @param intentos how many tries it takes at least; at most twice as many
 * @param ahora milliseconds
 */
export const makeReto = (key: KeyObject, userId: string, intentos: number, ahora: number): Promise<Reto> =>
  createChallenge({
    algorithm: 'PBKDF2/SHA-256',
    cost: COST,
    counter: randomInt(intentos, 2 * intentos),
    deriveKey,
    data: { votante: userId, intentos, hasta: ahora + VALID_MS },
    hmacSignatureSecret: secretOf(key),
  })

/** The part of a solution that is checked before its signature. */
const PruebaSchema = v.object({
  reto: v.looseObject({
    parameters: v.looseObject({ data: v.object({ votante: v.string(), intentos: v.number(), hasta: v.number() }) }),
    signature: v.string(),
  }),
  respuesta: v.object({ counter: v.number(), derivedKey: v.string() }),
})

/** Whether the work was given to this voter, is still in force, was heavy enough and is done. */
export async function isDone(
  key: KeyObject,
  userId: string,
  intentos: number,
  ahora: number,
  prueba: { reto: string; respuesta: string },
): Promise<boolean> {
  try {
    const { reto, respuesta } = v.parse(PruebaSchema, {
      reto: JSON.parse(prueba.reto),
      respuesta: JSON.parse(prueba.respuesta),
    })
    const { data } = reto.parameters
    // Traffic may have grown since the work was given, so up to four times less is accepted.
    if (data.votante !== userId || data.hasta < ahora || data.intentos * 4 < intentos) return false
    const { verified } = await verifySolution({
      challenge: reto as unknown as Reto,
      solution: { ...respuesta, time: 0 },
      deriveKey,
      hmacSignatureSecret: secretOf(key),
    })
    return verified
  } catch {
    return false
  }
}
