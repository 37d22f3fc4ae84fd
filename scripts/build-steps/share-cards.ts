import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import {
  SHARE_CARD_HEIGHT_PX as HEIGHT,
  type ShareCardDesign,
  SHARE_CARD_WIDTH_PX as WIDTH,
} from '#app/cms/media/share-cards.server.ts'
import type { Photo } from '#app/cms/schema/edition-documents.ts'
import { root } from '../prepare.mjs'

// fontconfig reads the variable once, when the first text is drawn.
process.env.FONTCONFIG_FILE = join(root, 'scripts/build-steps/fonts.conf')

const BODONI = { family: 'Bodoni Moda', fontfile: '.cache/fonts/bodoni-tarjeta.ttf', lineHeight: 0.7 }
const INSTRUMENT = { family: 'Instrument Sans', fontfile: '.cache/fonts/instrument-tarjeta.ttf', lineHeight: 1.05 }
const EMBLEM = join(root, 'app/ui/ornaments/drawings/emblem.svg')

/** Colours of app/ui/styles/tokens.css, and of the candidates' tones. */
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

const MARGIN = 72
const EMBLEM_WIDTH = 132
/**
 * Layouts in pixels: an upright photograph stands right of the text; a wide one fills the card, with the text at its foot.
 * `focalTop`: where the photograph's focal point lies in the height of the card, from 0 to 1.
 */
const UPRIGHT_LAYOUT = { left: 540, textWidth: 600, textHeight: 230, focalTop: 0.4 }
const WIDE_LAYOUT = { left: 0, textWidth: WIDTH - 3 * MARGIN - EMBLEM_WIDTH, textHeight: 125, focalTop: 0.5 }
const SASH_DEGREES = -3

/** Draws a share card, which social networks show beside a link. */
export async function drawCard(design: ShareCardDesign, source: string): Promise<Buffer> {
  const { titulo, linea, tono } = design
  const { autoOrient } = await sharp(source).metadata()
  const isLandscape = autoOrient.width > autoOrient.height
  const layout = isLandscape ? WIDE_LAYOUT : UPRIGHT_LAYOUT
  const line = await drawText(linea, INSTRUMENT, GOLD_TEXT, {
    sizes: [30, 27, 25],
    maxWidth: layout.textWidth,
    maxHeight: 42,
  })
  const lineTop = HEIGHT - MARGIN - line.height
  const title = tono
    ? await drawSash(titulo)
    : await drawText(titulo, BODONI, IVORY, {
        sizes: [108, 96, 84, 76, 68, 60, 54, 48],
        maxWidth: layout.textWidth,
        maxHeight: layout.textHeight,
      })
  const emblem = await drawEmblem()
  return sharp({ create: { width: WIDTH, height: HEIGHT, channels: 3, background: NIGHT } })
    .composite([
      { input: await cropPhotograph(design.foto, source, autoOrient, layout), left: layout.left, top: 0 },
      { input: isLandscape ? drawFootVeil() : drawVeil(layout.left, TONE_COLORS[tono ?? 'fucsia']), left: 0, top: 0 },
      { input: drawRule(tono), left: 0, top: 0 },
      isLandscape
        ? { input: emblem.input, left: WIDTH - MARGIN - EMBLEM_WIDTH, top: HEIGHT - MARGIN - emblem.height }
        : { input: emblem.input, left: MARGIN, top: MARGIN - 16 },
      { input: title.input, left: tono ? MARGIN - 44 : MARGIN, top: lineTop - (tono ? 20 : 34) - title.height },
      { input: line.input, left: MARGIN, top: lineTop },
    ])
    .jpeg({ quality: 82, mozjpeg: true })
    .toBuffer()
}

function cropPhotograph(
  { foco }: Photo,
  source: string,
  size: { width: number; height: number },
  layout: typeof UPRIGHT_LAYOUT,
) {
  const frameWidth = WIDTH - layout.left
  const scale = Math.max(frameWidth / size.width, HEIGHT / size.height)
  const width = Math.ceil(size.width * scale)
  const height = Math.ceil(size.height * scale)
  const cropStart = (focusPercent: number, fullLength: number, shownLength: number, focusTarget: number) =>
    Math.round(
      Math.min(Math.max((focusPercent / 100) * fullLength - shownLength * focusTarget, 0), fullLength - shownLength),
    )
  return sharp(source)
    .autoOrient()
    .resize(width, height)
    .extract({
      left: cropStart(foco[0], width, frameWidth, 0.5),
      top: cropStart(foco[1], height, HEIGHT, layout.focalTop),
      width: frameWidth,
      height: HEIGHT,
    })
    .toBuffer()
}

