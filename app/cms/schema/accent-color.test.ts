import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ACENTO, acentoCercano, contraste, contrasteDeAcento, paletaDe, sirveDeAcento } from './accent-color.ts'

describe('the accent', () => {
  it('measures contrast as WCAG does', () => {
    expect(contraste('#ffffff', '#000000')).toBe(21)
    expect(contraste('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
  })

  it('is measured on the grounds of the palette, and begins with the palette’s own', () => {
    const tokens = readFileSync('app/ui/styles/tokens.css', 'utf8')
    const token = (name: string) => new RegExp(`--${name}: (#[0-9a-f]{6})`).exec(tokens)?.[1]
    expect(token('rosa')).toBe(ACENTO)
    const fondos = ['noche', 'terciopelo', 'vino'].map((name) => contraste(ACENTO, token(name)!))
    expect(contrasteDeAcento(ACENTO)).toBe(Math.min(...fondos))
    expect(sirveDeAcento(ACENTO)).toBe(true)
  })

  it.each(['#000000', '#3b0d22', '#1a2bff', '#7a0000'])('offers a lighter one in the place of %s', (color) => {
    expect(sirveDeAcento(color)).toBe(false)
    expect(sirveDeAcento(acentoCercano(color))).toBe(true)
  })

  it.each([
    ACENTO,
    '#ff8a00',
    '#35c9ff',
    '#ffffff',
    '#f5e050',
    '#9d6bff',
  ])('makes words and buttons of %s that can be read', (color) => {
    expect(sirveDeAcento(color)).toBe(true)
    const paleta = paletaDe(color)
    expect(contrasteDeAcento(paleta['--rosa-texto']!)).toBeGreaterThanOrEqual(4.5)
    for (const part of paleta['--boton']!.match(/#[0-9a-f]{6}/g)!)
      expect(contraste(part, '#ffffff')).toBeGreaterThanOrEqual(4.5)
  })
})
