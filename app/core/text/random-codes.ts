import { randomInt } from 'node:crypto'

/** Digits and capitals that are not mistaken for others when read out or copied by hand (no 0 O, 1 I L, U). */
export const UNAMBIGUOUS_CHARACTERS = '23456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Makes a random code, in which all given letters are equally likely. */
export const randomCode = (length: number, letters: string): string =>
  Array.from({ length }, () => letters[randomInt(letters.length)]).join('')

/**
 * Derives decimal digits from a hash. The hash must be keyed with a secret, or the digits can be guessed.
 */
export const digitsOf = (hash: Buffer, length: number): string =>
  String(hash.readUIntBE(0, 6) % 10 ** length).padStart(length, '0')

/** Writes a code in groups with dashes between them: `inGroups('ABCDEFGH', 4)` is `ABCD-EFGH`. */
export const inGroups = (code: string, size: number): string =>
  (code.match(new RegExp(`.{1,${size}}`, 'g')) ?? []).join('-')
