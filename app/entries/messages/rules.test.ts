import { describe, expect, test } from 'vitest'
import { compose, revisarCartas, SITIO } from '../../../tests/cartas.ts'
import { cartaDeAviso, EJEMPLO, nombreDePila, PALABRAS_DEL_SITIO, revisarPalabras, textoDeWhatsApp } from './rules.ts'
import { OCASIONES } from './schema.ts'

const del = PALABRAS_DEL_SITIO

revisarCartas(OCASIONES.map((ocasion) => cartaDeAviso(ocasion, del[ocasion], EJEMPLO)))

test.each(OCASIONES)('the words that come with the site may be kept: %s', (ocasion) => {
  expect(revisarPalabras(ocasion, del[ocasion])).toEqual([])
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
  ])('%j', (change, campo, mensaje) => {
    const reparos = revisarPalabras('aceptada', { ...del.aceptada, ...change })
    expect(reparos).toEqual([
      { campo, mensaje: typeof mensaje === 'string' ? mensaje : expect.stringMatching(mensaje) },
    ])
  })
})

test('a message says who it is for, has a button, and leaves out a line for which there is nothing', async () => {
  const valores = { nombre: 'Ana Sofía', folio: '7K3M-Q9XT-04WB', nota: '', documentos: '' }
  const words = { asunto: 'Para {nombre}', titulo: '{certamen}', texto: 'Una\nDos {nota}\n\n{enlace}\nTres {enlace}' }
  const { subject, text, html } = await compose(cartaDeAviso('aceptada', words, valores))
  expect(subject).toBe('Para Ana Sofía')
  expect(text).toContain(`Una\n\nConsultar mi folio:\n${SITIO}/folio#7K3M-Q9XT-04WB\n\nTres ${SITIO}/folio#`)
  expect(text).not.toContain('Dos')
  expect(html).toContain('>Consultar mi folio</a>')
})

test('what stands in the place of one is looked through for no other, and is text', async () => {
  const valores = { nombre: '{folio}', folio: '7K3M-Q9XT-04WB', nota: '<b>x</b>\nBcc: a@b.mx', documentos: '' }
  const words = { asunto: '{nombre}', titulo: 'T', texto: '{nota}' }
  const { subject, html } = await compose(cartaDeAviso('aceptada', words, valores))
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
])('the given name of %s is %s', (titular, pila) => {
  expect(nombreDePila(titular)).toBe(pila)
})

test('WhatsApp opens with a text for the state, her given name and her link', () => {
  const text = textoDeWhatsApp(
    { titular: 'Ana Sofía Ramírez Luna', estado: 'aceptada' },
    'Azahares 2025',
    'https://a/folio#X',
  )
  expect(text).toBe(
    'Hola, Ana Sofía. Te escribimos del comité de Azahares 2025. ¡Felicidades! El comité aceptó tu registro. Aquí puedes ver tu registro: https://a/folio#X',
  )
})
