import { slugOf } from '#app/cms/schema/slug.ts'

/** A piece of a line. */
export type Trozo = { texto: string; fuerte?: true; a?: string }

/** What the handbook consists of. */
export type Bloque =
  | { que: 'titulo'; nivel: 1 | 2; id: string; trozos: Trozo[] }
  | { que: 'parrafo'; trozos: Trozo[] }
  | { que: 'pasos' | 'lista'; renglones: Trozo[][] }
  | { que: 'imagen'; alt: string; nombre: string }

const IMAGEN = /^!\[([^\]]*)\]\(manual\/([a-z0-9-]+\.jpg)\)$/
const RENGLON = /^(?:(\d+)\.|-) (.*)$/

/**
 * Reads the Markdown of the handbook: headings, paragraphs, lists, pictures of its own folder, **bold**, links. There is no
 * HTML in it: whatever else stands there is text.
 */
export function leerManual(texto: string): Bloque[] {
  return texto
    .split(/\n{2,}/)
    .map((block) => block.trim())
    .filter(Boolean)
    .map(bloqueDe)
}

function bloqueDe(block: string): Bloque {
  const [, marks, title] = /^(##?) (.*)$/.exec(block) ?? []
  if (marks && title)
    return { que: 'titulo', nivel: marks.length === 1 ? 1 : 2, id: slugOf(title), trozos: trozosDe(title) }
  const [, alt, nombre] = IMAGEN.exec(block) ?? []
  if (alt !== undefined && nombre) return { que: 'imagen', alt, nombre }
  const lines = block.split('\n')
  const items = lines.map((line) => RENGLON.exec(line))
  if (items.every((item) => item !== null))
    return {
      que: items[0]![1] ? 'pasos' : 'lista',
      renglones: items.map((item) => trozosDe(item[2]!)),
    }
  return { que: 'parrafo', trozos: trozosDe(lines.join(' ')) }
}

const trozosDe = (line: string): Trozo[] =>
  line
    .split(/(\*\*[^*]+\*\*|\[[^\]]+\]\([^)\s]+\))/)
    .filter(Boolean)
    .map((piece) => {
      const [, fuerte] = /^\*\*(.+)\*\*$/.exec(piece) ?? []
      if (fuerte) return { texto: fuerte, fuerte: true }
      const [, texto, a] = /^\[(.+)\]\((#[a-z0-9-]+|\/[^/)\s][^)\s]*)\)$/.exec(piece) ?? []
      return texto && a ? { texto, a } : { texto: piece }
    })
