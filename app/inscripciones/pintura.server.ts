import sharp, { type Sharp } from 'sharp'
import { marcaSvg } from './marca.ts'
import { calmarPdf, marcarPdf } from './pdf.server.ts'

/** Beyond this a picture is a trap, not a photograph: 30,000 × 30,000 take 2.7 GB once they are unfolded. */
const MAX_PIXELS = 120_000_000
/** Longest side of what is shown: enough to read the small print of a credential; of what is printed on a card: 4 cm. */
const SHOWN_PIXELS = { pantalla: 2_400, ficha: 900 }
export type TamanoDeVista = keyof typeof SHOWN_PIXELS
const JPEG_QUALITY = 84

export type MotivoDePintura = 'ilegible' | 'grande' | 'protegido'

/** What a document would be refused for: a picture by its first bytes alone. */
export async function refuse(
  bytes: Buffer,
  contentType: string,
  isMarked: boolean,
): Promise<MotivoDePintura | undefined> {
  if (contentType !== 'application/pdf') return refusePicture(bytes)
  return quietPdf(bytes, isMarked) ? undefined : 'protegido'
}

const quietPdf = (bytes: Buffer, isMarked: boolean) => (isMarked ? marcarPdf(bytes) : calmarPdf(bytes))

async function refusePicture(bytes: Buffer): Promise<MotivoDePintura | undefined> {
  const size = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch(() => undefined)
  if (!size) return 'ilegible'
  return size.width * size.height > MAX_PIXELS ? 'grande' : undefined
}

/**
 * A document as it is shown: a picture made to fit a screen, without what a camera writes beside it; with the mark across,
 * if it needs one.
 */
export async function paint(
  bytes: Buffer,
  contentType: string,
  isMarked: boolean,
  tamano: TamanoDeVista = 'pantalla',
): Promise<Buffer | MotivoDePintura> {
  if (contentType === 'application/pdf') return quietPdf(bytes, isMarked) ?? 'protegido'
  const refused = await refusePicture(bytes)
  if (refused) return refused
  try {
    const side = SHOWN_PIXELS[tamano]
    const { data, info } = await (contentType === 'image/heic' ? await openHeic(bytes) : openPicture(bytes))
      .resize(side, side, { fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#fff' })
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true })
    const plain = sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } })
    const shown = isMarked ? plain.composite([{ input: Buffer.from(marcaSvg(info.width, info.height)) }]) : plain
    return await shown.jpeg({ quality: JPEG_QUALITY }).toBuffer()
  } catch {
    // libvips has words for every fault of a picture, and no codes.
    return 'ilegible'
  }
}

const openPicture = (bytes: Buffer) =>
  sharp(bytes, { failOn: 'none', limitInputPixels: MAX_PIXELS, sequentialRead: true }).autoOrient()

/** What iPhones take: sharp comes without the codec, which libheif brings; it turns the picture upright by itself. */
async function openHeic(bytes: Buffer): Promise<Sharp> {
  const { HeifDecoder } = (await import('libheif-js/wasm-bundle.js')).default
  const [image] = new HeifDecoder().decode(bytes)
  if (!image) throw new Error('no picture in it')
  const [width, height] = [image.get_width(), image.get_height()]
  if (width * height > MAX_PIXELS) throw new Error('more pixels than its head says')
  const pixels = new Uint8ClampedArray(width * height * 4)
  await new Promise<void>((resolve, reject) => {
    image.display({ data: pixels, width, height }, (shown) => (shown ? resolve() : reject(new Error('unreadable'))))
  })
  return sharp(pixels, { raw: { width, height, channels: 4 } })
}
