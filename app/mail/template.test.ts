import { expect, test } from 'vitest'
import { compose, SITE, testLetters } from '#tests/support/mail/letters.ts'
import type { Letter } from './schema.ts'

const letter: Letter = {
  kind: 'prueba',
  compose: ({ nombre, anio }, site) => ({
    subject: `Una prueba\r\nBcc: otra@ejemplo.mx de ${nombre}`,
    preheader: 'Lo que se ve junto al asunto.',
    title: `Para ${nombre} ${anio}`,
    body: [
      { paragraph: 'Un párrafo con <b>signos</b> & letras.' },
      { code: '482913' },
      { link: `${site}/algo?a=1&b=2`, label: 'Abrir' },
      { name: 'Vale hasta el', value: '1 de septiembre' },
    ],
    note: 'Por qué llega esto.',
  }),
}

testLetters([letter])

test('a line break in a name begins no other header', async () => {
  expect((await compose(letter)).subject).toBe('Una prueba Bcc: otra@ejemplo.mx de Señorita Azahares')
})

test('markup in the words is escaped, and every piece is there as text', async () => {
  const { html, text } = await compose(letter)
  expect(html).toContain('&lt;b&gt;signos&lt;/b&gt; &amp; letras')
  expect(html).toContain(`href="${SITE}/algo?a=1&amp;b=2"`)
  for (const piece of [
    '<b>signos</b>',
    '    482913',
    `Abrir:\n${SITE}/algo?a=1&b=2`,
    'Vale hasta el 1 de septiembre\n',
  ])
    expect(text).toContain(piece)
})
