import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { parseHandbook } from './markdown.ts'
import { SECTIONS } from './sections.ts'

test('reads headings, paragraphs, both kinds of lists, pictures, bold and links', () => {
  expect(
    parseHandbook(
      '# Manual\n\nDos\nrenglones, **uno** fuerte.\n\n## Una foto\n\n1. Toca\n2. Ve [Publicar](#publicar)\n\n- Uno\n\n![Qué se ve](manual/a-1.jpg)\n',
    ),
  ).toEqual([
    { que: 'titulo', nivel: 1, id: 'manual', trozos: [{ texto: 'Manual' }] },
    {
      que: 'parrafo',
      trozos: [{ texto: 'Dos renglones, ' }, { texto: 'uno', fuerte: true }, { texto: ' fuerte.' }],
    },
    { que: 'titulo', nivel: 2, id: 'una-foto', trozos: [{ texto: 'Una foto' }] },
    { que: 'pasos', renglones: [[{ texto: 'Toca' }], [{ texto: 'Ve ' }, { texto: 'Publicar', a: '#publicar' }]] },
    { que: 'lista', renglones: [[{ texto: 'Uno' }]] },
    { que: 'imagen', alt: 'Qué se ve', nombre: 'a-1.jpg' },
  ])
})

test('HTML, scripts and links to other sites stay text', () => {
  for (const text of ['<script>x()</script>', '[a](javascript:x)', '[a](//otro.mx)', '![a](../x.jpg)']) {
    const [block] = parseHandbook(text)
    const chunks = block?.que === 'parrafo' ? block.trozos : []
    expect(chunks.map(({ texto }) => texto).join('')).toBe(text)
    expect(chunks.filter(({ a }) => a)).toEqual([])
  }
})

test('every screen’s help link, and every link within the handbook, leads to a section', async () => {
  const blocks = parseHandbook(await readFile('docs/manual-del-comite.md', 'utf8'))
  const ids = blocks.flatMap((block) => (block.que === 'titulo' ? [block.id] : []))
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
  const within = blocks
    .flatMap((block) => ('trozos' in block ? [block.trozos] : 'renglones' in block ? block.renglones : []))
    .flat()
    .flatMap(({ a }) => (a?.startsWith('#') ? [a.slice(1)] : []))
  expect(ids).toEqual(expect.arrayContaining([...within, ...Object.values(SECTIONS)]))
})
