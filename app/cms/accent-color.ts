/** The accent of app/ui/styles/tokens.css. */
export const DEFAULT_ACCENT = '#ff2d8f'

/** Backgrounds of the accent: --night, --velvet and --wine (app/ui/styles/tokens.css). */
const BACKGROUNDS = ['#0a0608', '#170a11', '#3b0d22']
/** Minimum contrast of lines and frames. @source WCAG 1.4.11, non-text contrast */
const MIN_LINE_CONTRAST = 3
/** Minimum contrast of white text on a button. @source WCAG 1.4.3 */
const MIN_TEXT_CONTRAST = 4.5
/** Minimum contrast of small text in the accent colour, more than WCAG asks for. */
const MIN_SMALL_TEXT_CONTRAST = 6
const WHITE = '#ffffff'

type Rgb = [number, number, number]

const toRgb = (color: string): Rgb =>
  [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16)) as unknown as Rgb

const toHex = (rgb: Rgb) => `#${rgb.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`

function luminance(color: string): number {
  const [r, g, b] = toRgb(color).map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as Rgb
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

/** Returns the contrast ratio of WCAG 2 of two colours `#rrggbb`, from 1 to 21. */
export function contrastOf(first: string, second: string): number {
  const [light, dark] = [luminance(first), luminance(second)].sort((a, b) => b - a) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

export const minContrastOnBackgrounds = (color: string): number =>
  Math.min(...BACKGROUNDS.map((background) => contrastOf(color, background)))

/** Returns the colour with another HSL lightness, from 0 (black) to 1 (white). */
function withLightness(color: string, lightness: number): string {
  const channels = toRgb(color).map((channel) => channel / 255)
  const [max, min] = [Math.max(...channels), Math.min(...channels)]
  const middle = (max + min) / 2
  const maxChroma = (light: number) => 1 - Math.abs(2 * light - 1)
  // Each channel's distance from the middle is scaled to the new maximum chroma, which keeps hue and saturation (HSL).
  const shares = channels.map((channel) => (max === min ? 0 : (channel - middle) / maxChroma(middle)))
  return toHex(shares.map((share) => 255 * (lightness + share * maxChroma(lightness))) as Rgb)
}

const lightnessOf = (color: string): number => {
  const channels = toRgb(color)
  return (Math.max(...channels) + Math.min(...channels)) / (2 * 255)
}

/** Returns a colour or, if it is not valid, the first valid one towards white (`direction` 1) or black (-1); white or black if none is. */
function nearestShade(color: string, direction: 1 | -1, isValid: (shade: string) => boolean): string {
  if (isValid(color)) return color
  const extreme = direction === 1 ? 1 : 0
  for (let lightness = lightnessOf(color); direction * (extreme - lightness) > 0; lightness += direction * 0.01) {
    const shade = withLightness(color, lightness)
    if (isValid(shade)) return shade
  }
  return withLightness(color, extreme)
}

/** Darkens a colour by a share of its lightness, from 0, which changes nothing, to 1, which gives black. */
const darken = (color: string, share: number) => withLightness(color, lightnessOf(color) * (1 - share))

/** Returns whether a colour may be the accent: its lines and frames must be visible on every background. */
export const canBeAccent = (color: string): boolean => minContrastOnBackgrounds(color) >= MIN_LINE_CONTRAST

/** Returns the colour, lightened if it cannot be the accent. */
export const nearestAccent = (color: string): string => nearestShade(color, 1, canBeAccent)

/**
 * Returns the custom properties that depend on the accent: lines, texts, neon, buttons with white text, sash.
 * @param color `#rrggbb`
 */
export function paletteOf(color: string): Record<string, string> {
  const accent = color.toLowerCase()
  const text = nearestShade(accent, 1, (shade) => minContrastOnBackgrounds(shade) >= MIN_SMALL_TEXT_CONTRAST)
  const button = nearestShade(accent, -1, (shade) => contrastOf(shade, WHITE) >= MIN_TEXT_CONTRAST)
  const deep = darken(button, 0.22)
  const edge = darken(button, 0.4)
  const accentRgb = toRgb(accent).join(' ')
  const lightenedRgb = (share: number) =>
    toRgb(withLightness(accent, lightnessOf(accent) + (1 - lightnessOf(accent)) * share)).join(' ')
  return {
    '--accent': accent,
    '--accent-text': text,
    '--accent-rgb': accentRgb,
    '--accent-border': lightenedRgb(0.55),
    '--accent-border-vivid': lightenedRgb(0.7),
    '--accent-deep': deep,
    '--neon': `0 0 0 2px ${accent}, 0 0 14px 1px rgb(${accentRgb} / 0.75), 0 0 54px 4px rgb(${accentRgb} / 0.38)`,
    '--button-waiting': `linear-gradient(180deg, ${edge}, ${darken(button, 0.55)})`,
    '--button': `linear-gradient(180deg, ${button}, ${deep})`,
    '--satin': [
      'linear-gradient(178deg, rgb(255 255 255 / 0.32), transparent 30%, rgb(0 0 0 / 0.28) 78%, rgb(255 255 255 / 0.1))',
      `linear-gradient(95deg, ${edge}, ${button} 30%, ${deep} 62%, ${edge})`,
    ].join(', '),
  }
}

/** Returns an accent's palette as a stylesheet. The doubled :root outranks app/ui/styles/tokens.css. */
export const accentStylesheet = (color: string): string =>
  `:root:root{${Object.entries(paletteOf(color))
    .map(([name, value]) => `${name}:${value}`)
    .join(';')}}`