const svg = (drawing: string, width = WIDTH, height = HEIGHT) =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${drawing}</svg>`)

const stop = (offset: number, color: string, opacity = 1) =>
  `<stop offset="${offset}" stop-color="${color}" stop-opacity="${opacity}"/>`

/** Returns gradients that darken the photograph from its left edge and towards its foot, with a tint of the card's colour. */
const drawVeil = (startX: number, tint: string) =>
  svg(`<linearGradient id="a" gradientUnits="userSpaceOnUse" x1="${startX}" x2="${startX + 420}">
${stop(0, NIGHT)}${stop(0.35, NIGHT, 0.72)}${stop(1, NIGHT, 0)}</linearGradient>
<linearGradient id="b" x1="0" y1="0" x2="0" y2="1">${stop(0.55, NIGHT, 0)}${stop(1, NIGHT, 0.7)}</linearGradient>
<radialGradient id="c" gradientUnits="userSpaceOnUse" cx="${startX}" cy="0" r="760">${stop(0, tint, 0.2)}${stop(1, tint, 0)}</radialGradient>
<rect x="${startX}" width="${WIDTH - startX}" height="${HEIGHT}" fill="url(#a)"/>
<rect width="${WIDTH}" height="${HEIGHT}" fill="url(#b)"/><rect width="${WIDTH}" height="${HEIGHT}" fill="url(#c)"/>`)

const drawFootVeil = () =>
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
  return svg(`<linearGradient id="a">${colors.map(([offset, color]) => stop(offset, color)).join('')}</linearGradient>
<rect y="${HEIGHT - 8}" width="${WIDTH}" height="8" fill="url(#a)"/>`)
}

/** Draws a candidate's name on her sash, three degrees askew, as on her screen. */
async function drawSash(name: string) {
  const nameText = await drawText(name, BODONI, '#fff', { sizes: [68, 62, 56, 50, 44], maxWidth: 680, maxHeight: 76 })
  const width = nameText.width + 150
  const height = nameText.height + 44
  const tail = 34
  const shape = `M0 0H${width}L${width - tail} ${height / 2}L${width} ${height}H0Z`
  const sashShape = svg(
    `<linearGradient id="a" gradientTransform="rotate(5)">${stop(0, '#8c0f4d')}${stop(0.3, '#c4146a')}${stop(0.62, '#b81262')}${stop(1, '#7c0c44')}</linearGradient>
<linearGradient id="b" x1="0" y1="0" x2="0" y2="1">${stop(0, '#fff', 0.26)}${stop(0.3, '#fff', 0)}${stop(0.31, '#000', 0)}${stop(0.8, '#000', 0.28)}${stop(1, '#fff', 0.1)}</linearGradient>
<path d="${shape}" fill="url(#a)"/><path d="${shape}" fill="url(#b)"/>
<path d="M0 1H${width}M0 ${height - 1}H${width}" stroke="${GOLD_TEXT}" stroke-width="2"/>`,
    width,
    height,
  )
  const levelSash = await sharp(sashShape)
    .composite([{ input: nameText.input, left: 48, top: 20 }])
    .png()
    .toBuffer()
  const { data, info } = await sharp(levelSash)
    .rotate(SASH_DEGREES, { background: '#0000' })
    .png()
    .toBuffer({ resolveWithObject: true })
  return { input: data, width: info.width, height: info.height }
}

async function drawEmblem() {
  const drawing = (await readFile(EMBLEM, 'utf8')).replaceAll('#000', '#d9b25f')
  const { data, info } = await sharp(Buffer.from(drawing), { density: 140 })
    .resize({ width: EMBLEM_WIDTH })
    .png()
    .toBuffer({ resolveWithObject: true })
  return { input: data, height: info.height }
}

/** All values are in pixels. */
interface TextLimits {
  /** Font sizes to try, largest first. */
  sizes: number[]
  maxWidth: number
  maxHeight: number
}

/** Draws text in the largest size that fits; if none fits, in the smallest, which then overflows. */
async function drawText(text: string, font: typeof BODONI, color: string, { sizes, maxWidth, maxHeight }: TextLimits) {
  for (const size of sizes) {
    const { data, info } = await sharp({
      text: {
        text: `<span foreground="${color}" line_height="${font.lineHeight}">${escapeMarkup(text)}</span>`,
        font: `${font.family} ${size}`,
        fontfile: font.fontfile,
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
  throw new Error('drawText got no font size')
}

const escapeMarkup = (text: string) => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)
