import { describe, expect, test } from 'vitest'
import { loadFicha } from '#app/contenido/contenido.server.ts'
import { componerCorreo } from './plantilla.server.tsx'
import type { ContenidoCorreo } from './schema.ts'

const SITIO = 'https://feria.example'
const ENLACE = `${SITIO}/medios/clave?llave=aB3-_x&medio=El%20Eco`
const CONTENIDOS: Record<ContenidoCorreo['kind'], ContenidoCorreo> = {
  codigo: { kind: 'codigo', codigo: '482913', minutos: 10 },
  puerta: { kind: 'puerta' },
  acreditacion: {
    kind: 'acreditacion',
    medio: 'El Eco <b>& Hijos</b>',
    enlace: ENLACE,
    vence: new Date('2025-09-01T06:30:00Z'),
  },
  vigencia: { kind: 'vigencia', medio: 'El Eco <b>& Hijos</b>', hasta: new Date('2025-10-06T05:59:59.999Z') },
  inscripcion: { kind: 'inscripcion', folio: '7K3M-Q9XT-04WB' },
  invitacion: { kind: 'invitacion', enlace: ENLACE, vence: new Date('2025-09-01T06:30:00Z') },
  documento: {
    kind: 'documento',
    documento: 'Identificación',
    nota: 'No se lee la vigencia.',
    folio: '7K3M-Q9XT-04WB',
  },
  clave: { kind: 'clave', cuando: new Date('2025-09-01T18:30:00Z') },
  recibo: { kind: 'recibo', recibo: '7F2K-94QX-M3TR' },
}
const compose = async (contenido: ContenidoCorreo) => componerCorreo(contenido, SITIO, await loadFicha())

/** Text that is seen, each piece with the colours that apply to it. */
function seenText(html: string): { text: string; color: string; background: string; hidden: boolean }[] {
  const stack = [{ color: '', background: '', hidden: false, tag: '' }]
  const found: ReturnType<typeof seenText> = []
  for (const [, close, tag = '', attributes = '', text = ''] of html.matchAll(/<(\/?)([a-z0-9]+)([^>]*)>([^<]*)/gi)) {
    if (close) stack.pop()
    else {
      const style = /style="([^"]*)"/.exec(attributes)?.[1] ?? ''
      const value = (name: string) => new RegExp(`(?:^|;)${name}:([^;]+)`).exec(style)?.[1]
      const above = stack.at(-1)!
      const here = {
        color: value('color') ?? above.color,
        background: value('background-color') ?? above.background,
        hidden: above.hidden || tag === 'head' || value('display') === 'none',
        tag,
      }
      const isVoid = tag === 'meta' || tag === 'br' || attributes.endsWith('/')
      if (!isVoid) stack.push(here)
    }
    const { color, background, hidden } = stack.at(-1)!
    if (text.trim()) found.push({ text: text.trim(), color, background, hidden })
  }
  return found
}

const luminance = (hex: string) => {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const c = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
const contrast = (a: string, b: string) => {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

describe.each(Object.values(CONTENIDOS))('$kind', (contenido) => {
  test('says the same as text and as HTML', async () => {
    const { text, html } = await compose(contenido)
    const plain = text.replace(/\s+/g, ' ')
    for (const { text: piece } of seenText(html).filter(({ hidden }) => !hidden)) {
      const words = piece.replaceAll('&amp;', '&').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replace(/\s+/g, ' ')
      if (words.length > 12 && !/^O copia|^Feria de/.test(words))
        expect(plain).toContain(words.replace(/^\W+|\W+$/g, ''))
    }
    expect(text).not.toMatch(/undefined|\[object|<\/?b>.*<\/?td/)
  })

  test('is readable on its own ground, whatever the client’s', async () => {
    const { html } = await compose(contenido)
    const seen = seenText(html).filter(({ hidden }) => !hidden)
    expect(seen.length).toBeGreaterThan(6)
    for (const { text, color, background } of seen)
      expect([text, contrast(color, background) >= 4.5]).toEqual([text, true])
  })

  test('fetches nothing from outside, and stays far below the size at which it would be cut', async () => {
    const { html, subject } = await compose(contenido)
    expect(html).not.toMatch(/<img|<link|<script|url\(|@import/)
    expect(Buffer.byteLength(html)).toBeLessThan(20_000)
    expect(subject).not.toMatch(/[\r\n]/)
  })
})

test('the code stands in the subject, in the line beside it and in the message', async () => {
  const { subject, html, text } = await compose(CONTENIDOS.codigo)
  expect(subject).toBe('482913 es tu código de Señorita Azahares')
  const pieces = seenText(html)
  expect(pieces.find(({ hidden, text: piece }) => hidden && piece.startsWith('482913:'))).toBeDefined()
  expect(pieces.find(({ hidden, text: piece }) => !hidden && piece === '482913')).toBeDefined()
  expect(text).toContain('482913')
  expect(text).toContain('Vence en 10 minutos')
})

test('an outlet’s name is shown as it is, and does nothing', async () => {
  const { html, text } = await compose(CONTENIDOS.acreditacion)
  expect(html).toContain('El Eco &lt;b&gt;&amp; Hijos&lt;/b&gt;')
  expect(html).toContain(`href="${ENLACE.replace('&', '&amp;')}"`)
  expect(text).toContain(`Elegir mi contraseña:\n${ENLACE}\n`)
})

test('moments are Mexico’s, whatever the machine’s', async () => {
  expect((await compose(CONTENIDOS.acreditacion)).text).toMatch(
    /hasta el 1 de septiembre de 2025 a las 12:30\sa\.\s?m\., hora/,
  )
  expect((await compose(CONTENIDOS.clave)).text).toMatch(
    /Cambió el 1 de septiembre de 2025 a las 12:30\sp\.\s?m\., hora/,
  )
})
