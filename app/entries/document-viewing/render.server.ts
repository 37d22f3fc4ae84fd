import sharp from 'sharp'
import { decodePicture, MAX_LOST_TAIL_BYTES, type Pixels } from '#app/core/uploads/picture-decoder.server.ts'
import { svgWatermark } from './watermark.ts'

/**
 * Longest side of a rendered picture: on a screen, enough for the small print of a voter card; on a jury card, enough for 4 cm in
 * print; as a thumbnail, enough to tell kinds of document apart and too little to read them.
 */
const MAX_SIDE_PX = { pantalla: 2_400, ficha: 900, miniatura: 220 }
export type ViewSize = keyof typeof MAX_SIDE_PX
const JPEG_QUALITY = 84
/** Share of a truncated picture that must be present for it to be shown. */
const MIN_PRESENT_SHARE = 0.5
export type RenderRefusal = 'ilegible' | 'grande' | 'protegido'

/** Returns the reason why a stored document cannot be rendered; undefined if it can. */
async function findStoredRefusal(
  bytes: Buffer,
  contentType: string,
  addsWatermark: boolean,
): Promise<RenderRefusal | undefined> {
  if (contentType === 'application/pdf') return (await rewritePdf(bytes, addsWatermark)) ? undefined : 'protegido'
  const decodedPicture = await decode(bytes, contentType, 'ficha')
  return typeof decodedPicture === 'string' ? decodedPicture : undefined
}

/**
 * Returns the reason why a received document is refused: a picture that cannot be shown, a PDF that no program opens or that
 * asks for a password. Odd PDFs, and intact HEIC photographs that cannot be decoded, are left to the organisers' judgement.
 */
async function findReceivedRefusal(bytes: Buffer, contentType: string): Promise<RenderRefusal | undefined> {
  if (contentType === 'application/pdf') return findPdfRefusal(bytes)
  const decodedPicture = await decode(bytes, contentType, 'ficha')
  if (typeof decodedPicture !== 'string') return undefined
  return contentType === 'image/heic' && decodedPicture === 'ilegible' && isWholeHeic(bytes)
    ? undefined
    : decodedPicture
}

/** Loads the PDF library on demand, since this takes longer than to render a photograph. */
const loadPdfCode = () => import('./watermark-pdf.server.ts')

/** Size from which a PDF is assumed to hold a page; viewers repair damaged files as well as they can. */
const MIN_PDF_BYTES = 1_024

/** Returns whether some program may open the PDF, even a damaged one. */
const isOpenablePdf = (bytes: Buffer): boolean =>
  bytes.length >= MIN_PDF_BYTES || /\d\s+\d+\s+obj\b/.test(bytes.toString('latin1'))

async function findPdfRefusal(bytes: Buffer): Promise<RenderRefusal | undefined> {
  if (!isOpenablePdf(bytes)) return 'ilegible'
  // A PDF without /Encrypt is taken for unencrypted, so that the PDF library need not be loaded.
  if (!bytes.includes('/Encrypt')) return undefined
  const { asksForPassword } = await import('#app/core/uploads/pdf-document.server.ts')
  return (await asksForPassword(bytes)) ? 'protegido' : undefined
}

async function rewritePdf(bytes: Buffer, addsWatermark: boolean): Promise<Buffer | undefined> {
  const { disarmPdf, watermarkPdf } = await loadPdfCode()
  return addsWatermark ? watermarkPdf(bytes) : disarmPdf(bytes)
}

const makeCover = async (bytes: Buffer): Promise<Buffer> => (await loadPdfCode()).coverPdf(bytes)

/**
 * Renders a document for display: a picture is scaled down and loses the camera's metadata, a PDF loses the actions that a viewer
 * runs by itself; both get the watermark if `addsWatermark`. Returns the reason if the document cannot be rendered.
 */
async function render(
  bytes: Buffer,
  contentType: string,
  addsWatermark: boolean,
  size: ViewSize = 'pantalla',
): Promise<Buffer | RenderRefusal> {
  if (contentType === 'application/pdf') return (await rewritePdf(bytes, addsWatermark)) ?? 'protegido'
  const decodedPicture = await decode(bytes, contentType, size)
  if (typeof decodedPicture === 'string') return decodedPicture
  const { width, height } = decodedPicture
  try {
    const picture = sharp(decodedPicture.data, { raw: decodedPicture })
    if (addsWatermark) picture.composite([{ input: Buffer.from(svgWatermark(width, height)) }])
    return await picture.jpeg({ quality: JPEG_QUALITY }).toBuffer()
  } catch {
    return 'ilegible'
  }
}

const decode = (bytes: Buffer, contentType: string, size: ViewSize): Promise<Pixels | 'ilegible' | 'grande'> =>
  decodePicture(bytes, contentType, { maxSide: MAX_SIDE_PX[size], minShare: MIN_PRESENT_SHARE })

/**
 * Returns whether a HEIC file has its metadata and media boxes, and lacks at most MAX_LOST_TAIL_BYTES of the bytes that its boxes
 * declare. A size of 1 stands for a 64-bit size after the box type, a size of 0 for the rest of the file.
 * @see ISO 14496-12 §4.2
 */
function isWholeHeic(bytes: Buffer): boolean {
  const boxTypes = new Set<string>()
  for (let offset = 0; offset + 8 <= bytes.length; ) {
    const size = bytes.readUInt32BE(offset)
    boxTypes.add(bytes.toString('latin1', offset + 4, offset + 8))
    const length = size === 1 && offset + 16 <= bytes.length ? Number(bytes.readBigUInt64BE(offset + 8)) : size
    if (length === 0) break
    if (length < 8 || offset + length > bytes.length + MAX_LOST_TAIL_BYTES) return false
    offset += length
  }
  return boxTypes.has('mdat') && (boxTypes.has('meta') || boxTypes.has('moov'))
}

/**
 * Renders a document as the panel shows it. With `portada` it attaches a PDF to a sheet with the watermark; with `motivo` or
 * `enviado` it only checks whether a stored document can be rendered, or whether a received document can be opened.
 * @param options any of `portada`, `motivo`, `enviado`, `marca` (with the watermark) and a `ViewSize`, by default the screen's
 * @returns the JPEG or PDF, the reason for a refusal, or undefined if a check finds no fault
 */
export async function renderDocument(
  bytes: Buffer,
  contentType: string,
  options: readonly string[],
): Promise<Buffer | RenderRefusal | undefined> {
  const addsWatermark = options.includes('marca')
  if (options.includes('enviado')) return findReceivedRefusal(bytes, contentType)
  if (options.includes('motivo')) return findStoredRefusal(bytes, contentType, addsWatermark)
  if (options.includes('portada')) return makeCover(bytes)
  return render(
    bytes,
    contentType,
    addsWatermark,
    (['ficha', 'miniatura'] as const).find((size) => options.includes(size)) ?? 'pantalla',
  )
}
