import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { leerManual } from './markdown.ts'
import { SECCIONES } from './sections.ts'

test('reads headings, paragraphs, both kinds of lists, pictures, bold and links', () => {
  expect(
    leerManual(
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

test('whatever would run, or leave the site, is text', () => {
  for (const text of ['<script>x()</script>', '[a](javascript:x)', '[a](//otro.mx)', '![a](../x.jpg)']) {
    const [bloque] = leerManual(text)
    const trozos = bloque?.que === 'parrafo' ? bloque.trozos : []
    expect(trozos.map(({ texto }) => texto).join('')).toBe(text)
    expect(trozos.filter(({ a }) => a)).toEqual([])
  }
})

test('every screen’s link leads to a section of the handbook, and every link within it', async () => {
  const bloques = leerManual(await readFile('docs/manual-del-comite.md', 'utf8'))
  const ids = bloques.flatMap((bloque) => (bloque.que === 'titulo' ? [bloque.id] : []))
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
  const within = bloques
    .flatMap((bloque) => ('trozos' in bloque ? [bloque.trozos] : 'renglones' in bloque ? bloque.renglones : []))
    .flat()
    .flatMap(({ a }) => (a?.startsWith('#') ? [a.slice(1)] : []))
  expect(ids).toEqual(expect.arrayContaining([...within, ...Object.values(SECCIONES)]))
})
