import { constants, crc32, createInflate, deflateSync } from 'node:zlib'
import sharp, { type Metadata, type Sharp } from 'sharp'

/** Untrusted pictures are opened in a sandbox (app/core/process/sandbox.server.ts), never in the site's own process. */

/** More pixels are a decompression bomb, not a photograph: 30,000 × 30,000 take 2.7 GB once decoded. */
const MAX_PIXELS = 120_000_000
/**
 * A picture may take this much memory while it is decoded. A photograph of 64 million pixels fits in every format that a phone
 * writes; the sandbox has little more memory.
 */
const MAX_DECODED_BYTES = 300 * 1_048_576
/** A file may lack this many bytes at its end and still be shown by browsers. */
export const LOST_TAIL_BYTES = 1_024

/** The pixels of a picture are in sRGB. */
export interface Pixels {
  data: Buffer
  width: number
  height: number
  channels: 1 | 2 | 3 | 4
}

interface OpeningOptions {
  /** The result's longest side has at most this many pixels. */
  side: number
  /** This share of a truncated picture must be there, from 0 to 1; undefined: truncated pictures are refused. */
  minShareSeen?: number | undefined
  /** Transparency stays; otherwise it becomes white. */
  keepsAlpha?: boolean
}

/**
 * Decodes a picture: upright, no larger than asked for, without the camera's metadata.
 * @returns `grande` for a picture that would take too much memory, `ilegible` for any other that cannot be shown
 */
export async function openPixels(
  original: Buffer,
  contentType: string,
  { side, minShareSeen, keepsAlpha = false }: OpeningOptions,
): Promise<Pixels | 'ilegible' | 'grande'> {
  const bytes = contentType === 'image/webp' ? padWebp(original) : original
  // sharp throws for an empty buffer.
  const size =
    bytes.length > 0 &&
    (await sharp(bytes, { limitInputPixels: false })
      .metadata()
      .catch(() => undefined))
  if (!size) return 'ilegible'
  if (size.width * size.height > MAX_PIXELS || decodedBytes(size) > MAX_DECODED_BYTES) return 'grande'
  const pixelsOf = async (picture: Sharp): Promise<Pixels> => {
    const smaller = picture.resize(side, side, { fit: 'inside', withoutEnlargement: true })
    const { data, info } = await (keepsAlpha ? smaller : smaller.flatten({ background: '#fff' }))
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true })
    return { data, width: info.width, height: info.height, channels: info.channels }
  }
  try {
    if (contentType === 'image/heic') {
      const pixels = await pixelsOf(await openHeic(bytes))
      return size.icc ? await pixelsOf(sharp(await withProfile(pixels, size.icc))) : pixels
    }
    // libvips has messages for the faults of a picture, but no codes.
    const decoded = await pixelsOf(openPicture(bytes, 'truncated')).catch(() => undefined)
    if (decoded) return decoded
    if (minShareSeen === undefined) return 'ilegible'
    if (contentType === 'image/png') {
      const data = pngData(bytes)
      const rows = await rowsIn(data, bytes)
      if (rows / size.height < minShareSeen) return 'ilegible'
      return await pixelsOf(openPicture(pngOf(data, rows, bytes), 'none'))
    }
    const partial = await pixelsOf(openPicture(bytes, 'none'))
    return shareSeen(partial) < minShareSeen ? 'ilegible' : partial
  } catch {
    return 'ilegible'
  }
}

/**
 * Estimates the bytes that libvips and its libraries hold at once. Rows of a plain JPEG or PNG pass through a few at a time; a
 * progressive JPEG is held as coefficients of two bytes, an interlaced PNG whole.
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

/**
 * Returns the share of a truncated picture that is there: decoders fill missing rows with plain grey, or black. A real lower edge
 * of plain black counts as missing, too.
 */
function shareSeen({ data, width, height, channels }: Pixels): number {
  const row = width * channels
  let rows = height
  while (rows > 0) {
    const last = data.subarray((rows - 1) * row, rows * row)
    if (!last.every((value) => Math.abs(value - 128) <= 1) && !last.every((value) => value === 0)) break
    rows--
  }
  return rows / height
}

