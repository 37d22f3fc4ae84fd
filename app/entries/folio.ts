import { typedText } from '#app/core/text/typed-text.ts'

/** Digits and capitals without those that are taken for others (I, L, O) or make words (U). */
export const FOLIO_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/**
 * A folio as somebody typed it: in small letters, without its dashes, with a letter that was taken for a digit.
 * @returns undefined for what is none
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
