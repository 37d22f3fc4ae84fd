import { describe, expect, test } from 'vitest'
import { loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import type { Letter } from '#app/mail/schema.ts'
import { composeMail } from '#app/mail/template.server.tsx'

export const SITE = 'https://feria.example'

/** Composes a letter of the current edition, as the mail queue gets it. */
export const compose = async (letter: Letter) => composeMail(letter, SITE, await loadEditionCard())

/** Returns the texts of a mail's HTML, each with its colours, and whether it is hidden. */
export function textsOf(html: string): { text: string; color: string; background: string; isHidden: boolean }[] {
  const stack = [{ color: '', background: '', isHidden: false, tag: '' }]
  const texts: ReturnType<typeof textsOf> = []
  for (const [, close, tag = '', attributes = '', text = ''] of html.matchAll(/<(\/?)([a-z0-9]+)([^>]*)>([^<]*)/gi)) {
    if (close) stack.pop()
    else {
      const style = /style="([^"]*)"/.exec(attributes)?.[1] ?? ''
      const styleValue = (name: string) => new RegExp(`(?:^|;)${name}:([^;]+)`).exec(style)?.[1]
      const parent = stack.at(-1)!
      const element = {
        color: styleValue('color') ?? parent.color,
        background: styleValue('background-color') ?? parent.background,
        isHidden: parent.isHidden || tag === 'head' || styleValue('display') === 'none',
        tag,
      }
      const isVoid = tag === 'meta' || tag === 'br' || attributes.endsWith('/')
      if (!isVoid) stack.push(element)
    }
    const { color, background, isHidden } = stack.at(-1)!
    if (text.trim()) texts.push({ text: text.trim(), color, background, isHidden })
  }
  return texts
}

/** Returns the relative luminance of a colour. @source WCAG 2.2, relative luminance */
const luminance = (hex: string) => {
  const [r, g, b] = [1, 3, 5].map((start) => {
    const channel = Number.parseInt(hex.slice(start, start + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
const contrast = (a: string, b: string) => {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

/** Runs the checks that hold for every letter. */
export const testLetters = (letters: readonly Letter[]) =>
  describe.each(letters)('the message «$kind»', (letter) => {
    test('says the same as text and as HTML', async () => {
      const { text, html } = await compose(letter)
      const flatText = text.replace(/\s+/g, ' ')
      for (const { text: visibleText } of textsOf(html).filter(({ isHidden }) => !isHidden)) {
        const words = visibleText
          .replaceAll('&amp;', '&')
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replace(/\s+/g, ' ')
        if (words.length > 12 && !/^O copia|^Feria de/.test(words))
          expect(flatText).toContain(words.replace(/^\W+|\W+$/g, ''))
      }
      expect(text).not.toMatch(/undefined|\[object|<\/?b>.*<\/?td/)
    })

    test('is readable on its own background, whichever the client has', async () => {
      const { html } = await compose(letter)
      const visibleTexts = textsOf(html).filter(({ isHidden }) => !isHidden)
      expect(visibleTexts.length).toBeGreaterThan(6)
      for (const { text, color, background } of visibleTexts)
        expect([text, contrast(color, background) >= 4.5]).toEqual([text, true])
    })

    test('fetches nothing from outside, and stays far below the size at which it would be cut', async () => {
      const { html, subject } = await compose(letter)
      expect(html).not.toMatch(/<img|<link|<script|url\(|@import/)
      expect(Buffer.byteLength(html)).toBeLessThan(20_000)
      expect(subject).not.toMatch(/[\r\n]/)
    })
  })
