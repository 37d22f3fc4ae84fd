/** A Chunk is a run of text within a line; `href` makes it a link. */
export interface Chunk {
  text: string
  isStrong?: true
  href?: string
}

/** A RichBlock is a paragraph with its lines, or a list with one line an item. */
export interface RichBlock {
  kind: 'paragraph' | 'list' | 'steps'
  lines: Chunk[][]
}

const LIST_ITEM = /^\s*(?:[-–•*]|(\d{1,2})[.)])\s+(.*\S)\s*$/

/**
 * The alternatives are a link with its words, a bare address, and bold text, whose asterisks are two or, as in WhatsApp, one. The
 * invisible characters that end an address are a preview's markers (app/cms/drafts/field-markers.ts).
 */
const MARK =
  /\[([^[\]]+)\]\(((?:[^()\s]|\([^()\s]*\))*)\)|(https?:\/\/[^\s<>«»"\u2060-\u2064]*[^\s<>«»"\u2060-\u2064.,;:!?)*])|(?<![\p{L}\p{N}*])(\*\*?)(?=\S)([^*]+)(?<=\S)\4(?![\p{L}\p{N}*])/gu

/**
 * Parses the marks that people type in a text: **bold**, [words](address), lines that begin with a hyphen or from «1.» on, and
 * empty lines between paragraphs. All else, HTML included, is text. A link without a valid address is its words alone.
 */
export function parseRichText(text: string): RichBlock[] {
  const blocks: RichBlock[] = []
  let open: RichBlock | undefined
  for (const line of text.split('\n')) {
    if (line.trim() === '') {
      if (open?.kind === 'paragraph') open = undefined
      continue
    }
    const [, number, item = ''] = LIST_ITEM.exec(line) ?? []
    const isStep = number === '1' || (number !== undefined && open?.kind === 'steps')
    const kind = isStep ? 'steps' : item !== '' && number === undefined ? 'list' : 'paragraph'
    if (open?.kind !== kind || number === '1') {
      open = { kind, lines: [] }
      blocks.push(open)
    }
    open.lines.push(chunksOf(kind === 'paragraph' ? line.trim() : item))
  }
  return blocks
}

function chunksOf(line: string, isStrong = false): Chunk[] {
  const chunks: Chunk[] = []
  const add = (text: string, href?: string, isBold = isStrong) => {
    // Two asterisks without their pair are a slip of the finger.
    const words = text.replaceAll('**', '')
    if (words !== '') chunks.push({ text: words, ...(isBold && { isStrong: true }), ...(href && { href }) })
  }
  let end = 0
  for (const match of line.matchAll(MARK)) {
    const [whole, words, typedAddress, bareAddress, , bold] = match
    add(line.slice(end, match.index))
    if (words !== undefined) add(words, hrefOf(typedAddress!), isStrong || words.includes('**'))
    else if (bareAddress !== undefined) add(bareAddress, hrefOf(bareAddress))
    else chunks.push(...chunksOf(bold!, true))
    end = match.index + whole.length
  }
  add(line.slice(end))
  return chunks
}

/** Returns the address that a link may have: of the web, the site itself, a mailbox or a telephone; else undefined. */
export function hrefOf(typed: string): string | undefined {
  if (/^https?:\/\//i.test(typed)) return URL.canParse(typed) ? typed : undefined
  if (/^(mailto:[^\s@]+@[^\s@]+|tel:\+?[\d-]+|#[a-z0-9-]+|\/(?![/\\])[^\s\\]*)$/i.test(typed)) return typed
  if (/^[^\s@/:]+@[^\s@/:]+\.[a-z]+$/i.test(typed)) return `mailto:${typed}`
  return /^([a-z0-9-]+\.)+[a-z]{2,}(\/\S*)?$/i.test(typed) ? `https://${typed}` : undefined
}

/** Lists the words of links that lead nowhere. */
export const brokenLinksOf = (text: string): string[] =>
  [...text.matchAll(MARK)].flatMap(([, words, address]) =>
    words !== undefined && hrefOf(address!) === undefined ? [words] : [],
  )

/** Returns a text without its marks in one line, for lists, descriptions and other programs. An item of a list reads as a sentence. */
export const withoutMarks = (text: string): string =>
  parseRichText(text)
    .flatMap(({ kind, lines }) =>
      lines.map((line) => {
        const words = line.map((chunk) => chunk.text).join('')
        return kind === 'paragraph' || /[.,;:!?…]$/.test(words) ? words : `${words}.`
      }),
    )
    .join(' ')
