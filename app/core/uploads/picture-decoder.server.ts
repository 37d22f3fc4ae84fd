// Untrusted pictures are decoded in a sandbox (app/core/process/sandbox.server.ts), never in the site's own process.

import { constants, crc32, createInflate, deflateSync } from 'node:zlib'
import sharp, { type Metadata, type Sharp } from 'sharp'

/** A picture with more pixels counts as a decompression bomb. 30,000 × 30,000 decoded pixels take 2.7 GB. */
const MAX_PIXELS = 120_000_000
/** Decoding may take this much memory, which suffices for a HEIC of 62 million pixels. */
const MAX_DECODED_BYTES = 300 * 1_048_576
/** Browsers still show a file that lacks up to this many bytes at its end. */
export const MAX_LOST_TAIL_BYTES = 1_024

/** A decoded picture in sRGB. */
export interface Pixels {
  data: Buffer
  width: number
  height: number
  channels: 1 | 2 | 3 | 4
}

interface DecodeOptions {
  /** Maximum length of the result's sides, in pixels. */
  maxSide: number
  /**
   * A truncated picture, except a HEIC, is decoded if at least this share of it is there, from 0 to 1. Without it, truncated
   * pictures are refused.
   */
  minShare?: number | undefined
  /** Whether to keep transparency. Otherwise it becomes white. */
  keepsAlpha?: boolean
}

/**
 * Decodes a picture, turns it upright, reduces it to `maxSide`, and drops the camera's metadata.
 * @returns `grande` for a picture with too many pixels or that would take too much memory, `ilegible` for any other picture that
 * cannot be decoded, or of which too little is there
 */
export async function decodePicture(
  original: Buffer,
  contentType: string,
  { maxSide, minShare, keepsAlpha = false }: DecodeOptions,
): Promise<Pixels | 'ilegible' | 'grande'> {
  const bytes = contentType === 'image/webp' ? padWebp(original) : original
  // sharp throws for an empty buffer.
  const metadata =
    bytes.length > 0 &&
    (await sharp(bytes, { limitInputPixels: false })
      .metadata()
      .catch(() => undefined))
  if (!metadata) return 'ilegible'
  if (metadata.width * metadata.height > MAX_PIXELS || estimateDecodedBytes(metadata) > MAX_DECODED_BYTES)
    return 'grande'
  const pixelsOf = async (picture: Sharp): Promise<Pixels> => {
    const resizedPicture = picture.resize(maxSide, maxSide, { fit: 'inside', withoutEnlargement: true })
    const { data, info } = await (keepsAlpha ? resizedPicture : resizedPicture.flatten({ background: '#fff' }))
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true })
    return { data, width: info.width, height: info.height, channels: info.channels }
  }
  try {
    if (contentType === 'image/heic') {
      const pixels = await pixelsOf(await decodeHeic(bytes))
      return metadata.icc ? await pixelsOf(sharp(await withProfile(pixels, metadata.icc))) : pixels
    }
    // libvips reports faults by messages without codes, so all faults are treated alike.
    const decodedPixels = await pixelsOf(openPicture(bytes, 'truncated')).catch(() => undefined)
    if (decodedPixels) return decodedPixels
    if (minShare === undefined) return 'ilegible'
    if (contentType === 'image/png') {
      const compressedRows = compressedRowsOf(bytes)
      const rowCount = await countRows(compressedRows, bytes)
      if (rowCount / metadata.height < minShare) return 'ilegible'
      return await pixelsOf(openPicture(pngOf(compressedRows, rowCount, bytes), 'none'))
    }
    const partialPixels = await pixelsOf(openPicture(bytes, 'none'))
    return shareDecoded(partialPixels) < minShare ? 'ilegible' : partialPixels
  } catch {
    return 'ilegible'
  }
}

/**
 * Estimates the memory that libvips and its libraries need at once. A plain JPEG or PNG is decoded a few rows at a time. Of a
 * progressive JPEG all coefficients of two bytes are held, of an interlaced or turned PNG and of other formats all pixels.
 */
function estimateDecodedBytes(metadata: Metadata): number {
  const { format, width, height, channels, depth, isProgressive, orientation, chromaSubsampling } = metadata
  const pixels = width * height
  const sampleBytes = depth === 'uchar' ? 1 : depth === 'ushort' ? 2 : 4
  if (format === 'jpeg') return isProgressive ? pixels * 2 * (chromaSubsampling === '4:2:0' ? 1.5 : channels) : 0
  if (format === 'png') return isProgressive || (orientation ?? 1) > 1 ? pixels * channels * sampleBytes : 0
  return pixels * (format === 'webp' ? 4 : 5)
}

const openPicture = (bytes: Buffer, failOn: 'none' | 'truncated') =>
  sharp(bytes, { failOn, limitInputPixels: MAX_PIXELS, sequentialRead: true }).autoOrient()

/**
 * Returns the share of a truncated picture that was decoded. Decoders fill missing rows with plain grey or black, so a lower edge
 * that really is plain grey or black counts as missing, too.
 */
function shareDecoded({ data, width, height, channels }: Pixels): number {
  const rowBytes = width * channels
  let rowCount = height
  while (rowCount > 0) {
    const lastRow = data.subarray((rowCount - 1) * rowBytes, rowCount * rowBytes)
    if (!lastRow.every((value) => Math.abs(value - 128) <= 1) && !lastRow.every((value) => value === 0)) break
    rowCount--
  }
  return rowCount / height
}

