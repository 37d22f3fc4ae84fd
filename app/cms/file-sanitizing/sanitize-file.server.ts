import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { type FileKind, type FileRefusal, MAX_SIDE_PX, type SanitizeOutcome } from '#app/cms/media/file-rules.ts'
import { decodePicture, type Pixels } from '#app/core/uploads/picture-decoder.server.ts'
import { SNIFF_BYTES, sniffFileType } from '#app/core/uploads/sniff-file-type.ts'
import { cleanMp4 } from './mp4.server.ts'
import { rasterizeSvg } from './svg.server.ts'
import { cleanWebm } from './webm.server.ts'

/** Outcome of sanitizing; `bytes` are the clean bytes of an accepted file. */
export type SanitizedFile = SanitizeOutcome & { bytes?: Uint8Array }

const refusalOf = (reason: FileRefusal): SanitizedFile => ({ ok: false, reason })

/** Returns the share of a picture that must be decodable, undefined for all of it; only a JPEG may lack its last bytes. */
const minDecodedShareOf = (type: string) => (type === 'image/jpeg' ? 0.999 : undefined)
const JPEG_QUALITY = 88
/** Longest sides to try, in order, until the PNG has MAX_LOGO_BYTES at most. A PNG with the last side is accepted at any size. */
const LOGO_SIDES_PX = [MAX_SIDE_PX.logo, 1_400, 1_000, 700]
const MAX_LOGO_BYTES = 1_048_576

/** Sanitizes a received file, whose type is found by its content, never by its name. */
export async function sanitizeFile(kind: FileKind, file: string): Promise<SanitizedFile> {
  const bytes = await readFile(file)
  const type = sniffFileType(bytes.subarray(0, SNIFF_BYTES))
  if (kind === 'foto') return type?.startsWith('image/') ? sanitizePhoto(bytes, type) : refusalOf('tipo')
  if (kind === 'logo') {
    if (type?.startsWith('image/')) return sanitizeLogo(bytes, type)
    return looksLikeSvg(bytes) ? sanitizeSvgLogo(bytes) : refusalOf('tipo')
  }
  if (kind === 'video') {
    if (type === 'video/webm') return videoResult('video/webm', bytes, cleanWebm(bytes))
    if (type !== 'video/mp4' && type !== 'video/quicktime') return refusalOf('tipo')
    return videoResult('video/mp4', bytes, cleanMp4(bytes))
  }
  if (type === 'application/pdf') return sanitizePdf(bytes)
  return type === 'application/zip' ? sanitizeWord(bytes) : refusalOf('tipo')
}

/** Returns a tiny WebP as a data URI of some hundred bytes, which screens show until the picture has loaded. */
async function previewOf({ data, ...raw }: Pixels): Promise<string> {
  const tiny = await sharp(data, { raw }).resize(14, 14, { fit: 'inside' }).webp({ quality: 30, effort: 6 }).toBuffer()
  return `data:image/webp;base64,${tiny.toString('base64')}`
}

async function sanitizePhoto(original: Buffer, type: string): Promise<SanitizedFile> {
  const pixels = await decodePicture(original, type, { maxSide: MAX_SIDE_PX.foto, minShare: minDecodedShareOf(type) })
  if (typeof pixels === 'string') return refusalOf(pixels)
  const { data, ...raw } = pixels
  const bytes = await sharp(data, { raw }).jpeg({ quality: JPEG_QUALITY, mozjpeg: true }).toBuffer()
  const dimensions = { ancho: pixels.width, alto: pixels.height, vista: await previewOf(pixels) }
  return { ok: true, tipo: 'image/jpeg', dimensions, bytes }
}

async function sanitizeLogo(original: Buffer, type: string): Promise<SanitizedFile> {
  for (const side of LOGO_SIDES_PX) {
    const pixels = await decodePicture(original, type, {
      maxSide: side,
      minShare: minDecodedShareOf(type),
      keepsAlpha: true,
    })
    if (typeof pixels === 'string') return refusalOf(pixels)
    const { data, ...raw } = pixels
    const bytes = await sharp(data, { raw }).png({ compressionLevel: 9, effort: 7 }).toBuffer()
    if (bytes.length <= MAX_LOGO_BYTES || side === LOGO_SIDES_PX.at(-1))
      return {
        ok: true,
        tipo: 'image/png',
        dimensions: { ancho: pixels.width, alto: pixels.height, vista: null },
        bytes,
      }
  }
  return refusalOf('grande')
}

