import { slugOf } from '#app/cms/schema/slug.ts'

/** A Chunk is a run of text within a line; `a` makes it a link. */
export type Chunk = { texto: string; fuerte?: true; a?: string }

export type Block =
  | { que: 'titulo'; nivel: 1 | 2; id: string; trozos: Chunk[] }
  | { que: 'parrafo'; trozos: Chunk[] }
  | { que: 'pasos' | 'lista'; renglones: Chunk[][] }
  | { que: 'imagen'; alt: string; nombre: string }

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
    return { que: 'titulo', nivel: marks.length === 1 ? 1 : 2, id: slugOf(title), trozos: chunksOf(title) }
  const [, alt, name] = IMAGE_PATTERN.exec(block) ?? []
  if (alt !== undefined && name) return { que: 'imagen', alt, nombre: name }
  const lines = block.split('\n')
  const items = lines.map((line) => LIST_ITEM.exec(line))
  if (items.every((item) => item !== null))
    return {
      que: items[0]![1] ? 'pasos' : 'lista',
      renglones: items.map((item) => chunksOf(item[2]!)),
    }
  return { que: 'parrafo', trozos: chunksOf(lines.join(' ')) }
}

const chunksOf = (line: string): Chunk[] =>
  line
    .split(/(\*\*[^*]+\*\*|\[[^\]]+\]\([^)\s]+\))/)
    .filter(Boolean)
    .map((piece) => {
      const [, fuerte] = /^\*\*(.+)\*\*$/.exec(piece) ?? []
      if (fuerte) return { texto: fuerte, fuerte: true }
      const [, text, a] = /^\[(.+)\]\((#[a-z0-9-]+|\/[^/)\s][^)\s]*)\)$/.exec(piece) ?? []
      return text && a ? { texto: text, a } : { texto: piece }
    })
