/**
 * The first alternative captures an emoji: a sequence with joiners, a keycap, a region's flag. Invisible characters within it
 * choose its variant. The second alternative matches all other invisible characters (Unicode's Default_Ignorable_Code_Point, and
 * annotation anchors).
 */
const EMOJI_OR_INVISIBLE =
  /(\p{ExtPict}[\ufe0e\ufe0f]?\p{EMod}?(?:[\u{e0020}-\u{e007e}]+\u{e007f})?(?:\u200d\p{ExtPict}\ufe0f?\p{EMod}?)*|[0-9#*]\ufe0f\u20e3)|[\p{DI}\ufff9-\ufffb]/gu
/** Matches characters that look like a space, tab and blank Braille included, but no line breaks. */
const SPACE = /[\p{Zs}\t\u2800]/gu

/**
 * Matches more than thirty accents on one letter, which no language needs. Normalising them takes time quadratic in their number:
 * seconds, for a form full of them.
 * @source UAX #15, Stream-Safe Text Format
 */
const EXCESS_ACCENTS = /(\p{M}{30})\p{M}+/gu

/**
 * Brings a text into a Unicode normal form, in time linear in its length. Accents beyond thirty on one letter are dropped.
 */
export const normalizeText = (text: string, form: 'NFC' | 'NFD' | 'NFKC'): string =>
  text.replace(EXCESS_ACCENTS, '$1').normalize(form)

/**
 * Returns a text without invisible characters, with its letters composed (NFC) and each of its blanks a space. Browser and server
 * apply it to all text that a person types, pastes or searches for.
 */
export const withoutInvisible = (text: string): string =>
  normalizeText(text.replace(EMOJI_OR_INVISIBLE, '$1').replace(SPACE, ' '), 'NFC')

/** Applies `withoutInvisible` to a whole field, and trims it. */
export const typedText = (text: string): string => withoutInvisible(text).trim()
