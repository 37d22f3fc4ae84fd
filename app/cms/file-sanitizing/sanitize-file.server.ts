import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { type FileKind, type FileRefusal, MAX_SIDE_PX, type OpenedFile } from '#app/cms/media/file-rules.ts'
import { openPixels, type Pixels } from '#app/core/uploads/picture-decoder.server.ts'
import { SNIFF_BYTES, sniff } from '#app/core/uploads/sniff-file-type.ts'
import { openMp4 } from './mp4.server.ts'
import { sanitizeSvg } from './svg.server.ts'
import { openWebm } from './webm.server.ts'

/** Result of sanitizing a file, with its clean bytes. */
export type SanitizedFile = OpenedFile & { bytes?: Uint8Array }

const no = (reason: FileRefusal): SanitizedFile => ({ ok: false, motivo: reason })

/** A truncated picture is refused, unless it is a JPEG that lacks only its last bytes. */
const minShareSeen = (type: string) => (type === 'image/jpeg' ? 0.999 : undefined)
const JPEG_QUALITY = 88
/** Longest sides, in pixels, that are tried for a raster logo until it is light enough. */
const LOGO_SIDES = [MAX_SIDE_PX.logo, 1_400, 1_000, 700]
const MAX_LOGO_BYTES = 1_048_576
/** Longest side, in pixels, of the trial drawing that shows whether an SVG is empty. */
const LOOKED_AT_PX = 200

/** Sanitizes a sent file. Its content decides on its type, never its name. */
export async function sanitizeFile(kind: FileKind, file: string): Promise<SanitizedFile> {
  const bytes = await readFile(file)
  const type = sniff(bytes.subarray(0, SNIFF_BYTES))
  if (kind === 'foto') return type?.startsWith('image/') ? photo(bytes, type) : no('tipo')
  if (kind === 'logo') {
    if (type?.startsWith('image/')) return logo(bytes, type)
    return looksLikeSvg(bytes) ? drawing(bytes) : no('tipo')
  }
  if (kind === 'video') {
    if (type === 'video/webm') return film('video/webm', bytes, openWebm(bytes))
    if (type !== 'video/mp4' && type !== 'video/quicktime') return no('tipo')
    return film('video/mp4', bytes, openMp4(bytes))
  }
  if (type === 'application/pdf') return pdf(bytes)
  return type === 'application/zip' ? word(bytes) : no('tipo')
}

/** Tiny WebP as a data URI of some hundred bytes, which screens show until the picture is loaded. */
async function previewOf({ data, ...raw }: Pixels): Promise<string> {
  const tiny = await sharp(data, { raw }).resize(14, 14, { fit: 'inside' }).webp({ quality: 30, effort: 6 }).toBuffer()
  return `data:image/webp;base64,${tiny.toString('base64')}`
}

async function photo(given: Buffer, type: string): Promise<SanitizedFile> {
  const pixels = await openPixels(given, type, { side: MAX_SIDE_PX.foto, minShareSeen: minShareSeen(type) })
  if (typeof pixels === 'string') return no(pixels)
  const { data, ...raw } = pixels
  const bytes = await sharp(data, { raw }).jpeg({ quality: JPEG_QUALITY, mozjpeg: true }).toBuffer()
  const dimensions = { ancho: pixels.width, alto: pixels.height, vista: await previewOf(pixels) }
  return { ok: true, tipo: 'image/jpeg', medidas: dimensions, bytes }
}

async function logo(given: Buffer, type: string): Promise<SanitizedFile> {
  for (const side of LOGO_SIDES) {
    const pixels = await openPixels(given, type, { side, minShareSeen: minShareSeen(type), keepsAlpha: true })
    if (typeof pixels === 'string') return no(pixels)
    const { data, ...raw } = pixels
    const bytes = await sharp(data, { raw }).png({ compressionLevel: 9, effort: 7 }).toBuffer()
    if (bytes.length <= MAX_LOGO_BYTES || side === LOGO_SIDES.at(-1))
      return { ok: true, tipo: 'image/png', medidas: { ancho: pixels.width, alto: pixels.height, vista: null }, bytes }
  }
  return no('grande')
}

/** Whether a file may be an SVG; sanitizeSvg checks its root element. */
const looksLikeSvg = (bytes: Buffer) => {
  // Without zero bytes, so that UTF-16 is recognised, too.
  const head = bytes.toString('latin1', 0, 65_536).replaceAll('\0', '')
  return /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*</.test(head) && head.includes('svg')
}

async function drawing(given: Buffer): Promise<SanitizedFile> {
  const clean = sanitizeSvg(given)
  if (typeof clean === 'string') return no(clean)
  const { svg, width, height } = clean
  const seen = await sharp(svg)
    .resize(LOOKED_AT_PX, LOOKED_AT_PX, { fit: 'inside' })
    .ensureAlpha()
    .extractChannel(3)
    .raw()
    .toBuffer()
    .catch(() => undefined)
  if (!seen?.some((alpha) => alpha > 0)) return no('ilegible')
  return { ok: true, tipo: 'image/svg+xml', medidas: { ancho: width, alto: height, vista: null }, bytes: svg }
}

const film = (type: 'video/mp4' | 'video/webm', bytes: Buffer, seen: ReturnType<typeof openMp4>): SanitizedFile =>
  seen.ok ? { ok: true, tipo: type, medidas: seen.medidas, bytes } : seen

/** Rewrites a PDF, without any data after its end. */
async function pdf(given: Buffer): Promise<SanitizedFile> {
  if (!given.includes('startxref') || !given.includes('%%EOF')) return no('ilegible')
  // Imported on demand, since the PDF library takes longer to load than a photograph to open.
  const { asksForPassword } = await import('#app/core/uploads/pdf-document.server.ts')
  if (await asksForPassword(given)) return no('protegido')
  const { publishablePdf } = await import('./pdf.server.ts')
  const bytes = await publishablePdf(given)
  return bytes ? { ok: true, tipo: 'application/pdf', medidas: null, bytes } : no('reprint')
}

const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const MAX_PARTS = 10_000

/** Recognises a Word document by the names of its parts, before it is unzipped, and rewrites it. */
async function word(given: Buffer): Promise<SanitizedFile> {
  const names = namesInZip(given)
  if (names === undefined) return no('ilegible')
  if (!names.includes('[Content_Types].xml') || !names.includes('word/document.xml')) return no('tipo')
  if (names.some((name) => /vbaProject|\.(bin|exe|js)$/i.test(name) && /vba|macro|\.(exe|js)$/i.test(name)))
    return no('macros')
  const { publishableWord } = await import('./word.server.ts')
  const bytes = publishableWord(given)
  return bytes ? { ok: true, tipo: WORD, medidas: null, bytes } : no('reprint')
}

function namesInZip(bytes: Buffer): string[] | undefined {
  const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  if (end < 0 || end + 22 > bytes.length) return undefined
  const [parts, at] = [bytes.readUInt16LE(end + 10), bytes.readUInt32LE(end + 16)]
  if (parts > MAX_PARTS) return undefined
  const names: string[] = []
  for (let i = 0, from = at; i < parts; i++) {
    if (from + 46 > end || bytes.readUInt32LE(from) !== 0x02014b50) return undefined
    const [name, extra, comment] = [28, 30, 32].map((offset) => bytes.readUInt16LE(from + offset)) as [
      number,
      number,
      number,
    ]
    names.push(bytes.toString('utf8', from + 46, from + 46 + name))
    from += 46 + name + extra + comment
  }
  return names
}
