import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { HANDBOOK_SECTIONS } from './handbook-sections.ts'
import { parseHandbook } from './parse-handbook.ts'

test('reads headings, paragraphs, both kinds of lists, pictures, bold and links', () => {
  expect(
    parseHandbook(
      '# Manual\n\nDos\nrenglones, **uno** fuerte.\n\n## Una foto\n\n1. Toca\n2. Ve [Publicar](#publicar)\n\n- Uno\n\n![Qué se ve](manual/a-1.jpg)\n',
    ),
  ).toEqual([
    { kind: 'heading', level: 1, id: 'manual', title: 'Manual' },
    {
      kind: 'paragraph',
      lines: [[{ text: 'Dos renglones, ' }, { text: 'uno', isStrong: true }, { text: ' fuerte.' }]],
    },
    { kind: 'heading', level: 2, id: 'una-foto', title: 'Una foto' },
    { kind: 'steps', lines: [[{ text: 'Toca' }], [{ text: 'Ve ' }, { text: 'Publicar', href: '#publicar' }]] },
    { kind: 'list', lines: [[{ text: 'Uno' }]] },
    { kind: 'picture', alt: 'Qué se ve', fileName: 'a-1.jpg' },
  ])
})

test('HTML stays text, and a picture of another folder is none', () => {
  for (const text of ['<script>x()</script>', '![a](../x.jpg)'])
    expect(parseHandbook(text)).toMatchObject([
      { kind: 'paragraph', lines: [expect.not.arrayContaining([{ href: expect.anything() }])] },
    ])
})

test('every screen’s help link, and every link within the handbook, leads to a section', async () => {
  const blocks = parseHandbook(await readFile('docs/manual-del-comite.md', 'utf8'))
  const ids = blocks.flatMap((block) => (block.kind === 'heading' ? [block.id] : []))
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
  const within = blocks
    .flatMap((block) => ('lines' in block ? block.lines.flat() : []))
    .flatMap(({ href }) => (href?.startsWith('#') ? [href.slice(1)] : []))
  expect(ids).toEqual(expect.arrayContaining([...within, ...Object.values(HANDBOOK_SECTIONS)]))
})
