import type { Tone } from '#app/ui/styles/tone.ts'

/** The picture is a vertical social-media story of this size in pixels. */
const WIDTH = 1080
const HEIGHT = 1920
const CENTRE_X = WIDTH / 2
/** `HUB_Y` is the height of the wheel's hub, and `RIM_RADIUS` the radius of its rim, in pixels. */
const HUB_Y = 660
const RIM_RADIUS = 400
const BULBS = 24

/** These are the RGB values of the tones. They must equal those in app/ui/styles/tone.module.css, which a canvas cannot read. */
const GLOW_RGB: Record<Tone, string> = {
  fucsia: '255,45,143',
  oro: '233,178,72',
  turquesa: '64,200,190',
  violeta: '160,110,255',
  coral: '255,96,72',
}

interface Receipt {
  name: string
  tone: Tone
  year: number
  /** The URL of the candidate's portrait. */
  portrait: string
  /** The focal point of the portrait: x and y in percent. */
  focalPoint: readonly [number, number]
  /** The receipt with its hyphens. */
  receipt: string
  /** The site's host, printed at the foot of the picture. */
  siteHost: string
}

/** Draws a receipt as a vertical picture of 1080 × 1920. @throws without a canvas, or if the portrait does not load */
export async function drawReceipt({ name, tone, year, portrait, focalPoint, receipt, siteHost }: Receipt) {
  const canvas = document.createElement('canvas')
  canvas.width = WIDTH
  canvas.height = HEIGHT
  const c = canvas.getContext('2d')
  if (!c) throw new Error('No canvas here')
  const photo = new Image()
  photo.src = portrait
  await Promise.all([photo.decode(), document.fonts.ready])

  c.fillStyle = '#0a0608'
  c.fillRect(0, 0, WIDTH, HEIGHT)
  const glow = c.createRadialGradient(CENTRE_X, HUB_Y, 80, CENTRE_X, HUB_Y, 980)
  glow.addColorStop(0, `rgba(${GLOW_RGB[tone]},0.62)`)
  glow.addColorStop(1, `rgba(${GLOW_RGB[tone]},0)`)
  c.fillStyle = glow
  c.fillRect(0, 0, WIDTH, HEIGHT)

  drawWheel(c, photo, focalPoint, GLOW_RGB[tone])

  c.textAlign = 'center'
  c.fillStyle = '#efd79c'
  c.font = '500 40px Instrument, sans-serif'
  c.fillText(`Señorita Popularidad ${year}`, CENTRE_X, 150)
  c.save()
  c.translate(CENTRE_X, 1130)
  c.rotate((-3 * Math.PI) / 180)
  drawSash(c, name, receipt)
  c.restore()
  c.fillStyle = '#f7f0e6'
  c.font = '440 84px Bodoni, serif'
  c.fillText('Mi voto enciende', CENTRE_X, 1500)
  c.fillText('la rueda', CENTRE_X, 1600)
  c.fillStyle = '#ff6fb2'
  c.font = '500 42px Instrument, sans-serif'
  c.fillText(`${siteHost}/misspopularidad`, CENTRE_X, 1730, WIDTH - 120)
  return canvas
}

function drawWheel(
  c: CanvasRenderingContext2D,
  photo: HTMLImageElement,
  focalPoint: readonly [number, number],
  glowRgb: string,
) {
  const inner = RIM_RADIUS - 58
  c.save()
  c.beginPath()
  c.arc(CENTRE_X, HUB_Y, inner, 0, 2 * Math.PI)
  c.clip()
  // Crops like CSS `object-fit: cover` with the focal point as `object-position`.
  const scale = Math.max((2 * inner) / photo.naturalWidth, (2 * inner) / photo.naturalHeight)
  const [width, height] = [photo.naturalWidth * scale, photo.naturalHeight * scale]
  const at = (middle: number, size: number, part: number) => middle - inner - ((size - 2 * inner) * part) / 100
  c.drawImage(photo, at(CENTRE_X, width, focalPoint[0]), at(HUB_Y, height, focalPoint[1]), width, height)
  c.restore()
  c.strokeStyle = '#d9b25f'
  c.lineWidth = 4
  for (const radius of [RIM_RADIUS + 36, RIM_RADIUS - 36]) {
    c.beginPath()
    c.arc(CENTRE_X, HUB_Y, radius, 0, 2 * Math.PI)
    c.stroke()
  }
  c.shadowColor = `rgb(${glowRgb})`
  c.shadowBlur = 36
  c.fillStyle = '#ffe9b0'
  for (let which = 0; which < BULBS; which++) {
    const angle = (which / BULBS) * 2 * Math.PI
    c.beginPath()
    c.arc(CENTRE_X + RIM_RADIUS * Math.cos(angle), HUB_Y + RIM_RADIUS * Math.sin(angle), 16, 0, 2 * Math.PI)
    c.fill()
  }
  c.shadowBlur = 0
}

/** Draws the satin sash, centred on the current origin. */
function drawSash(c: CanvasRenderingContext2D, name: string, receipt: string) {
  const [half, high, notch] = [480, 130, 56]
  const satin = c.createLinearGradient(-half, 0, half, 0)
  for (const [stop, colour] of [
    [0, '#8c0f4d'],
    [0.3, '#d4176f'],
    [0.62, '#b81262'],
    [1, '#7c0c44'],
  ] as const)
    satin.addColorStop(stop, colour)
  c.beginPath()
  for (const [x, y] of [
    [-half, -high],
    [half, -high],
    [half - notch, 0],
    [half, high],
    [-half, high],
  ] as const)
    c.lineTo(x, y)
  c.closePath()
  c.fillStyle = satin
  c.fill()
  const fold = c.createLinearGradient(0, -high, 0, high)
  fold.addColorStop(0, 'rgba(255,255,255,0.28)')
  fold.addColorStop(0.3, 'rgba(255,255,255,0)')
  fold.addColorStop(0.8, 'rgba(0,0,0,0.28)')
  fold.addColorStop(1, 'rgba(255,255,255,0.1)')
  c.fillStyle = fold
  c.fill()
  c.fillStyle = '#efd79c'
  c.fillRect(-half, -high, 2 * half, 4)
  c.fillRect(-half, high - 4, 2 * half, 4)
  c.fillStyle = '#fff'
  c.font = '440 74px Bodoni, serif'
  c.fillText(name, -notch / 2, -36, 2 * half - 140)
  c.font = '500 34px Instrument, sans-serif'
  c.fillText('Mi recibo', -notch / 2, 22)
  c.fillStyle = '#ffe9b0'
  // The receipt is set in sans-serif, since readers copy it letter by letter and Bodoni's hyphens are hairlines at this size.
  c.font = '600 60px Instrument, sans-serif'
  c.fillText(receipt, -notch / 2, 96, 2 * half - 140)
}
