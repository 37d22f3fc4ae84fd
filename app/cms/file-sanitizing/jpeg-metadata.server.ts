/** Returns whether decoding needs a segment of a JPEG; others hold metadata or the profile. @source ITU-T T.81 B.1 */
const isNeededForDecoding = (marker: number) => marker < 0xe0 || marker === 0xe0 || marker === 0xee
const [START, END, SCAN] = [0xd8, 0xd9, 0xda]
const hasNoLength = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= START)

/**
 * Removes metadata (place, author, camera) and trailing data from a JPEG within another file. The pixels stay the same.
 * @throws RangeError for an invalid JPEG
 */
export function withoutJpegMetadata(bytes: Buffer): Buffer {
  if (bytes[0] !== 0xff || bytes[1] !== START) throw new RangeError('no JPEG')
  const keptParts = [bytes.subarray(0, 2)]
  for (let at = 2; ; ) {
    const marker = bytes[at + 1]
    if (bytes[at] !== 0xff || marker === undefined) throw new RangeError('no part of a JPEG')
    if (marker === 0xff) {
      at++
      continue
    }
    if (marker === END) break
    const end = hasNoLength(marker) ? at + 2 : at + 2 + bytes.readUInt16BE(at + 2)
    if (end > bytes.length) throw new RangeError('a part beyond its end')
    if (isNeededForDecoding(marker) || isProfile(bytes, at, marker)) keptParts.push(bytes.subarray(at, end))
    at = end
    if (marker !== SCAN) continue
    at = endOfScan(bytes, end)
    keptParts.push(bytes.subarray(end, at))
    // A truncated JPEG ends with its scan.
    if (at === bytes.length) break
  }
  return Buffer.concat([...keptParts, Buffer.of(0xff, END)])
}

/** Returns whether the segment is part of the ICC profile, which defines the colours. */
const isProfile = (bytes: Buffer, at: number, marker: number) =>
  marker === 0xe2 && bytes.toString('latin1', at + 4, at + 15) === 'ICC_PROFILE'

function endOfScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0 && at + 1 < bytes.length; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1]!
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at
  }
  return bytes.length
}
