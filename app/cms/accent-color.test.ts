import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  canBeAccent,
  contrastOf,
  DEFAULT_ACCENT,
  minContrastOnBackgrounds,
  nearestAccent,
  paletteOf,
} from './accent-color.ts'

describe('the accent', () => {
  it('measures contrast as WCAG does', () => {
    expect(contrastOf('#ffffff', '#000000')).toBe(21)
    expect(contrastOf('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
  })

  it('is measured on the backgrounds of the palette, whose accent is the default', () => {
    const tokens = readFileSync('app/ui/styles/tokens.css', 'utf8')
    const token = (name: string) => new RegExp(`--${name}: (#[0-9a-f]{6})`).exec(tokens)?.[1]
    expect(token('accent')).toBe(DEFAULT_ACCENT)
    const backgrounds = ['night', 'velvet', 'wine'].map((name) => contrastOf(DEFAULT_ACCENT, token(name)!))
    expect(minContrastOnBackgrounds(DEFAULT_ACCENT)).toBe(Math.min(...backgrounds))
    expect(canBeAccent(DEFAULT_ACCENT)).toBe(true)
  })

  it.each(['#000000', '#3b0d22', '#1a2bff', '#7a0000'])('offers a lighter one in the place of %s', (color) => {
    expect(canBeAccent(color)).toBe(false)
    expect(canBeAccent(nearestAccent(color))).toBe(true)
  })

  it.each([
    DEFAULT_ACCENT,
    '#ff8a00',
    '#35c9ff',
    '#ffffff',
    '#f5e050',
    '#9d6bff',
  ])('makes readable texts and buttons of %s', (color) => {
    expect(canBeAccent(color)).toBe(true)
    const palette = paletteOf(color)
    expect(minContrastOnBackgrounds(palette['--accent-text']!)).toBeGreaterThanOrEqual(4.5)
    for (const part of palette['--button']!.match(/#[0-9a-f]{6}/g)!)
      expect(contrastOf(part, '#ffffff')).toBeGreaterThanOrEqual(4.5)
  })
})
