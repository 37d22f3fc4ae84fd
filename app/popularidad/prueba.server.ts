import { createHash, createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { Reto } from './schema.ts'

const VALID_MS = 10 * 60_000

const sign = (key: KeyObject, text: string) => createHmac('sha256', key).update(text).digest('base64url').slice(0, 22)

/** Work for one voter, in force for ten minutes: nothing of it is kept. @param ahora milliseconds */
export function makeReto(key: KeyObject, userId: string, bits: number, ahora: number): Reto {
  const said = `${ahora + VALID_MS}.${bits}`
  return { texto: `${said}.${sign(key, `${userId}.${said}`)}`, bits }
}

/** Whether the work was given to this voter, is still in force, heavy enough and done. */
export function isDone(
  key: KeyObject,
  userId: string,
  bits: number,
  ahora: number,
  prueba: { reto: string; respuesta: string },
): boolean {
  const [until = '', given = '', signature = ''] = prueba.reto.slice(0, 200).split('.')
  const expected = Buffer.from(sign(key, `${userId}.${until}.${given}`))
  const signed = Buffer.from(signature)
  if (signed.length !== expected.length || !timingSafeEqual(signed, expected)) return false
  // What was asked for a moment ago may have been less.
  if (Number(until) < ahora || Number(given) < bits - 2 || !/^\d{1,15}$/.test(prueba.respuesta)) return false
  const hash = createHash('sha256').update(`${prueba.reto}:${prueba.respuesta}`).digest()
  return Math.clz32(hash.readUInt32BE(0)) >= Number(given)
}
