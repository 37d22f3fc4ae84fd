import { randomInt } from 'node:crypto'

/** Digits and capitals without those that are taken for others when they are read out or copied by hand (0 O, 1 I L, U V). */
export const UNAMBIGUOUS_CHARACTERS = '23456789ABCDEFGHJKMNPQRSTVWXYZ'

/** A random code: each of its letters is as likely as every other one. Only the server makes codes. */
export const makeCode = (length: number, letters: string): string =>
  Array.from({ length }, () => letters[randomInt(letters.length)]).join('')

/** The digits that a keyed hash stands for: of the same hash always the same. */
export const digitsOf = (hash: Buffer, length: number): string =>
  String(hash.readUIntBE(0, 6) % 10 ** length).padStart(length, '0')

/** The same code in groups with dashes between them: `inGroups('ABCDEFGH', 4)` is `ABCD-EFGH`. */
export const inGroups = (code: string, size: number): string =>
  (code.match(new RegExp(`.{1,${size}}`, 'g')) ?? []).join('-')
