import { expect, test } from 'vitest'
import { brokenLinksOf, hrefOf, parseRichText, type TextRun, withoutMarks } from './rich-text.ts'

/** Parses a text of one line. */
const chunksOf = (text: string): TextRun[] => parseRichText(text)[0]?.lines[0] ?? []
const wordsOf = (text: string) =>
  chunksOf(text)
    .map((chunk) => chunk.text)
    .join('')
const hrefsOf = (text: string) => chunksOf(text).flatMap(({ href }) => href ?? [])

test('reads paragraphs with their lines, and both kinds of lists, without empty lines around them', () => {
  expect(parseRichText('Uno\ndos\n\n\nTres:\n- a\n- b\n\n- c\nCuatro\n1. d\n2) e\n12. f')).toEqual([
    { kind: 'paragraph', lines: [[{ text: 'Uno' }], [{ text: 'dos' }]] },
    { kind: 'paragraph', lines: [[{ text: 'Tres:' }]] },
    { kind: 'list', lines: [[{ text: 'a' }], [{ text: 'b' }], [{ text: 'c' }]] },
    { kind: 'paragraph', lines: [[{ text: 'Cuatro' }]] },
    { kind: 'steps', lines: [[{ text: 'd' }], [{ text: 'e' }], [{ text: 'f' }]] },
  ])
  expect(parseRichText('27. Domingo')).toEqual([{ kind: 'paragraph', lines: [[{ text: '27. Domingo' }]] }])
  expect(parseRichText(' \n')).toEqual([])
})

test('reads bold text with two asterisks or one, and links in it and around it', () => {
  const bold = (text: string, href?: string) => ({ text, isStrong: true, ...(href && { href }) })
  expect(chunksOf('Hay **dos** y *una*.')).toEqual([
    { text: 'Hay ' },
    bold('dos'),
    { text: ' y ' },
    bold('una'),
    { text: '.' },
  ])
  for (const text of ['**[Bases](https://a.mx)**', '[**Bases**](https://a.mx)'])
    expect(chunksOf(text)).toEqual([bold('Bases', 'https://a.mx')])
  expect(chunksOf('2*3*4 y a * b * c')).toEqual([{ text: '2*3*4 y a * b * c' }])
})

test('marks without their pair, and links without a valid address, never show', () => {
  expect(wordsOf('**Ojo: empieza')).toBe('Ojo: empieza')
  for (const address of [
    'https://',
    'javascript:alert(1)',
    'data:text/html,x',
    '//otro.mx',
    '/\\otro.mx',
    'vbscript:x',
    '',
  ]) {
    expect(hrefOf(address), address).toBeUndefined()
    expect(chunksOf(`[bases](${address})`)).toEqual([{ text: 'bases' }])
  }
  expect(brokenLinksOf('[una](https://), [otra](https://a.mx) y [tres](x)')).toEqual(['una', 'tres'])
  expect(brokenLinksOf('**[gratis](https://)** y **[otra](https://a.mx)**')).toEqual(['gratis'])
})

test('links lead to the web, the site, a mailbox or a telephone', () => {
  expect(hrefsOf('[a](http://a.mx/x_(y)?q=1#z).')).toEqual(['http://a.mx/x_(y)?q=1#z'])
  expect(hrefsOf('Ve https://a.mx/x, o (https://b.mx).')).toEqual(['https://a.mx/x', 'https://b.mx'])
  expect(hrefsOf('https://a.mx\u2060\u2061\u2060')).toEqual(['https://a.mx'])
  expect(hrefOf('/programa')).toBe('/programa')
  expect(hrefOf('www.a.mx/b')).toBe('https://www.a.mx/b')
  expect(hrefOf('comite@a.mx')).toBe('mailto:comite@a.mx')
  expect(hrefOf('tel:+523312345678')).toBe('tel:+523312345678')
})

test('HTML is text', () => {
  expect(chunksOf('<b onclick="x()">a</b>')).toEqual([{ text: '<b onclick="x()">a</b>' }])
})

test('a text without marks is one line, whose list reads as sentences', () => {
  expect(withoutMarks('Pide **esto**:\n- tu [INE](https://ine.mx)\n- un acta;\n\nY ya.')).toBe(
    'Pide esto: tu INE. un acta; Y ya.',
  )
})

test('a long text full of marks takes no time', () => {
  const start = performance.now()
  for (const mark of ['[', '*', '**a ', '[a](', 'https://', '((', '- ']) parseRichText(mark.repeat(20_000))
  expect(performance.now() - start).toBeLessThan(2_000)
})
