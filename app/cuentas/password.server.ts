import { randomBytes, randomInt, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify(scrypt) as (
  password: string,
  salt: string,
  length: number,
  options: { N: number; r: number; p: number; maxmem: number },
) => Promise<Buffer>
const COST = { N: 16_384, r: 16, p: 1, maxmem: 64 * 1_048_576 }
const KEY_BYTES = 64
/** No letters or digits that are taken for one another when read aloud or copied by hand. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** @returns `salt:key` in hexadecimal, scrypt (N 16384, r 16, p 1), the form that better-auth reads */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16).toString('hex')
  return `${salt}:${(await derive(password.normalize('NFKC'), salt, KEY_BYTES, COST)).toString('hex')}`
}

/** Compares in constant time. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [salt = '', key = ''] = stored.split(':')
  const expected = Buffer.from(key, 'hex')
  const given = await derive(password.normalize('NFKC'), salt, KEY_BYTES, COST)
  return expected.length === given.length && timingSafeEqual(expected, given)
}

/** @returns 20 characters in groups of five, over 110 bits */
export const generatePassword = (): string =>
  Array.from({ length: 4 }, () => Array.from({ length: 5 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')).join(
    '-',
  )
