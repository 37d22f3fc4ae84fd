import { typedText } from '#app/core/text/typed-text.ts'

/** Crockford's Base32: without I, L and O, mistaken for digits, and U. @see https://www.crockford.com/base32.html */
export const FOLIO_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/**
 * Reads a typed folio: in any case, with or without dashes and spaces, with O taken for 0, and I and L for 1.
 * @returns the stored form, `XXXX-XXXX-XXXX`; undefined when the text is no folio
 */
export function readFolio(text: string): string | undefined {
  const letters = typedText(text)
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[\s\p{Dash}]/gu, '')
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1')
  if (letters.length !== 12 || ![...letters].every((letter) => FOLIO_ALPHABET.includes(letter))) return undefined
  return letters.replace(/(.{4})(.{4})(.{4})/, '$1-$2-$3')
}
