import { describe, expect, test } from 'vitest'
import { compose, SITE, testLetters } from '#tests/support/mail/letters.ts'
import {
  appointmentDetails,
  appointmentDraft,
  checkLetterTexts,
  checkMessage,
  DEFAULT_TEXTS,
  EXAMPLE_VALUES,
  givenNamesOf,
  noticeLetter,
  reminderLetter,
  whatsAppText,
} from './rules.ts'
import { OCCASIONS } from './schema.ts'

const defaults = DEFAULT_TEXTS

const APPOINTMENT = {
  at: new Date('2025-09-03T16:00:00Z'),
  place: 'Casa de la Cultura',
  code: '0b9c1d2e-3f40-4a5b-8c6d-7e8f9a0b1c2d',
}
const MESSAGE = {
  asunto: 'Te esperamos, {nombre}',
  titulo: 'Te esperamos, {nombre}',
  texto: 'Trae:\n{documentos}\n{enlace}',
}

testLetters([
  ...OCCASIONS.map((occasion) => noticeLetter(occasion, defaults[occasion], EXAMPLE_VALUES)),
  noticeLetter('mensaje', MESSAGE, EXAMPLE_VALUES, APPOINTMENT),
  reminderLetter(APPOINTMENT, EXAMPLE_VALUES.folio),
])

test.each(OCCASIONS)('the site’s default template passes the check: %s', (occasion) => {
  expect(checkLetterTexts(occasion, defaults[occasion])).toEqual([])
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
    const problems = checkLetterTexts('aceptada', { ...defaults.aceptada, ...change })
    expect(problems).toEqual([
      { field, message: typeof message === 'string' ? message : expect.stringMatching(message) },
    ])
  })
})

test.each([
  [undefined, { dia: '', hora: '', lugar: '' }],
  [APPOINTMENT, { dia: '2025-09-03', hora: '10:00', lugar: 'Casa de la Cultura' }],
])('the message that gives or moves an appointment starts with the appointment that there is', (appointment, fields) => {
  const { asunto, texto, ...rest } = appointmentDraft(appointment)
  expect(rest).toEqual(fields)
  expect(checkLetterTexts('mensaje', { asunto, titulo: asunto, texto })).toEqual([])
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

test('a value that ends a sentence, as the message does after it, leaves one full stop', async () => {
  const values = {
    nombre: 'Ana',
    folio: '7K3M-Q9XT-04WB',
    nota: '',
    documentos: 'Acta: se cortó.\nCredencial: no se lee.',
  }
  const words = { asunto: 'A', titulo: 'T', texto: 'Nos falta: {documentos}. Súbelo.\nEs esto: {documentos}' }
  const { text } = await compose(noticeLetter('mensaje', words, values))
  expect(text).toContain('Nos falta: Acta: se cortó.\n\nCredencial: no se lee. Súbelo.')
  expect(text).toContain('Es esto: Acta: se cortó.\n\nCredencial: no se lee.\n')
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

describe('checkMessage', () => {
  const now = new Date('2025-09-01T12:00:00-06:00')
  const draft = {
    asunto: 'Hola, {nombre}',
    texto: 'Ven',
    dia: '2025-09-03',
    hora: '10:00',
    lugar: 'Casa de la Cultura',
  }

  test('takes an appointment with its day, hour and place in Mexico City', () => {
    expect(checkMessage(draft, now)).toEqual({
      ok: true,
      message: {
        asunto: 'Hola, {nombre}',
        texto: 'Ven',
        appointment: { at: new Date('2025-09-03T16:00:00Z'), place: 'Casa de la Cultura' },
      },
    })
  })

  test('takes a message without an appointment', () => {
    expect(checkMessage({ ...draft, dia: '', hora: '', lugar: '' }, now)).toMatchObject({
      ok: true,
      message: { appointment: undefined },
    })
  })

  test.each([
    [{ asunto: '' }, 'asunto', /Escribe el asunto/],
    [{ texto: 'Trae {nota}' }, 'texto', /\{nota\} no se conoce en esta carta/],
    [{ dia: '' }, 'dia', /Elige el día de la cita/],
    [{ hora: '' }, 'hora', /a qué hora/],
    [{ lugar: '' }, 'lugar', /dónde es la cita/],
    [{ dia: '2025-08-31' }, 'dia', /ya pasaron/],
    [{ dia: '2025-02-30' }, 'dia', /no existe/],
  ])('refuses %o beside its field', (change, field, message) => {
    const checked = checkMessage({ ...draft, ...change }, now)
    expect(checked).toMatchObject({ ok: false, problems: { [field]: expect.stringMatching(message) } })
  })
})

test('an appointment is named by its day, its hour and its place', () => {
  expect(appointmentDetails({ at: new Date('2025-07-26T16:00Z'), place: 'Casa de la Cultura.' })).toBe(
    'el sábado 26 de julio a las 10 a.m., en Casa de la Cultura',
  )
})
