/** A run of text within a line, which is a link if it has an `href`. */
export interface TextRun {
  text: string
  isStrong?: true
  href?: string
}

/** A paragraph with its lines, or a list with one line per item. */
export interface RichBlock {
  kind: 'paragraph' | 'list' | 'steps'
  lines: TextRun[][]
}

const LIST_ITEM = /^\s*(?:[-–•*]|(\d{1,2})[.)])\s+(.*\S)\s*$/

/**
 * Matches a link with its words, a bare address, or bold text, which has two asterisks on each side or, as in WhatsApp, one. The
 * invisible characters that end an address are a preview's markers (app/cms/drafts/field-markers.ts).
 */
const MARK =
  /\[([^[\]]+)\]\(((?:[^()\s]|\([^()\s]*\))*)\)|(https?:\/\/[^\s<>«»"\u2060-\u2064]*[^\s<>«»"\u2060-\u2064.,;:!?)*])|(?<![\p{L}\p{N}*])(\*\*?)(?=\S)([^*]+)(?<=\S)\4(?![\p{L}\p{N}*])/gu

/**
 * Parses the marks that people type in a text: bold text, bare addresses, [words](address), empty lines between paragraphs, and
 * lists, whose lines begin with a hyphen, dash, bullet or asterisk, or with numbers from «1.». All else is text, even HTML. Of a
 * link without a valid address, only the words stay.
 */
export function parseRichText(text: string): RichBlock[] {
  const blocks: RichBlock[] = []
  let openBlock: RichBlock | undefined
  for (const line of text.split('\n')) {
    if (line.trim() === '') {
      if (openBlock?.kind === 'paragraph') openBlock = undefined
      continue
    }
    const [, itemNumber, itemText = ''] = LIST_ITEM.exec(line) ?? []
    const isStep = itemNumber === '1' || (itemNumber !== undefined && openBlock?.kind === 'steps')
    const kind = isStep ? 'steps' : itemText !== '' && itemNumber === undefined ? 'list' : 'paragraph'
    if (openBlock?.kind !== kind || itemNumber === '1') {
      openBlock = { kind, lines: [] }
      blocks.push(openBlock)
    }
    openBlock.lines.push(runsOf(kind === 'paragraph' ? line.trim() : itemText))
  }
  return blocks
}

function runsOf(line: string, isStrong = false): TextRun[] {
  const runs: TextRun[] = []
  const add = (text: string, href?: string, isBold = isStrong) => {
    // Two asterisks without a pair are a typing mistake.
    const words = text.replaceAll('**', '')
    if (words !== '') runs.push({ text: words, ...(isBold && { isStrong: true }), ...(href && { href }) })
  }
  let markEnd = 0
  for (const match of line.matchAll(MARK)) {
    const [whole, words, typedAddress, bareAddress, , bold] = match
    add(line.slice(markEnd, match.index))
    if (words !== undefined) add(words, hrefOf(typedAddress!), isStrong || words.includes('**'))
    else if (bareAddress !== undefined) add(bareAddress, hrefOf(bareAddress))
    else runs.push(...runsOf(bold!, true))
    markEnd = match.index + whole.length
  }
  add(line.slice(markEnd))
  return runs
}

/**
 * Returns a typed address as the `href` of a link to a website, the site itself, a mailbox or a telephone; undefined for other
 * text.
 */
export function hrefOf(typed: string): string | undefined {
  if (/^https?:\/\//i.test(typed)) return URL.canParse(typed) ? typed : undefined
  if (/^(mailto:[^\s@]+@[^\s@]+|tel:\+?[\d-]+|#[a-z0-9-]+|\/(?![/\\])[^\s\\]*)$/i.test(typed)) return typed
  if (/^[^\s@/:]+@[^\s@/:]+\.[a-z]+$/i.test(typed)) return `mailto:${typed}`
  return /^([a-z0-9-]+\.)+[a-z]{2,}(\/\S*)?$/i.test(typed) ? `https://${typed}` : undefined
}

/** Lists the words of links without a valid address. */
export const brokenLinksOf = (text: string): string[] =>
  [...text.matchAll(MARK)].flatMap(([, words, address, , , bold]) =>
    bold !== undefined ? brokenLinksOf(bold) : words !== undefined && hrefOf(address!) === undefined ? [words] : [],
  )

/** Returns a text in one line and without its marks, for lists, descriptions and other programs. List items become sentences. */
export const withoutMarks = (text: string): string =>
  parseRichText(text)
    .flatMap(({ kind, lines }) =>
      lines.map((line) => {
        const words = line.map((run) => run.text).join('')
        return kind === 'paragraph' || /[.,;:!?…]$/.test(words) ? words : `${words}.`
      }),
    )
    .join(' ')
