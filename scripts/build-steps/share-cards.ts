import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import {
  SHARE_CARD_HEIGHT as HEIGHT,
  type ShareCardDesign,
  SHARE_CARD_WIDTH as WIDTH,
} from '#app/cms/media/share-cards.server.ts'
import type { Photo } from '#app/cms/schema/edition-documents.ts'
import { root } from '../prepare.mjs'

// fontconfig reads the variable once, when the first text is drawn.
process.env.FONTCONFIG_FILE = join(root, 'scripts/build-steps/fonts.conf')

const BODONI = { font: 'Bodoni Moda', fontfile: '.cache/fonts/bodoni-tarjeta.ttf', lineHeight: 0.7 }
const INSTRUMENT = { font: 'Instrument Sans', fontfile: '.cache/fonts/instrument-tarjeta.ttf', lineHeight: 1.05 }
const EMBLEM = join(root, 'app/ui/ornaments/drawings/emblem.svg')

/** These are the colours of app/ui/styles/tokens.css, and of the candidates' tones, as on their screen. */
const NIGHT = '#0a0608'
const IVORY = '#f7f0e6'
const GOLD_TEXT = '#efd79c'
const TONE_COLORS: Record<NonNullable<ShareCardDesign['tono']>, string> = {
  fucsia: '#ff2d8f',
  oro: '#e9b248',
  turquesa: '#40c8be',
  violeta: '#a06eff',
  coral: '#ff6048',
}

/** The margin and the emblem's width are in pixels. */
const MARGIN = 72
const EMBLEM_WIDTH = 132
/**
 * The layouts are in pixels: an upright photograph stands right of the text; a wide one fills the card, with the text at its
 * foot. `focalTop` is the focal point's place from the top of the card, 0 to 1.
 */
const VERTICAL = { left: 540, textWidth: 600, textHeight: 230, focalTop: 0.4 }
const HORIZONTAL = { left: 0, textWidth: WIDTH - 3 * MARGIN - EMBLEM_WIDTH, textHeight: 125, focalTop: 0.5 }
const SASH_DEGREES = -3

/** Draws a share card, which social networks show beside a link. */
export async function drawCard(design: ShareCardDesign, source: string): Promise<Buffer> {
  const { titulo, linea, tono } = design
  const { autoOrient } = await sharp(source).metadata()
  const isLandscape = autoOrient.width > autoOrient.height
  const place = isLandscape ? HORIZONTAL : VERTICAL
  const small = await drawText(linea, INSTRUMENT, GOLD_TEXT, {
    sizes: [30, 27, 25],
    maxWidth: place.textWidth,
    maxHeight: 42,
  })
  const below = HEIGHT - MARGIN - small.height
  const title = tono
    ? await drawSash(titulo)
    : await drawText(titulo, BODONI, IVORY, {
        sizes: [108, 96, 84, 76, 68, 60, 54, 48],
        maxWidth: place.textWidth,
        maxHeight: place.textHeight,
      })
  const mark = await emblem()
  return sharp({ create: { width: WIDTH, height: HEIGHT, channels: 3, background: NIGHT } })
    .composite([
      { input: await cropPhotograph(design.foto, source, autoOrient, place), left: place.left, top: 0 },
      { input: isLandscape ? veilAtFoot() : drawVeil(place.left, TONE_COLORS[tono ?? 'fucsia']), left: 0, top: 0 },
      { input: drawRule(tono), left: 0, top: 0 },
      isLandscape
        ? { input: mark.input, left: WIDTH - MARGIN - EMBLEM_WIDTH, top: HEIGHT - MARGIN - mark.height }
        : { input: mark.input, left: MARGIN, top: MARGIN - 16 },
      { input: title.input, left: tono ? MARGIN - 44 : MARGIN, top: below - (tono ? 20 : 34) - title.height },
      { input: small.input, left: MARGIN, top: below },
    ])
    .jpeg({ quality: 82, mozjpeg: true })
    .toBuffer()
}

/** Returns the photograph cut to its part of the card. */
function cropPhotograph(
  { foco }: Photo,
  source: string,
  whole: { width: number; height: number },
  part: typeof VERTICAL,
) {
  const frameWidth = WIDTH - part.left
  const scale = Math.max(frameWidth / whole.width, HEIGHT / whole.height)
  const width = Math.ceil(whole.width * scale)
  const height = Math.ceil(whole.height * scale)
  const cut = (percent: number, full: number, shown: number, at: number) =>
    Math.round(Math.min(Math.max((percent / 100) * full - shown * at, 0), full - shown))
  return sharp(source)
    .autoOrient()
    .resize(width, height)
    .extract({
      left: cut(foco[0], width, frameWidth, 0.5),
      top: cut(foco[1], height, HEIGHT, part.focalTop),
      width: frameWidth,
      height: HEIGHT,
    })
    .toBuffer()
}

const svg = (drawing: string, width = WIDTH, height = HEIGHT) =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${drawing}</svg>`)

const stop = (offset: number, color: string, opacity = 1) =>
  `<stop offset="${offset}" stop-color="${color}" stop-opacity="${opacity}"/>`

/** Returns a gradient from the dark side into the photograph, with a tint of the card's colour. */
const drawVeil = (from: number, tint: string) =>
  svg(`<linearGradient id="a" gradientUnits="userSpaceOnUse" x1="${from}" x2="${from + 420}">
