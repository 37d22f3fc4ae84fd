/**
 * Captures an emoji with the invisible characters that choose its variant (a sequence with joiners, a keycap, a region's flag),
 * or matches any other invisible character (Unicode's Default_Ignorable_Code_Point, and annotation anchors).
 */
const EMOJI_OR_INVISIBLE =
  /(\p{ExtPict}[\ufe0e\ufe0f]?\p{EMod}?(?:[\u{e0020}-\u{e007e}]+\u{e007f})?(?:\u200d\p{ExtPict}\ufe0f?\p{EMod}?)*|[0-9#*]\ufe0f\u20e3)|[\p{DI}\ufff9-\ufffb]/gu
/** Matches characters that look like a space, such as a tab or blank Braille, but no line breaks. */
const SPACE = /[\p{Zs}\t\u2800]/gu

/**
 * Matches more than thirty accents on one letter, which no language needs. Normalising takes time quadratic in their number,
 * which is seconds for a form full of them.
 * @source UAX #15, Stream-Safe Text Format
 */
const EXCESS_ACCENTS = /(\p{M}{30})\p{M}+/gu

/** Normalises a text (Unicode normal forms) in linear time. Drops accents beyond thirty on one letter. */
export const normalizeText = (text: string, form: 'NFC' | 'NFD' | 'NFKC'): string =>
  text.replace(EXCESS_ACCENTS, '$1').normalize(form)

/** Returns a text without invisible characters outside emojis, with composed letters (NFC), and with a space for each blank. */
export const withoutInvisible = (text: string): string =>
  normalizeText(text.replace(EMOJI_OR_INVISIBLE, '$1').replace(SPACE, ' '), 'NFC')

/** Applies `withoutInvisible` to a whole field, and trims it. */
export const typedText = (text: string): string => withoutInvisible(text).trim()
