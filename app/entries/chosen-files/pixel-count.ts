/** The first this many bytes of a picture hold its dimensions, even after a camera's metadata. */
export const SIZE_BYTES = 512 * 1024

/**
 * Reads from a picture's header how many pixels it decodes to; a file of one megabyte may claim a thousand million.
 * @param head at least the first SIZE_BYTES bytes, or all of a shorter file
 * @returns undefined where the header does not tell (HEIC, PDF, a damaged file)
 */
export function countPixels(head: Uint8Array): number | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  const text = (from: number, to: number) => String.fromCharCode(...head.subarray(from, to))
  try {
    if (text(1, 4) === 'PNG') return view.getUint32(16) * view.getUint32(20)
    if (text(8, 12) === 'WEBP') return webpPixels(view, text(12, 16))
    if (view.getUint16(0) === 0xffd8) return jpegPixels(view)
  } catch (error) {
    // The header ends before the dimensions.
    if (!(error instanceof RangeError)) throw error
  }
  return undefined
}

function jpegPixels(view: DataView): number | undefined {
  for (let at = 2; ; at += 2 + view.getUint16(at + 2)) {
    // Fill bytes may stand before a marker.
    while (view.getUint8(at + 1) === 0xff) at++
    const marker = view.getUint8(at + 1)
    if (view.getUint8(at) !== 0xff || marker === 0xda) return undefined
    // The markers of frame headers share their range with tables (DHT, JPG, DAC), which are passed over.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return view.getUint16(at + 5) * view.getUint16(at + 7)
  }
}

function webpPixels(view: DataView, chunk: string): number | undefined {
  const uint24 = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 65_536
  if (chunk === 'VP8X') return (uint24(24) + 1) * (uint24(27) + 1)
  if (chunk === 'VP8 ') return (view.getUint16(26, true) & 0x3fff) * (view.getUint16(28, true) & 0x3fff)
  if (chunk !== 'VP8L') return undefined
  const bits = view.getUint32(21, true)
  return ((bits & 0x3fff) + 1) * (((bits >>> 14) & 0x3fff) + 1)
}
