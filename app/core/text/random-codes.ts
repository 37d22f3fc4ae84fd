import { randomInt } from 'node:crypto'

/** Digits and capitals without 0, O, 1, I, L and U, which are easily confused when read out or copied by hand. */
export const UNAMBIGUOUS_CHARACTERS = '23456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Returns a random code, in which all of the letters are equally likely. */
export const randomCode = (length: number, letters: string): string =>
  Array.from({ length }, () => letters[randomInt(letters.length)]).join('')

/** Derives decimal digits from a hash. The hash must be keyed with a secret, or an attacker could compute the digits. */
export const digitsOf = (hash: Buffer, length: number): string =>
  String(hash.readUIntBE(0, 6) % 10 ** length).padStart(length, '0')

/** Formats a code in groups with hyphens between them: `inGroups('ABCDEFGH', 4)` is `ABCD-EFGH`. */
export const inGroups = (code: string, size: number): string =>
  (code.match(new RegExp(`.{1,${size}}`, 'g')) ?? []).join('-')