/** Returns whether a file may be an SVG; `rasterizeSvg` checks its root element. */
const looksLikeSvg = (bytes: Buffer) => {
  // Zero bytes are removed, so that UTF-16 is recognised, too.
  const head = bytes.toString('latin1', 0, 65_536).replaceAll('\0', '')
  return /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*</.test(head) && head.includes('svg')
}

async function sanitizeSvgLogo(original: Buffer): Promise<SanitizedFile> {
  const png = await rasterizeSvg(original)
  return typeof png === 'string' ? refusalOf(png) : sanitizeLogo(png, 'image/png')
}

const videoResult = (
  type: 'video/mp4' | 'video/webm',
  bytes: Buffer,
  outcome: ReturnType<typeof cleanMp4>,
): SanitizedFile => (outcome.ok ? { ok: true, tipo: type, dimensions: outcome.dimensions, bytes } : outcome)

async function sanitizePdf(original: Buffer): Promise<SanitizedFile> {
  if (!original.includes('startxref') || !original.includes('%%EOF')) return refusalOf('ilegible')
  // The PDF library is imported on demand, since it takes longer to load than a photograph to decode.
  const { asksForPassword } = await import('#app/core/uploads/pdf-document.server.ts')
  if (await asksForPassword(original)) return refusalOf('protegido')
  const { sanitizePdfDocument } = await import('./pdf.server.ts')
  const bytes = await sanitizePdfDocument(original)
  return bytes ? { ok: true, tipo: 'application/pdf', dimensions: null, bytes } : refusalOf('reprint')
}

const WORD_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const MAX_PARTS = 10_000

/** Recognises a Word document by the names of its parts, before it is unzipped, and sanitizes it. */
async function sanitizeWord(original: Buffer): Promise<SanitizedFile> {
  const partNames = listZipNames(original)
  if (partNames === undefined) return refusalOf('ilegible')
  if (!partNames.includes('[Content_Types].xml') || !partNames.includes('word/document.xml')) return refusalOf('tipo')
  // A .bin part counts only if its name says that it holds macros; others hold printer settings, for example.
  if (partNames.some((name) => /vbaProject|\.(bin|exe|js)$/i.test(name) && /vba|macro|\.(exe|js)$/i.test(name)))
    return refusalOf('macros')
  const { sanitizeWordDocument } = await import('./word.server.ts')
  const bytes = sanitizeWordDocument(original)
  return bytes ? { ok: true, tipo: WORD_TYPE, dimensions: null, bytes } : refusalOf('reprint')
}

const END_RECORD_BYTES = 22
const DIRECTORY_ENTRY_HEAD_BYTES = 46
const DIRECTORY_ENTRY_SIGNATURE = 0x02014b50

/**
 * Reads entry names from a ZIP's central directory without unzipping; undefined for an invalid directory or too many parts.
 * @source APPNOTE 6.3.10, 4.3.12, 4.3.16
 */
function listZipNames(bytes: Buffer): string[] | undefined {
  const endRecordOffset = bytes.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  if (endRecordOffset < 0 || endRecordOffset + END_RECORD_BYTES > bytes.length) return undefined
  const partCount = bytes.readUInt16LE(endRecordOffset + 10)
  if (partCount > MAX_PARTS) return undefined
  const partNames: string[] = []
  let offset = bytes.readUInt32LE(endRecordOffset + 16)
  for (let index = 0; index < partCount; index++) {
    const nameOffset = offset + DIRECTORY_ENTRY_HEAD_BYTES
    if (nameOffset > endRecordOffset || bytes.readUInt32LE(offset) !== DIRECTORY_ENTRY_SIGNATURE) return undefined
    const nameBytes = bytes.readUInt16LE(offset + 28)
    const extraBytes = bytes.readUInt16LE(offset + 30)
    const commentBytes = bytes.readUInt16LE(offset + 32)
    partNames.push(bytes.toString('utf8', nameOffset, nameOffset + nameBytes))
    offset = nameOffset + nameBytes + extraBytes + commentBytes
  }
  return partNames
}
