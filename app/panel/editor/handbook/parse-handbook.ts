import { slugOf } from '#app/cms/schema/slug.ts'
import { parseRichText, type RichBlock } from '#app/core/text/rich-text.ts'

export type HandbookBlock =
  | { kind: 'heading'; level: 1 | 2; id: string; title: string }
  | { kind: 'picture'; alt: string; fileName: string }
  | RichBlock

const PICTURE_PATTERN = /^!\[([^\]]*)\]\(manual\/([a-z0-9-]+\.jpg)\)$/
const LIST_START = /^(?:1\.|-) /

/**
 * Parses the handbook's subset of Markdown: headings, pictures of its folder, and the marks of the site's rich text. A
 * paragraph may be broken into several lines. Everything else, HTML included, is text.
 */
export function parseHandbook(text: string): HandbookBlock[] {
  return text
    .split(/\n{2,}/)
    .map((block) => block.trim())
    .filter(Boolean)
    .flatMap(parseBlock)
}

function parseBlock(text: string): HandbookBlock[] {
  const [, hashes, title] = /^(##?) (.*)$/.exec(text) ?? []
  if (hashes && title) return [{ kind: 'heading', level: hashes.length === 1 ? 1 : 2, id: slugOf(title), title }]
  const [, alt, fileName] = PICTURE_PATTERN.exec(text) ?? []
  if (alt !== undefined && fileName) return [{ kind: 'picture', alt, fileName }]
  return parseRichText(LIST_START.test(text) ? text : text.replaceAll('\n', ' '))
}
