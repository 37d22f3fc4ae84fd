/** Length of a picture's beginning that holds its dimensions, even after a camera's metadata. */
export const HEADER_BYTES = 512 * 1024

/** Largest picture that a page decodes. Decoded it takes 256 MB; a larger one could crash the page on a phone. */
export const MAX_PIXELS = 64_000_000

/**
 * Reads from a picture's header how many pixels it decodes to; a file of one megabyte may claim a thousand million pixels.
 * @param head at least the first HEADER_BYTES bytes, or all of a shorter file
 * @returns undefined if the header does not tell (HEIC, PDF, a damaged file)
 */
export function countPixels(head: Uint8Array): number | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  const textBetween = (start: number, end: number) => String.fromCharCode(...head.subarray(start, end))
  try {
    if (textBetween(1, 4) === 'PNG') return view.getUint32(16) * view.getUint32(20)
    if (textBetween(8, 12) === 'WEBP') return webpPixels(view, textBetween(12, 16))
    if (view.getUint16(0) === 0xffd8) return jpegPixels(view)
  } catch (error) {
    // The header ends before the dimensions.
    if (!(error instanceof RangeError)) throw error
  }
  return undefined
}

/** The first and last marker of frame headers, and the marker of a scan (ITU-T T.81 B.1.1.3). */
const [SOF0, SOF15, SOS] = [0xc0, 0xcf, 0xda]
/** DHT, JPG and DAC, whose markers lie between the markers of frame headers. */
const NO_FRAME_HEADERS = [0xc4, 0xc8, 0xcc]

function jpegPixels(view: DataView): number | undefined {
  for (let offset = 2; ; offset += 2 + view.getUint16(offset + 2)) {
    // Fill bytes may precede a marker.
    while (view.getUint8(offset + 1) === 0xff) offset++
    const marker = view.getUint8(offset + 1)
    if (view.getUint8(offset) !== 0xff || marker === SOS) return undefined
    if (marker >= SOF0 && marker <= SOF15 && !NO_FRAME_HEADERS.includes(marker))
      return view.getUint16(offset + 5) * view.getUint16(offset + 7)
  }
}

/**
 * Counts the pixels of a WebP; undefined for an unknown chunk.
 * @see https://developers.google.com/speed/webp/docs/riff_container
 */
function webpPixels(view: DataView, chunkType: string): number | undefined {
  const uint24 = (offset: number) => view.getUint16(offset, true) + view.getUint8(offset + 2) * 65_536
  if (chunkType === 'VP8X') return (uint24(24) + 1) * (uint24(27) + 1)
  if (chunkType === 'VP8 ') return (view.getUint16(26, true) & 0x3fff) * (view.getUint16(28, true) & 0x3fff)
  if (chunkType !== 'VP8L') return undefined
  const bits = view.getUint32(21, true)
  return ((bits & 0x3fff) + 1) * (((bits >>> 14) & 0x3fff) + 1)
}