${stop(0, NIGHT)}${stop(0.35, NIGHT, 0.72)}${stop(1, NIGHT, 0)}</linearGradient>
<linearGradient id="b" x1="0" y1="0" x2="0" y2="1">${stop(0.55, NIGHT, 0)}${stop(1, NIGHT, 0.7)}</linearGradient>
<radialGradient id="c" gradientUnits="userSpaceOnUse" cx="${from}" cy="0" r="760">${stop(0, tint, 0.2)}${stop(1, tint, 0)}</radialGradient>
<rect x="${from}" width="${WIDTH - from}" height="${HEIGHT}" fill="url(#a)"/>
<rect width="${WIDTH}" height="${HEIGHT}" fill="url(#b)"/><rect width="${WIDTH}" height="${HEIGHT}" fill="url(#c)"/>`)

const veilAtFoot = () =>
  svg(`<linearGradient id="a" x1="0" y1="0" x2="0" y2="1">
${stop(0.34, NIGHT, 0)}${stop(0.68, NIGHT, 0.74)}${stop(1, NIGHT, 0.96)}</linearGradient>
<radialGradient id="b" gradientUnits="userSpaceOnUse" cx="0" cy="0" r="520">${stop(0, NIGHT, 0.8)}${stop(1, NIGHT, 0)}</radialGradient>
<rect width="${WIDTH}" height="${HEIGHT}" fill="url(#a)"/><rect width="${WIDTH}" height="${HEIGHT}" fill="url(#b)"/>`)

/** Returns the line at the card's foot, in a candidate's tone or in the colours of the papel picado. */
function drawRule(tone: ShareCardDesign['tono']): Buffer {
  const colors: [number, string][] = tone
    ? [[0, TONE_COLORS[tone]]]
    : [
        [0, '#ff2d8f'],
        [0.22, '#a3257c'],
        [0.48, '#d9b25f'],
        [0.72, '#e4502e'],
        [1, '#ff2d8f'],
      ]
  return svg(`<linearGradient id="a">${colors.map(([at, color]) => stop(at, color)).join('')}</linearGradient>
<rect y="${HEIGHT - 8}" width="${WIDTH}" height="8" fill="url(#a)"/>`)
}

/** Draws a candidate's name on her sash, three degrees askew, as on her screen. */
async function drawSash(name: string) {
  const words = await drawText(name, BODONI, '#fff', { sizes: [68, 62, 56, 50, 44], maxWidth: 680, maxHeight: 76 })
  const width = words.width + 150
  const height = words.height + 44
  const tail = 34
  const shape = `M0 0H${width}L${width - tail} ${height / 2}L${width} ${height}H0Z`
  const band = svg(
    `<linearGradient id="a" gradientTransform="rotate(5)">${stop(0, '#8c0f4d')}${stop(0.3, '#c4146a')}${stop(0.62, '#b81262')}${stop(1, '#7c0c44')}</linearGradient>
<linearGradient id="b" x1="0" y1="0" x2="0" y2="1">${stop(0, '#fff', 0.26)}${stop(0.3, '#fff', 0)}${stop(0.31, '#000', 0)}${stop(0.8, '#000', 0.28)}${stop(1, '#fff', 0.1)}</linearGradient>
<path d="${shape}" fill="url(#a)"/><path d="${shape}" fill="url(#b)"/>
<path d="M0 1H${width}M0 ${height - 1}H${width}" stroke="${GOLD_TEXT}" stroke-width="2"/>`,
    width,
    height,
  )
  const flat = await sharp(band)
    .composite([{ input: words.input, left: 48, top: 20 }])
    .png()
    .toBuffer()
  const { data, info } = await sharp(flat)
    .rotate(SASH_DEGREES, { background: '#0000' })
    .png()
    .toBuffer({ resolveWithObject: true })
  return { input: data, width: info.width, height: info.height }
}

async function emblem() {
  const drawing = (await readFile(EMBLEM, 'utf8')).replaceAll('#000', '#d9b25f')
  const { data, info } = await sharp(Buffer.from(drawing), { density: 140 })
    .resize({ width: EMBLEM_WIDTH })
    .png()
    .toBuffer({ resolveWithObject: true })
  return { input: data, height: info.height }
}

interface Fit {
  /** `sizes` are font sizes in pixels, from the largest to the smallest. */
  sizes: number[]
  /** `maxWidth` and `maxHeight` are in pixels. */
  maxWidth: number
  maxHeight: number
}

/** Draws text in the largest size that fits its place; in the smallest size where none does, which may then overflow. */
async function drawText(words: string, face: typeof BODONI, color: string, { sizes, maxWidth, maxHeight }: Fit) {
  for (const size of sizes) {
    const { data, info } = await sharp({
      text: {
        text: `<span foreground="${color}" line_height="${face.lineHeight}">${escaped(words)}</span>`,
        font: `${face.font} ${size}`,
        fontfile: face.fontfile,
        width: maxWidth,
        rgba: true,
        // At 72 dpi a point is a pixel.
        dpi: 72,
      },
    })
      .png()
      .toBuffer({ resolveWithObject: true })
    const fits = info.height <= maxHeight && info.width <= maxWidth
    if (fits || size === sizes.at(-1)) return { input: data, height: info.height, width: info.width }
  }
  throw new Error('no size to write in')
}

const escaped = (text: string) => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)
