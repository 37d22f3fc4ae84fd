import { slugOf } from '#app/cms/schema/slug.ts'

/** A Chunk is a run of text within a line; `href` makes it a link. */
export type Chunk = { text: string; isStrong?: true; href?: string }

export type Block =
  | { kind: 'heading'; level: 1 | 2; id: string; chunks: Chunk[] }
  | { kind: 'paragraph'; chunks: Chunk[] }
  | { kind: 'steps' | 'list'; items: Chunk[][] }
  | { kind: 'picture'; alt: string; fileName: string }

const IMAGE_PATTERN = /^!\[([^\]]*)\]\(manual\/([a-z0-9-]+\.jpg)\)$/
const LIST_ITEM = /^(?:(\d+)\.|-) (.*)$/

/**
 * Parses the handbook's subset of Markdown: headings, paragraphs, lists, pictures of its folder, **bold**, and links within the
 * site. All else, HTML included, is text.
 */
export function parseHandbook(text: string): Block[] {
  return text
    .split(/\n{2,}/)
    .map((block) => block.trim())
    .filter(Boolean)
    .map(blockOf)
}

function blockOf(block: string): Block {
  const [, marks, title] = /^(##?) (.*)$/.exec(block) ?? []
  if (marks && title)
    return { kind: 'heading', level: marks.length === 1 ? 1 : 2, id: slugOf(title), chunks: chunksOf(title) }
  const [, alt, name] = IMAGE_PATTERN.exec(block) ?? []
  if (alt !== undefined && name) return { kind: 'picture', alt, fileName: name }
  const lines = block.split('\n')
  const items = lines.map((line) => LIST_ITEM.exec(line))
  if (items.every((item) => item !== null))
    return {
      kind: items[0]![1] ? 'steps' : 'list',
      items: items.map((item) => chunksOf(item[2]!)),
    }
  return { kind: 'paragraph', chunks: chunksOf(lines.join(' ')) }
}

const chunksOf = (line: string): Chunk[] =>
  line
    .split(/(\*\*[^*]+\*\*|\[[^\]]+\]\([^)\s]+\))/)
    .filter(Boolean)
    .map((piece) => {
      const [, strongText] = /^\*\*(.+)\*\*$/.exec(piece) ?? []
      if (strongText) return { text: strongText, isStrong: true }
      const [, text, href] = /^\[(.+)\]\((#[a-z0-9-]+|\/[^/)\s][^)\s]*)\)$/.exec(piece) ?? []
      return text && href ? { text, href } : { text: piece }
    })