const PNG_SIGNATURE_BYTES = 8
/** A PNG begins with its signature and its IHDR chunk. */
const PNG_HEAD_BYTES = 33
/** A pixel has this many samples, by a PNG's kind of colour. @source PNG (third edition), table 11.1 */
const PNG_SAMPLES: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

/** Returns the compressed rows of a PNG, up to where the file is cut off or damaged. */
function pngData(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = PNG_SIGNATURE_BYTES; at + 8 < bytes.length; ) {
    const end = at + 8 + bytes.readUInt32BE(at)
    if (end + 4 <= bytes.length && bytes.readUInt32BE(end) !== crc32(bytes.subarray(at + 4, end))) break
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(bytes.subarray(at + 8, end))
    at = end + 4
  }
  return Buffer.concat(parts)
}

/**
 * Counts the complete rows in a PNG, since libvips fills missing rows. The rows of an interlaced PNG are not in order, so none
 * counts.
 */
async function rowsIn(data: Buffer, bytes: Buffer): Promise<number> {
  const [width, depth, colour, interlace] = [bytes.readUInt32BE(16), bytes[24]!, bytes[25]!, bytes[28]!]
  if (interlace !== 0) return 0
  const rowBytes = 1 + Math.ceil((width * depth * (PNG_SAMPLES[colour] ?? 4)) / 8)
  let inflatedBytes = 0
  try {
    const inflater = createInflate({ finishFlush: constants.Z_SYNC_FLUSH })
    inflater.end(data)
    for await (const chunk of inflater) inflatedBytes += (chunk as Buffer).length
  } catch {
    // The data are damaged from here on.
  }
  return Math.min(Math.floor(inflatedBytes / rowBytes), bytes.readUInt32BE(20))
}

/** Makes a PNG with only the rows that are there, and a header that says so. */
function pngOf(data: Buffer, rows: number, bytes: Buffer): Buffer {
  const head = Buffer.from(bytes.subarray(PNG_SIGNATURE_BYTES + 8, PNG_HEAD_BYTES - 4))
  head.writeUInt32BE(rows, 4)
  return Buffer.concat([
    bytes.subarray(0, PNG_SIGNATURE_BYTES),
    pngChunk('IHDR', head),
    bytes.subarray(PNG_HEAD_BYTES, bytes.indexOf('IDAT', PNG_HEAD_BYTES) - 4),
    pngChunk('IDAT', data),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const chunk = Buffer.alloc(body.length + 8)
  chunk.writeUInt32BE(data.length, 0)
  body.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(body), body.length + 4)
  return chunk
}

/** libwebp may ask for this many bytes beyond the lost bytes: zeros in their place may stand for more data. */
const SPARE_BYTES = 1_024

/** Pads a truncated WebP: libwebp opens no file that is shorter than its header says, even by one byte. */
function padWebp(bytes: Buffer): Buffer {
  const missing = bytes.length >= 12 ? bytes.readUInt32LE(4) + 8 - bytes.length : 0
  if (missing <= 0 || missing > LOST_TAIL_BYTES) return bytes
  const filled = Buffer.concat([bytes, Buffer.alloc(missing + SPARE_BYTES)])
  filled.writeUInt32LE(filled.length - 8, 4)
  for (let at = 12; at + 8 <= bytes.length; ) {
    const size = bytes.readUInt32LE(at + 4)
    // The truncated chunk extends to the end.
    if (at + 8 + size > bytes.length) filled.writeUInt32LE(filled.length - at - 8, at + 4)
    at += 8 + size + (size & 1)
  }
  return filled
}

/** Decodes HEIC, the format of iPhones: sharp comes without the codec. libheif turns the picture upright by itself. */
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

/** Returns the same pixels as a PNG with a colour profile, which libheif does not keep. */
export async function withProfile({ data, ...raw }: Pixels, icc: Buffer): Promise<Buffer> {
  const png = await sharp(data, { raw }).png({ compressionLevel: 0 }).toBuffer()
  const chunk = pngChunk('iCCP', Buffer.concat([Buffer.from('icc\0\0', 'latin1'), deflateSync(icc)]))
  return Buffer.concat([png.subarray(0, PNG_HEAD_BYTES), chunk, png.subarray(PNG_HEAD_BYTES)])
}
