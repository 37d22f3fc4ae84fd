import sharp, { type Metadata, type Sharp } from 'sharp'
import { marcaSvg } from './marca.ts'
import { calmarPdf, isOpenablePdf, marcarPdf } from './pdf.server.ts'

/** Beyond this a picture is a trap, not a photograph: 30,000 × 30,000 take 2.7 GB once they are unfolded. */
const MAX_PIXELS = 120_000_000
/**
 * What a picture may take in memory while it is decoded. A photograph of 64 million pixels fits in every format that a
 * phone writes; the process has little more than this (aparte.server.ts).
 */
const MAX_DECODED_BYTES = 300 * 1_048_576
/** Longest side of what is shown: enough to read the small print of a credential; of what is printed on a card: 4 cm. */
const SHOWN_PIXELS = { pantalla: 2_400, ficha: 900 }
export type TamanoDeVista = keyof typeof SHOWN_PIXELS
const JPEG_QUALITY = 84
/** Of a picture that is cut off, this much must be there for anybody to see what it is. */
const MIN_SHARE_SEEN = 0.5
/** What a file may lose at its end and still be shown by browsers. */
const LOST_TAIL_BYTES = 1_024

export type MotivoDePintura = 'ilegible' | 'grande' | 'protegido'

/** What a document would not be shown for. */
export async function refuse(
  bytes: Buffer,
  contentType: string,
  isMarked: boolean,
): Promise<MotivoDePintura | undefined> {
  if (contentType === 'application/pdf') return quietPdf(bytes, isMarked) ? undefined : 'protegido'
  const decoded = await decode(bytes, contentType, 'ficha')
  return typeof decoded === 'string' ? decoded : undefined
}

/**
 * What a document that somebody sends would be refused for: a picture that cannot be shown, a PDF that no program
 * opens. A PDF that is only locked or odd is the organisers' to judge, and so is a photograph of an iPhone that is
 * whole and that our decoder does not know.
 */
export async function refuseEnviado(bytes: Buffer, contentType: string): Promise<MotivoDePintura | undefined> {
  if (contentType === 'application/pdf') return isOpenablePdf(bytes) ? undefined : 'ilegible'
  const decoded = await decode(bytes, contentType, 'ficha')
  if (typeof decoded !== 'string') return undefined
  return contentType === 'image/heic' && decoded === 'ilegible' && isWholeHeic(bytes) ? undefined : decoded
}

const quietPdf = (bytes: Buffer, isMarked: boolean) => (isMarked ? marcarPdf(bytes) : calmarPdf(bytes))

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
  const decoded = await decode(bytes, contentType, tamano)
  if (typeof decoded === 'string') return decoded
  const { width, height } = decoded
  try {
    const plain = sharp(decoded.data, { raw: decoded })
    const shown = isMarked ? plain.composite([{ input: Buffer.from(marcaSvg(width, height)) }]) : plain
    return await shown.jpeg({ quality: JPEG_QUALITY }).toBuffer()
  } catch {
    return 'ilegible'
  }
}

interface Decoded {
  data: Buffer
  width: number
  height: number
  channels: 1 | 2 | 3 | 4
}

/** The pixels of a picture, upright and no larger than asked for; or why there are none. */
async function decode(
  given: Buffer,
  contentType: string,
  tamano: TamanoDeVista,
): Promise<Decoded | Exclude<MotivoDePintura, 'protegido'>> {
  const bytes = contentType === 'image/webp' ? filledUp(given) : given
  // sharp takes no empty buffer at all.
  const size =
    bytes.length > 0 &&
    (await sharp(bytes, { limitInputPixels: false })
      .metadata()
      .catch(() => undefined))
  if (!size) return 'ilegible'
  if (size.width * size.height > MAX_PIXELS || decodedBytes(size) > MAX_DECODED_BYTES) return 'grande'
  const pixelsOf = async (picture: Sharp): Promise<Decoded> => {
    const side = SHOWN_PIXELS[tamano]
    const { data, info } = await picture
      .resize(side, side, { fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#fff' })
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true })
    return { data, width: info.width, height: info.height, channels: info.channels }
  }
  try {
    if (contentType === 'image/heic') return await pixelsOf(await openHeic(bytes))
    // libvips has words for every fault of a picture, and no codes.
    const whole = await pixelsOf(openPicture(bytes, 'truncated')).catch(() => undefined)
    if (whole) return whole
    const partial = await pixelsOf(openPicture(bytes, 'none'))
    return shareSeen(partial) < MIN_SHARE_SEEN ? 'ilegible' : partial
  } catch {
    return 'ilegible'
  }
}

/**
 * Bytes that libvips and the libraries below it hold at once. Rows of a plain JPEG or PNG pass through a few at a time;
 * a progressive JPEG is held as coefficients of two bytes, an interlaced PNG whole.
 */
function decodedBytes({ format, width, height, channels, depth, isProgressive, orientation, ...of }: Metadata): number {
  const pixels = width * height
  const sample = depth === 'uchar' ? 1 : depth === 'ushort' ? 2 : 4
  if (format === 'jpeg') return isProgressive ? pixels * 2 * (of.chromaSubsampling === '4:2:0' ? 1.5 : channels) : 0
  if (format === 'png') return isProgressive || (orientation ?? 1) > 1 ? pixels * channels * sample : 0
  return pixels * (format === 'webp' ? 4 : 5)
}

const openPicture = (bytes: Buffer, failOn: 'none' | 'truncated') =>
  sharp(bytes, { failOn, limitInputPixels: MAX_PIXELS, sequentialRead: true }).autoOrient()

/** How much of a picture that is cut off came: where nothing did, decoders leave rows of plain grey, or of black. */
function shareSeen({ data, width, height, channels }: Decoded): number {
  const row = width * channels
  let rows = height
  while (rows > 0) {
    const last = data.subarray((rows - 1) * row, rows * row)
    if (!last.every((value) => Math.abs(value - 128) <= 1) && !last.every((value) => value === 0)) break
    rows--
  }
  return rows / height
}

/** A WebP says how long it is; libwebp opens none that is shorter, be it by the last byte. */
function filledUp(bytes: Buffer): Buffer {
  const missing = bytes.length >= 12 ? bytes.readUInt32LE(4) + 8 - bytes.length : 0
  return missing > 0 && missing <= LOST_TAIL_BYTES ? Buffer.concat([bytes, Buffer.alloc(missing)]) : bytes
}

/** Whether a HEIC has the boxes that say what is in it, and the bytes that they speak of. */
function isWholeHeic(bytes: Buffer): boolean {
  const kinds = new Set<string>()
  for (let at = 0; at + 8 <= bytes.length; ) {
    const size = bytes.readUInt32BE(at)
    kinds.add(bytes.toString('latin1', at + 4, at + 8))
    const length = size === 1 && at + 16 <= bytes.length ? Number(bytes.readBigUInt64BE(at + 8)) : size
    if (length === 0) break
    if (length < 8 || at + length > bytes.length + LOST_TAIL_BYTES) return false
    at += length
  }
  return kinds.has('mdat') && (kinds.has('meta') || kinds.has('moov'))
}

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
