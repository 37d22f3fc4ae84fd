import { randomInt } from 'node:crypto'

/** These digits and capitals are not mistaken for others when read out or copied by hand (no 0 O, 1 I L, U). */
export const UNAMBIGUOUS_CHARACTERS = '23456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Makes a random code whose letters are all equally likely. Only the server makes codes. */
export const makeCode = (length: number, letters: string): string =>
  Array.from({ length }, () => letters[randomInt(letters.length)]).join('')

/**
 * Derives decimal digits from a keyed hash, always the same for the same hash. The hash must come from a secret key, or the
 * digits can be guessed.
 */
export const digitsOf = (hash: Buffer, length: number): string =>
  String(hash.readUIntBE(0, 6) % 10 ** length).padStart(length, '0')

/** Writes a code in groups with dashes between them: `inGroups('ABCDEFGH', 4)` is `ABCD-EFGH`. */
export const inGroups = (code: string, size: number): string =>
  (code.match(new RegExp(`.{1,${size}}`, 'g')) ?? []).join('-')
