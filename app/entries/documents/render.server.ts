import sharp from 'sharp'
import { LOST_TAIL_BYTES, openPixels, type Pixels } from '#app/core/uploads/picture-decoder.server.ts'
import { svgWatermark } from './watermark.ts'

/**
 * Longest side of what is shown: enough to read the small print of a credential; of what is printed on a card: 4 cm; of a
 * miniature: enough to tell one kind of document from another, and too little to read it.
 */
const SHOWN_PIXELS = { pantalla: 2_400, ficha: 900, miniatura: 220 }
export type ViewSize = keyof typeof SHOWN_PIXELS
const JPEG_QUALITY = 84
/** Of a picture that is cut off, this much must be there for anybody to see what it is. */
const MIN_SHARE_SEEN = 0.5
export type RenderRefusal = 'ilegible' | 'grande' | 'protegido'

/** What a document would not be shown for. */
async function refuse(bytes: Buffer, contentType: string, isMarked: boolean): Promise<RenderRefusal | undefined> {
  if (contentType === 'application/pdf') return (await quietPdf(bytes, isMarked)) ? undefined : 'protegido'
  const decoded = await decode(bytes, contentType, 'ficha')
  return typeof decoded === 'string' ? decoded : undefined
}

/**
 * What a document that somebody sends would be refused for: a picture that cannot be shown, a PDF that no program
 * opens, or none without its password. A PDF that is only odd is the organisers' to judge, and so is a photograph of an
 * iPhone that is whole and that our decoder does not know.
 */
async function refuseSent(bytes: Buffer, contentType: string): Promise<RenderRefusal | undefined> {
  if (contentType === 'application/pdf') return refusePdf(bytes)
  const decoded = await decode(bytes, contentType, 'ficha')
  if (typeof decoded !== 'string') return undefined
  return contentType === 'image/heic' && decoded === 'ilegible' && isWholeHeic(bytes) ? undefined : decoded
}

/** What reads PDFs takes longer to load than a photograph to paint. */
const pdfs = () => import('./watermark-pdf.server.ts')

/** A page with words on it does not fit into less; what is larger and damaged, programs mend as well as they can. */
const MIN_PDF_BYTES = 1_024

/** Whether some program may open it, damaged ones included. */
const isOpenablePdf = (bytes: Buffer): boolean =>
  bytes.length >= MIN_PDF_BYTES || /\d\s+\d+\s+obj\b/.test(bytes.toString('latin1'))

async function refusePdf(bytes: Buffer): Promise<RenderRefusal | undefined> {
  if (!isOpenablePdf(bytes)) return 'ilegible'
  // Without these letters there is no lock, and what reads PDFs need not be loaded.
  if (!bytes.includes('/Encrypt')) return undefined
  const { asksForPassword } = await import('#app/core/uploads/pdf-document.server.ts')
  return (await asksForPassword(bytes)) ? 'protegido' : undefined
}

async function quietPdf(bytes: Buffer, isMarked: boolean): Promise<Buffer | undefined> {
  const { disarmPdf, watermarkPdf } = await pdfs()
  return isMarked ? watermarkPdf(bytes) : disarmPdf(bytes)
}

/** A marked sheet that brings along a PDF which cannot be marked. */
const cover = async (bytes: Buffer): Promise<Buffer> => (await pdfs()).coverPdf(bytes)

/**
 * A document as it is shown: a picture made to fit a screen, without what a camera writes beside it; with the mark across,
 * if it needs one.
 */
async function paint(
  bytes: Buffer,
  contentType: string,
  isMarked: boolean,
  size: ViewSize = 'pantalla',
): Promise<Buffer | RenderRefusal> {
  if (contentType === 'application/pdf') return (await quietPdf(bytes, isMarked)) ?? 'protegido'
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

/** The pixels of a picture, upright and no larger than asked for; or why there are none. */
const decode = (bytes: Buffer, contentType: string, size: ViewSize): Promise<Pixels | 'ilegible' | 'grande'> =>
  openPixels(bytes, contentType, { side: SHOWN_PIXELS[size], minShareSeen: MIN_SHARE_SEEN })

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

/**
 * A document as the panel shows it; with `portada` a PDF in a marked cover; with `motivo` or `enviado` only why it would
 * not be shown, or why nobody could open it.
 * @param how of these words, and of `marca`, `ficha` and `miniatura`, those that apply
 * @returns the picture or PDF, or why there is none
 */
export async function paintAs(
  bytes: Buffer,
  contentType: string,
  how: readonly string[],
): Promise<Buffer | RenderRefusal | undefined> {
  const isMarked = how.includes('marca')
  if (how.includes('enviado')) return refuseSent(bytes, contentType)
  if (how.includes('motivo')) return refuse(bytes, contentType, isMarked)
  if (how.includes('portada')) return cover(bytes)
  return paint(
    bytes,
    contentType,
    isMarked,
    (['ficha', 'miniatura'] as const).find((one) => how.includes(one)) ?? 'pantalla',
  )
}
