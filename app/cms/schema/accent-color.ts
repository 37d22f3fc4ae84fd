/**
 * The palette's accent as the organisers may choose it: one colour, from which the lines, the words and the buttons get
 * theirs. Contrast is that of WCAG 2.
 */

/** The accent of the house, which app/ui/styles/tokens.css has. */
export const ACENTO = '#ff2d8f'

/** Grounds that the accent stands on (app/ui/styles/tokens.css): --noche, --terciopelo, --vino. */
const FONDOS = ['#0a0608', '#170a11', '#3b0d22']
/** WCAG 1.4.11: what is no text. */
const CONTRASTE_LINEAS = 3
/** WCAG 1.4.3, of white words on a button; words in the accent, which are small, get more. */
const CONTRASTE_TEXTO = 4.5
const CONTRASTE_PALABRAS = 6
const BLANCO = '#ffffff'

type Rgb = [number, number, number]

const toRgb = (color: string): Rgb =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as unknown as Rgb

const toHex = (rgb: Rgb) => `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`

function luminance(color: string): number {
  const [r, g, b] = toRgb(color).map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as Rgb
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

/** Contrast of two colours `#rrggbb`, 1 to 21. */
export function contraste(uno: string, otro: string): number {
  const [claro, oscuro] = [luminance(uno), luminance(otro)].sort((a, b) => b - a) as [number, number]
  return (claro + 0.05) / (oscuro + 0.05)
}

/** The lowest contrast of a colour on the grounds that the accent stands on. */
export const contrasteDeAcento = (color: string): number => Math.min(...FONDOS.map((fondo) => contraste(color, fondo)))

/** A colour of the same hue and saturation, as light as said, 0 (black) to 1 (white). */
function withLightness(color: string, lightness: number): string {
  const parts = toRgb(color).map((part) => part / 255)
  const [most, least] = [Math.max(...parts), Math.min(...parts)]
  const middle = (most + least) / 2
  const reach = (light: number) => 1 - Math.abs(2 * light - 1)
  // How far each part lies from the middle, as a share of how far it may: the same hue at every lightness.
  const shares = parts.map((part) => (most === least ? 0 : (part - middle) / reach(middle)))
  return toHex(shares.map((share) => 255 * (lightness + share * reach(lightness))) as Rgb)
}

const lightnessOf = (color: string): number => {
  const parts = toRgb(color)
  return (Math.max(...parts) + Math.min(...parts)) / 510
}

/** The colour nearest to one, lighter (`way` 1) or darker (-1), for which something holds. */
function nearest(color: string, way: 1 | -1, holds: (candidate: string) => boolean): string {
  if (holds(color)) return color
  const end = way === 1 ? 1 : 0
  for (let light = lightnessOf(color); way * (end - light) > 0; light += way * 0.01) {
    const candidate = withLightness(color, light)
    if (holds(candidate)) return candidate
  }
  return withLightness(color, end)
}

/** The colour, by so much darker: 0 not at all, 1 black. */
const darker = (color: string, share: number) => withLightness(color, lightnessOf(color) * (1 - share))

/** Whether a colour may be the accent: lines and frames of it are seen on every ground. */
export const sirveDeAcento = (color: string): boolean => contrasteDeAcento(color) >= CONTRASTE_LINEAS

/** The same colour, made as light as an accent needs. */
export const acentoCercano = (color: string): string => nearest(color, 1, sirveDeAcento)

/**
 * What an accent changes of the palette, as declarations of custom properties: lines, words, the neon, the buttons with
 * their white words, the sash.
 * @param color `#rrggbb`
 */
export function paletaDe(color: string): Record<string, string> {
  const acento = color.toLowerCase()
  const texto = nearest(acento, 1, (candidate) => contrasteDeAcento(candidate) >= CONTRASTE_PALABRAS)
  const boton = nearest(acento, -1, (candidate) => contraste(candidate, BLANCO) >= CONTRASTE_TEXTO)
  const hondo = darker(boton, 0.22)
  const orilla = darker(boton, 0.4)
  const luz = toRgb(acento).join(' ')
  const lighter = (share: number) =>
    toRgb(withLightness(acento, lightnessOf(acento) + (1 - lightnessOf(acento)) * share)).join(' ')
  return {
    '--rosa': acento,
    '--rosa-texto': texto,
    '--rosa-luz': luz,
    '--rosa-borde': lighter(0.55),
    '--rosa-borde-vivo': lighter(0.7),
    '--rosa-hondo': hondo,
    '--neon': `0 0 0 2px ${acento}, 0 0 14px 1px rgb(${luz} / 0.75), 0 0 54px 4px rgb(${luz} / 0.38)`,
    '--boton-espera': `linear-gradient(180deg, ${orilla}, ${darker(boton, 0.55)})`,
    '--boton': `linear-gradient(180deg, ${boton}, ${hondo})`,
    '--saten': [
      'linear-gradient(178deg, rgb(255 255 255 / 0.32), transparent 30%, rgb(0 0 0 / 0.28) 78%, rgb(255 255 255 / 0.1))',
      `linear-gradient(95deg, ${orilla}, ${boton} 30%, ${hondo} 62%, ${orilla})`,
    ].join(', '),
  }
}

/** The palette of an accent as a stylesheet, over that of app/ui/styles/tokens.css. */
export const hojaDeAcento = (color: string): string =>
  `:root:root{${Object.entries(paletaDe(color))
    .map(([name, value]) => `${name}:${value}`)
    .join(';')}}`
