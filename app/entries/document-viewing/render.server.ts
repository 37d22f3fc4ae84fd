import sharp from 'sharp'
import { decodePicture, MAX_LOST_TAIL_BYTES, type Pixels } from '#app/core/uploads/picture-decoder.server.ts'
import { svgWatermark } from './watermark.ts'

/**
 * The longest side of a rendered document has this many pixels: on a screen, enough for the small print of a voter card; on a
 * jury card, for 4 cm in print; as a thumbnail, enough to tell kinds of document apart and too little to read one.
 */
const SHOWN_PIXELS = { pantalla: 2_400, ficha: 900, miniatura: 220 }
export type ViewSize = keyof typeof SHOWN_PIXELS
const JPEG_QUALITY = 84
/** A truncated picture is shown if at least this share of the picture is present. */
const MIN_SHARE_SEEN = 0.5
export type RenderRefusal = 'ilegible' | 'grande' | 'protegido'

/** Finds out why the panel would not show a stored document; undefined when it would. */
async function refuse(bytes: Buffer, contentType: string, isMarked: boolean): Promise<RenderRefusal | undefined> {
  if (contentType === 'application/pdf') return (await rewritePdf(bytes, isMarked)) ? undefined : 'protegido'
  const decoded = await decode(bytes, contentType, 'ficha')
  return typeof decoded === 'string' ? decoded : undefined
}

/**
 * Finds out why a received document is refused: a picture that cannot be shown, a PDF that no program opens or that asks for a
 * password. Odd PDFs, and intact HEIC photographs that sharp cannot decode, are left to the organisers' judgement.
 */
async function refuseReceived(bytes: Buffer, contentType: string): Promise<RenderRefusal | undefined> {
  if (contentType === 'application/pdf') return refusePdf(bytes)
  const decoded = await decode(bytes, contentType, 'ficha')
  if (typeof decoded !== 'string') return undefined
  return contentType === 'image/heic' && decoded === 'ilegible' && isWholeHeic(bytes) ? undefined : decoded
}

/** Loads the PDF code on demand, since the library takes longer to load than a photograph to render. */
const loadPdfCode = () => import('./watermark-pdf.server.ts')

/** From this size on a PDF is taken to hold a page; viewers repair damaged files of that size as well as they can. */
const MIN_PDF_BYTES = 1_024

/** Returns whether some program may open the PDF, even a damaged one. */
const isOpenablePdf = (bytes: Buffer): boolean =>
  bytes.length >= MIN_PDF_BYTES || /\d\s+\d+\s+obj\b/.test(bytes.toString('latin1'))

async function refusePdf(bytes: Buffer): Promise<RenderRefusal | undefined> {
  if (!isOpenablePdf(bytes)) return 'ilegible'
  // Without /Encrypt the PDF is not encrypted, and the PDF library need not be loaded.
  if (!bytes.includes('/Encrypt')) return undefined
  const { asksForPassword } = await import('#app/core/uploads/pdf-document.server.ts')
  return (await asksForPassword(bytes)) ? 'protegido' : undefined
}

async function rewritePdf(bytes: Buffer, isMarked: boolean): Promise<Buffer | undefined> {
  const { disarmPdf, watermarkPdf } = await loadPdfCode()
  return isMarked ? watermarkPdf(bytes) : disarmPdf(bytes)
}

/** Makes a marked sheet with the PDF attached, for a PDF that cannot be marked. */
const makeCover = async (bytes: Buffer): Promise<Buffer> => (await loadPdfCode()).coverPdf(bytes)

/**
 * Renders a document for display: a picture scaled to fit and without the camera's metadata, a PDF without its actions; both
 * with the watermark if `isMarked`.
 */
async function render(
  bytes: Buffer,
  contentType: string,
  isMarked: boolean,
  size: ViewSize = 'pantalla',
): Promise<Buffer | RenderRefusal> {
  if (contentType === 'application/pdf') return (await rewritePdf(bytes, isMarked)) ?? 'protegido'
  const decoded = await decode(bytes, contentType, size)
  if (typeof decoded === 'string') return decoded
  const { width, height } = decoded
  try {
    const plain = sharp(decoded.data, { raw: decoded })
    const shown = isMarked ? plain.composite([{ input: Buffer.from(svgWatermark(width, height)) }]) : plain
    return await shown.jpeg({ quality: JPEG_QUALITY }).toBuffer()
  } catch {
    return 'ilegible'
  }
}

/** Decodes a picture upright and no larger than the requested size; the result is the reason where that fails. */
const decode = (bytes: Buffer, contentType: string, size: ViewSize): Promise<Pixels | 'ilegible' | 'grande'> =>
  decodePicture(bytes, contentType, { maxSide: SHOWN_PIXELS[size], minShare: MIN_SHARE_SEEN })

/** Returns whether a HEIC file has its metadata and media boxes, and all bytes that its boxes declare, up to MAX_LOST_TAIL_BYTES. */
function isWholeHeic(bytes: Buffer): boolean {
  const kinds = new Set<string>()
  for (let at = 0; at + 8 <= bytes.length; ) {
    const size = bytes.readUInt32BE(at)
    kinds.add(bytes.toString('latin1', at + 4, at + 8))
    const length = size === 1 && at + 16 <= bytes.length ? Number(bytes.readBigUInt64BE(at + 8)) : size
    if (length === 0) break
    if (length < 8 || at + length > bytes.length + MAX_LOST_TAIL_BYTES) return false
    at += length
  }
  return kinds.has('mdat') && (kinds.has('meta') || kinds.has('moov'))
}

/**
 * Renders a document as the panel shows it; with `portada`, puts a PDF into a marked cover; with `motivo` or `enviado`, only
 * says why the document would not be shown, or could not be opened.
 * @param how any of those words, and of `marca`, `ficha` and `miniatura`; without a size, the screen's
 * @returns the JPEG or PDF, the reason for a refusal, or undefined when a check finds no fault
 */
export async function renderAs(
  bytes: Buffer,
  contentType: string,
  how: readonly string[],
): Promise<Buffer | RenderRefusal | undefined> {
  const isMarked = how.includes('marca')
  if (how.includes('enviado')) return refuseReceived(bytes, contentType)
  if (how.includes('motivo')) return refuse(bytes, contentType, isMarked)
  if (how.includes('portada')) return makeCover(bytes)
  return render(
    bytes,
    contentType,
    isMarked,
    (['ficha', 'miniatura'] as const).find((one) => how.includes(one)) ?? 'pantalla',
  )
}
