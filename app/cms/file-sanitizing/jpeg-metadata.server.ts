/** Returns whether decoding needs a segment of a JPEG; others hold metadata or the profile. @source ITU-T T.81 B.1 */
const isNeededForDecoding = (marker: number) => marker < 0xe0 || marker === 0xe0 || marker === 0xee
const [SOI, EOI, SOS] = [0xd8, 0xd9, 0xda]
const hasNoLength = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= SOI)

/**
 * Removes metadata (place, author, camera) and trailing data from a JPEG within another file. The pixels stay the same.
 * @throws RangeError for an invalid JPEG
 */
export function withoutJpegMetadata(bytes: Buffer): Buffer {
  if (bytes[0] !== 0xff || bytes[1] !== SOI) throw new RangeError('no JPEG')
  const keptSegments = [bytes.subarray(0, 2)]
  for (let offset = 2; ; ) {
    const marker = bytes[offset + 1]
    if (bytes[offset] !== 0xff || marker === undefined) throw new RangeError('no part of a JPEG')
    if (marker === 0xff) {
      offset++
      continue
    }
    if (marker === EOI) break
    const end = hasNoLength(marker) ? offset + 2 : offset + 2 + bytes.readUInt16BE(offset + 2)
    if (end > bytes.length) throw new RangeError('a part beyond its end')
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
  marker === 0xe2 && bytes.toString('latin1', offset + 4, offset + 15) === 'ICC_PROFILE'

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
