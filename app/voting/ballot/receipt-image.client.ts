import type { Tone } from '#app/ui/styles/tone.ts'

/** The picture has the size of a vertical social-media story, in pixels. */
const WIDTH = 1080
const HEIGHT = 1920
const CENTRE_X = WIDTH / 2
/** Distance of the wheel's hub from the picture's top, in pixels. */
const HUB_Y = 660
const RIM_RADIUS = 400
const BULB_COUNT = 24

/** RGB values of the tones, copied from app/ui/styles/tone.module.css, since a canvas cannot read a stylesheet. */
const GLOW_RGB: Record<Tone, string> = {
  fucsia: '255,45,143',
  oro: '233,178,72',
  turquesa: '64,200,190',
  violeta: '160,110,255',
  coral: '255,96,72',
}

interface ReceiptPicture {
  name: string
  tone: Tone
  year: number
  portraitUrl: string
  /** Focal point of the portrait: x and y in percent. */
  focalPoint: readonly [number, number]
  /** Receipt with hyphens. */
  receipt: string
  /** The site's host, printed at the foot of the picture. */
  siteHost: string
}

/** Draws a receipt on a canvas. @throws if the browser has no canvas or the portrait does not load */
export async function drawReceipt({ name, tone, year, portraitUrl, focalPoint, receipt, siteHost }: ReceiptPicture) {
  const canvas = document.createElement('canvas')
  canvas.width = WIDTH
  canvas.height = HEIGHT
  const context = canvas.getContext('2d')
  if (!context) throw new Error('No canvas here')
  const photo = new Image()
  photo.src = portraitUrl
  await Promise.all([photo.decode(), document.fonts.ready])

  context.fillStyle = '#0a0608'
  context.fillRect(0, 0, WIDTH, HEIGHT)
  const glow = context.createRadialGradient(CENTRE_X, HUB_Y, 80, CENTRE_X, HUB_Y, 980)
  glow.addColorStop(0, `rgba(${GLOW_RGB[tone]},0.62)`)
  glow.addColorStop(1, `rgba(${GLOW_RGB[tone]},0)`)
  context.fillStyle = glow
  context.fillRect(0, 0, WIDTH, HEIGHT)

  drawWheel(context, photo, focalPoint, GLOW_RGB[tone])

  context.textAlign = 'center'
  context.fillStyle = '#efd79c'
  context.font = '500 40px Instrument, sans-serif'
  context.fillText(`Señorita Popularidad ${year}`, CENTRE_X, 150)
  context.save()
  context.translate(CENTRE_X, 1130)
  context.rotate((-3 * Math.PI) / 180)
  drawSash(context, name, receipt)
  context.restore()
  context.fillStyle = '#f7f0e6'
  context.font = '440 84px Bodoni, serif'
  context.fillText('Mi voto enciende', CENTRE_X, 1500)
  context.fillText('la rueda', CENTRE_X, 1600)
  context.fillStyle = '#ff6fb2'
  context.font = '500 42px Instrument, sans-serif'
  context.fillText(`${siteHost}/misspopularidad`, CENTRE_X, 1730, WIDTH - 120)
  return canvas
}

function drawWheel(
  context: CanvasRenderingContext2D,
  photo: HTMLImageElement,
  focalPoint: readonly [number, number],
  glowRgb: string,
) {
  const portraitRadius = RIM_RADIUS - 58
  context.save()
  context.beginPath()
  context.arc(CENTRE_X, HUB_Y, portraitRadius, 0, 2 * Math.PI)
  context.clip()
  // Crops like CSS `object-fit: cover` with the focal point as `object-position`.
  const scale = Math.max((2 * portraitRadius) / photo.naturalWidth, (2 * portraitRadius) / photo.naturalHeight)
  const [width, height] = [photo.naturalWidth * scale, photo.naturalHeight * scale]
  const offsetOf = (centre: number, size: number, focalPercent: number) =>
    centre - portraitRadius - ((size - 2 * portraitRadius) * focalPercent) / 100
  context.drawImage(
    photo,
    offsetOf(CENTRE_X, width, focalPoint[0]),
    offsetOf(HUB_Y, height, focalPoint[1]),
    width,
    height,
  )
  context.restore()
  context.strokeStyle = '#d9b25f'
  context.lineWidth = 4
  for (const radius of [RIM_RADIUS + 36, RIM_RADIUS - 36]) {
    context.beginPath()
    context.arc(CENTRE_X, HUB_Y, radius, 0, 2 * Math.PI)
    context.stroke()
  }
  context.shadowColor = `rgb(${glowRgb})`
  context.shadowBlur = 36
  context.fillStyle = '#ffe9b0'
  for (let index = 0; index < BULB_COUNT; index++) {
    const angle = (index / BULB_COUNT) * 2 * Math.PI
    context.beginPath()
    context.arc(CENTRE_X + RIM_RADIUS * Math.cos(angle), HUB_Y + RIM_RADIUS * Math.sin(angle), 16, 0, 2 * Math.PI)
    context.fill()
  }
  context.shadowBlur = 0
}

/** Draws the satin sash, centred on the current origin. */
function drawSash(context: CanvasRenderingContext2D, name: string, receipt: string) {
  const [halfWidth, halfHeight, notch] = [480, 130, 56]
  const satin = context.createLinearGradient(-halfWidth, 0, halfWidth, 0)
  for (const [stop, colour] of [
    [0, '#8c0f4d'],
    [0.3, '#d4176f'],
    [0.62, '#b81262'],
    [1, '#7c0c44'],
  ] as const)
    satin.addColorStop(stop, colour)
  context.beginPath()
  for (const [x, y] of [
    [-halfWidth, -halfHeight],
    [halfWidth, -halfHeight],
    [halfWidth - notch, 0],
    [halfWidth, halfHeight],
    [-halfWidth, halfHeight],
  ] as const)
    context.lineTo(x, y)
  context.closePath()
  context.fillStyle = satin
  context.fill()
  const fold = context.createLinearGradient(0, -halfHeight, 0, halfHeight)
  fold.addColorStop(0, 'rgba(255,255,255,0.28)')
  fold.addColorStop(0.3, 'rgba(255,255,255,0)')
  fold.addColorStop(0.8, 'rgba(0,0,0,0.28)')
  fold.addColorStop(1, 'rgba(255,255,255,0.1)')
  context.fillStyle = fold
  context.fill()
  context.fillStyle = '#efd79c'
  context.fillRect(-halfWidth, -halfHeight, 2 * halfWidth, 4)
  context.fillRect(-halfWidth, halfHeight - 4, 2 * halfWidth, 4)
  context.fillStyle = '#fff'
  context.font = '440 74px Bodoni, serif'
  context.fillText(name, -notch / 2, -36, 2 * halfWidth - 140)
  context.font = '500 34px Instrument, sans-serif'
  context.fillText('Mi recibo', -notch / 2, 22)
  context.fillStyle = '#ffe9b0'
  // Readers copy the receipt letter by letter, and Bodoni's hyphens are hairlines at this size.
  context.font = '600 60px Instrument, sans-serif'
  context.fillText(receipt, -notch / 2, 96, 2 * halfWidth - 140)
}
