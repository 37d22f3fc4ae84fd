/**
 * The second alternative matches invisible characters (Unicode's Default_Ignorable_Code_Point, and annotation anchors). Within an
 * emoji they choose its variant, and stay: a sequence with joiners, a keycap, a region's flag.
 */
const EMOJI_OR_UNSEEN =
  /(\p{ExtPict}[\ufe0e\ufe0f]?\p{EMod}?(?:[\u{e0020}-\u{e007e}]+\u{e007f})?(?:\u200d\p{ExtPict}\ufe0f?\p{EMod}?)*|[0-9#*]\ufe0f\u20e3)|[\p{DI}\ufff9-\ufffb]/gu
/** The pattern matches every character that looks like a space, tab and blank Braille included; it matches no line breaks. */
const SPACE = /[\p{Zs}\t\u2800]/gu

/**
 * Accents may be heaped on one letter beyond the needs of any language. Normalising a heap takes time quadratic in its height:
 * seconds, for a form full of them.
 * @source UAX #15, Stream-Safe Text Format
 */
const ACCENT_HEAP = /(\p{M}{30})\p{M}+/gu

/**
 * Brings a text into one of Unicode’s normal forms, in time linear in its length. Accents beyond thirty on one letter are
 * dropped.
 */
export const normalizeText = (text: string, form: 'NFC' | 'NFD' | 'NFKC'): string =>
  text.replace(ACCENT_HEAP, '$1').normalize(form)

/**
 * Returns a text without invisible characters, with its letters composed (NFC) and each of its blanks a space. Browser and server
 * apply it to all text that a person types, pastes or searches for.
 */
export const withoutUnseen = (text: string): string =>
  normalizeText(text.replace(EMOJI_OR_UNSEEN, '$1').replace(SPACE, ' '), 'NFC')

/** Cleans a whole field like `withoutUnseen`, and trims it. */
export const typedText = (text: string): string => withoutUnseen(text).trim()
