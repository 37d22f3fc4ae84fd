/**
 * Signs that are drawn as nothing (Unicode's Default_Ignorable_Code_Point, and the anchors of annotations). Inside an
 * emoji they say which one it is, and stay: a sequence with joiners, a keycap, a region's flag.
 */
const EMOJI_OR_UNSEEN =
  /(\p{ExtPict}[\ufe0e\ufe0f]?\p{EMod}?(?:[\u{e0020}-\u{e007e}]+\u{e007f})?(?:\u200d\p{ExtPict}\ufe0f?\p{EMod}?)*|[0-9#*]\ufe0f\u20e3)|[\p{DI}\ufff9-\ufffb]/gu
/** Everything that looks like a space, a tab and the blank of Braille among it; no end of a line. */
const SPACE = /[\p{Zs}\t\u2800]/gu

/**
 * Accents heaped on one letter beyond what any language writes. To put a heap in its order takes the square of its height:
 * seconds, for a form full of them.
 * @source UAX #15, Stream-Safe Text Format
 */
const HEAP = /(\p{M}{30})\p{M}+/gu

/** A text in one of Unicode’s normal forms, at the cost of its length alone. */
export const normalized = (text: string, form: 'NFC' | 'NFD' | 'NFKC'): string =>
  text.replace(HEAP, '$1').normalize(form)

/**
 * A text without signs that cannot be seen, its letters composed (NFC), each of its blanks a space. All that a person
 * types, pastes or looks for is read through this, by browser and server alike.
 */
export const withoutUnseen = (text: string): string =>
  normalized(text.replace(EMOJI_OR_UNSEEN, '$1').replace(SPACE, ' '), 'NFC')

/** The same of a whole field: with nothing before and behind it. */
export const typedText = (text: string): string => withoutUnseen(text).trim()
