const [APP0, APP2, APP14] = [0xe0, 0xe2, 0xee]

/**
 * Returns whether decoding needs a segment of a JPEG: all segments below the APPn, and of the others JFIF (APP0) and Adobe (APP14).
 * @source ITU-T T.81 B.1
 */
const isNeededForDecoding = (marker: number) => marker <= APP0 || marker === APP14
const [SOI, EOI, SOS] = [0xd8, 0xd9, 0xda]
const hasNoLength = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= SOI)

/**
 * Removes metadata (place, author, camera) and trailing data from a JPEG that is embedded in another file. Its pixels and its colour
 * profile stay.
 * @throws RangeError for an invalid JPEG
 */
export function withoutJpegMetadata(bytes: Buffer): Buffer {
  if (bytes[0] !== 0xff || bytes[1] !== SOI) throw new RangeError('not a JPEG')
  const keptSegments = [bytes.subarray(0, 2)]
  for (let offset = 2; ; ) {
    const marker = bytes[offset + 1]
    if (bytes[offset] !== 0xff || marker === undefined) throw new RangeError('expected a segment')
    if (marker === 0xff) {
      offset++
      continue
    }
    if (marker === EOI) break
    const end = hasNoLength(marker) ? offset + 2 : offset + 2 + bytes.readUInt16BE(offset + 2)
    if (end > bytes.length) throw new RangeError('a segment ends beyond the file')
    if (isNeededForDecoding(marker) || isProfile(bytes, offset, marker)) keptSegments.push(bytes.subarray(offset, end))
    offset = end
    if (marker !== SOS) continue
    offset = findScanEnd(bytes, end)
    keptSegments.push(bytes.subarray(end, offset))
    // A truncated JPEG ends with its scan.
    if (offset === bytes.length) break
  }
  return Buffer.concat([...keptSegments, Buffer.of(0xff, EOI)])
}

/** Returns whether the segment is part of the ICC profile, which defines the colours. */
const isProfile = (bytes: Buffer, offset: number, marker: number) =>
  marker === APP2 && bytes.toString('latin1', offset + 4, offset + 15) === 'ICC_PROFILE'

/**
 * Returns the offset of the next marker after a scan, or of the end of the bytes; in a scan, 0x00 after 0xff is a stuffed byte, and
 * 0xd0 to 0xd7 after it are restart markers.
 * @source ITU-T T.81 B.1.1.5
 */
function findScanEnd(bytes: Buffer, start: number): number {
  for (
    let offset = bytes.indexOf(0xff, start);
    offset >= 0 && offset + 1 < bytes.length;
    offset = bytes.indexOf(0xff, offset + 1)
  ) {
    const next = bytes[offset + 1]!
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return offset
  }
  return bytes.length
}
