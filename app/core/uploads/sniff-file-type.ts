/**
 * The type of a file is recognised by this many bytes at its start, within which a PDF has its header.
 * @source ISO 32000-1 Annex H, note 13
 */
export const SNIFF_BYTES = 1_024
/** A WebM states its type within this many bytes of its Matroska header. */
const MATROSKA_HEAD_BYTES = 64

const HEIF_BRANDS = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs', 'mif1', 'msf1'])

export type SniffedType =
  | 'image/jpeg'
  | 'image/png'
  | 'image/webp'
  | 'image/heic'
  | 'image/avif'
  | 'application/pdf'
  | 'application/zip'
  | 'video/mp4'
  | 'video/quicktime'
  | 'video/webm'

/**
 * Returns the type of a file by its first bytes, never by its name. The rest of the file is not checked, and may be unreadable.
 * @param head at least the first SNIFF_BYTES bytes, or all of a shorter file
 * @returns undefined for any other type
 */
export function sniffFileType(head: Uint8Array): SniffedType | undefined {
  const startsWith = (...signature: number[]) => signature.every((byte, index) => head[index] === byte)
  const textAt = (from: number, to: number) => String.fromCharCode(...head.subarray(from, to))
  if (startsWith(0xff, 0xd8, 0xff)) return 'image/jpeg'
  if (startsWith(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'image/png'
  if (textAt(0, 4) === 'RIFF' && textAt(8, 12) === 'WEBP') return 'image/webp'
  if (startsWith(0x50, 0x4b, 0x03, 0x04)) return 'application/zip'
  if (startsWith(0x1a, 0x45, 0xdf, 0xa3))
    return textAt(0, MATROSKA_HEAD_BYTES).includes('webm') ? 'video/webm' : undefined
  if (['moov', 'wide'].includes(textAt(4, 8))) return 'video/quicktime'
  if (textAt(4, 8) !== 'ftyp') return textAt(0, SNIFF_BYTES).includes('%PDF-') ? 'application/pdf' : undefined
  const brand = textAt(8, 12)
  if (/^avi[fs]$/.test(brand)) return 'image/avif'
  if (HEIF_BRANDS.has(brand)) {
    // AVIF has the same container. If its major brand is mif1, one of its compatible brands is avif or avis.
    const end = Math.min(head.length, new DataView(head.buffer, head.byteOffset).getUint32(0))
    for (let offset = 16; offset + 4 <= end; offset += 4)
      if (/^avi[fs]$/.test(textAt(offset, offset + 4))) return 'image/avif'
    return 'image/heic'
  }
  return brand === 'qt  ' ? 'video/quicktime' : 'video/mp4'
}