const PNG_SIGNATURE_BYTES = 8
/** A PNG begins with its signature and its IHDR chunk. */
const PNG_HEAD_BYTES = 33
/** Samples per pixel, by a PNG's colour type. @source PNG (third edition), table 11.1 */
const PNG_SAMPLES: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

/** Returns the compressed rows of a PNG, up to the place where the file is cut off or damaged. */
function compressedRowsOf(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let offset = PNG_SIGNATURE_BYTES; offset + 8 < bytes.length; ) {
    const end = offset + 8 + bytes.readUInt32BE(offset)
    if (end + 4 <= bytes.length && bytes.readUInt32BE(end) !== crc32(bytes.subarray(offset + 4, end))) break
    if (bytes.toString('latin1', offset + 4, offset + 8) === 'IDAT') parts.push(bytes.subarray(offset + 8, end))
    offset = end + 4
  }
  return Buffer.concat(parts)
}

/**
 * Counts the complete rows in a PNG, since libvips fills missing rows. Returns 0 for an interlaced PNG, whose rows are not in
 * order.
 */
async function countRows(compressedRows: Buffer, bytes: Buffer): Promise<number> {
  const [width, depth, colour, interlace] = [bytes.readUInt32BE(16), bytes[24]!, bytes[25]!, bytes[28]!]
  if (interlace !== 0) return 0
  const rowBytes = 1 + Math.ceil((width * depth * (PNG_SAMPLES[colour] ?? 4)) / 8)
  let inflatedBytes = 0
  try {
    const inflater = createInflate({ finishFlush: constants.Z_SYNC_FLUSH })
    inflater.end(compressedRows)
    for await (const chunk of inflater) inflatedBytes += (chunk as Buffer).length
  } catch {
    // The data is damaged from here on.
  }
  return Math.min(Math.floor(inflatedBytes / rowBytes), bytes.readUInt32BE(20))
}

/** Returns a PNG with only the complete rows of a truncated PNG. */
function pngOf(compressedRows: Buffer, rowCount: number, bytes: Buffer): Buffer {
  const head = Buffer.from(bytes.subarray(PNG_SIGNATURE_BYTES + 8, PNG_HEAD_BYTES - 4))
  head.writeUInt32BE(rowCount, 4)
  return Buffer.concat([
    bytes.subarray(0, PNG_SIGNATURE_BYTES),
    pngChunk('IHDR', head),
    bytes.subarray(PNG_HEAD_BYTES, bytes.indexOf('IDAT', PNG_HEAD_BYTES) - 4),
    pngChunk('IDAT', compressedRows),
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

/** libwebp may read this many bytes beyond the lost bytes, since it may take the zeros that replace them for data. */
const SPARE_BYTES = 1_024

/**
 * Pads a truncated WebP with zeros, since libwebp opens no file that is shorter than its header states. Any other file, and a
 * WebP that lacks more than MAX_LOST_TAIL_BYTES, is returned as it is.
 */
function padWebp(bytes: Buffer): Buffer {
  const missingBytes = bytes.length >= 12 ? bytes.readUInt32LE(4) + 8 - bytes.length : 0
  if (missingBytes <= 0 || missingBytes > MAX_LOST_TAIL_BYTES) return bytes
  const paddedBytes = Buffer.concat([bytes, Buffer.alloc(missingBytes + SPARE_BYTES)])
  paddedBytes.writeUInt32LE(paddedBytes.length - 8, 4)
  for (let offset = 12; offset + 8 <= bytes.length; ) {
    const size = bytes.readUInt32LE(offset + 4)
    // The truncated chunk extends to the end.
    if (offset + 8 + size > bytes.length) paddedBytes.writeUInt32LE(paddedBytes.length - offset - 8, offset + 4)
    offset += 8 + size + (size & 1)
  }
  return paddedBytes
}

/**
 * Decodes HEIC, the format of iPhones, by libheif, since sharp has no codec for it. libheif turns the picture upright by itself.
 */
async function decodeHeic(bytes: Buffer): Promise<Sharp> {
  const { HeifDecoder } = (await import('libheif-js/wasm-bundle.js')).default
  const [image] = new HeifDecoder().decode(bytes)
  if (!image) throw new Error('the file has no picture')
  const [width, height] = [image.get_width(), image.get_height()]
  if (width * height > MAX_PIXELS) throw new Error('the picture has more pixels than its header says')
  const pixels = new Uint8ClampedArray(width * height * 4)
  await new Promise<void>((resolve, reject) => {
    image.display({ data: pixels, width, height }, (shown) => (shown ? resolve() : reject(new Error('unreadable'))))
  })
  return sharp(pixels, { raw: { width, height, channels: 4 } })
}

/** Returns pixels as a PNG with the original's colour profile, which libheif drops. */
export async function withProfile({ data, ...raw }: Pixels, icc: Buffer): Promise<Buffer> {
  const png = await sharp(data, { raw }).png({ compressionLevel: 0 }).toBuffer()
  const chunk = pngChunk('iCCP', Buffer.concat([Buffer.from('icc\0\0', 'latin1'), deflateSync(icc)]))
  return Buffer.concat([png.subarray(0, PNG_HEAD_BYTES), chunk, png.subarray(PNG_HEAD_BYTES)])
}
