import { typedText } from '#app/core/text/typed-text.ts'

/** Crockford's Base32 has neither U nor I, L and O, which look like digits. @see https://www.crockford.com/base32.html */
export const FOLIO_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/**
 * Parses a typed folio in any case, with or without dashes and spaces; O counts as 0, and I and L count as 1.
 * @returns the stored form, `XXXX-XXXX-XXXX`; undefined if the text is no folio
 */
export function parseFolio(text: string): string | undefined {
  const letters = typedText(text)
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[\s\p{Dash}]/gu, '')
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1')
  if (letters.length !== 12 || ![...letters].every((letter) => FOLIO_ALPHABET.includes(letter))) return undefined
  return letters.replace(/(.{4})(.{4})(.{4})/, '$1-$2-$3')
}
