import { describe, expect, test } from 'vitest'
import { compose, SITE, testLetters } from '#tests/support/mail/letters.ts'
import { checkWords, DEFAULT_WORDS, EXAMPLE_VALUES, givenNamesOf, noticeLetter, whatsAppText } from './rules.ts'
import { OCCASIONS } from './schema.ts'

const defaults = DEFAULT_WORDS

testLetters(OCCASIONS.map((occasion) => noticeLetter(occasion, defaults[occasion], EXAMPLE_VALUES)))

test.each(OCCASIONS)('the site’s default template passes the check: %s', (occasion) => {
  expect(checkWords(occasion, defaults[occasion])).toEqual([])
})

describe('words that are refused', () => {
  test.each([
    [{ asunto: ' ' }, 'asunto', 'Escribe el asunto: es lo primero que se lee.'],
    [{ titulo: '' }, 'titulo', 'Escribe el título de la carta.'],
    [{ texto: '\n \n' }, 'texto', 'Escribe lo que dice la carta.'],
    [{ asunto: 'a'.repeat(121) }, 'asunto', 'Escríbelo más corto: caben 120 caracteres y lleva 121.'],
    [{ texto: 'Hola, {nombe}' }, 'texto', /^\{nombe\} no es un dato que se pueda poner\. Los que hay son \{nombre\}, /],
    [{ texto: 'Falta: {documentos}' }, 'texto', /^\{documentos\} no se conoce en esta carta/],
    [{ texto: 'Hola, {nombre' }, 'texto', /^Hay una llave suelta/],
    [{ texto: 'Hola, {{nombre}}' }, 'texto', /^Hay una llave suelta/],
    [{ asunto: 'Mira {enlace}' }, 'asunto', /^\{enlace\} sólo puede ir en el texto/],
  ])('%j', (change, field, message) => {
    const problems = checkWords('aceptada', { ...defaults.aceptada, ...change })
    expect(problems).toEqual([
      { field, message: typeof message === 'string' ? message : expect.stringMatching(message) },
    ])
  })
})

test('a message names its recipient, has a button, and leaves out a line without a value', async () => {
  const values = { nombre: 'Ana Sofía', folio: '7K3M-Q9XT-04WB', nota: '', documentos: '' }
  const words = { asunto: 'Para {nombre}', titulo: '{certamen}', texto: 'Una\nDos {nota}\n\n{enlace}\nTres {enlace}' }
  const { subject, text, html } = await compose(noticeLetter('aceptada', words, values))
  expect(subject).toBe('Para Ana Sofía')
  expect(text).toContain(`Una\n\nConsultar mi folio:\n${SITE}/folio#7K3M-Q9XT-04WB\n\nTres ${SITE}/folio#`)
  expect(text).not.toContain('Dos')
  expect(html).toContain('>Consultar mi folio</a>')
})

test('the value of a placeholder is not searched for placeholders, and is plain text', async () => {
  const values = { nombre: '{folio}', folio: '7K3M-Q9XT-04WB', nota: '<b>x</b>\nBcc: a@b.mx', documentos: '' }
  const words = { asunto: '{nombre}', titulo: 'T', texto: '{nota}' }
  const { subject, html } = await compose(noticeLetter('aceptada', words, values))
  expect(subject).toBe('{folio}')
  expect(html).toContain('&lt;b&gt;x&lt;/b&gt;')
})

test.each([
  ['Ana', 'Ana'],
  ['Ana Ramírez', 'Ana'],
  ['Ana Ramírez Luna', 'Ana'],
  ['Ana Sofía Ramírez Luna', 'Ana Sofía'],
  ['María del Carmen López Ruiz', 'María del Carmen'],
  ['Juana de la Cruz Pérez', 'Juana'],
])('the given name of %s is %s', (titular, givenNames) => {
  expect(givenNamesOf(titular)).toBe(givenNames)
})

test('WhatsApp opens with a text for the state, her given name and her link', () => {
  const text = whatsAppText(
    { titular: 'Ana Sofía Ramírez Luna', estado: 'aceptada' },
    'Azahares 2025',
    'https://a/folio#X',
  )
  expect(text).toBe(
    'Hola, Ana Sofía. Te escribimos del comité de Azahares 2025. ¡Felicidades! El comité aceptó tu registro. Aquí puedes ver tu registro: https://a/folio#X',
  )
})
