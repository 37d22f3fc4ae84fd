/** Chunks of a PNG that decoding needs. @source PNG (third edition), 4.7 */
const DRAWN = new Set('IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP sBIT bKGD pHYs'.split(' '))

/** Removes the metadata of a PNG within another file. @throws RangeError for a truncated PNG */
export function withoutPngNotes(bytes: Buffer): Buffer {
  const kept = [bytes.subarray(0, 8)]
  for (let at = 8; ; ) {
    const name = bytes.toString('latin1', at + 4, at + 8)
    const end = at + 12 + bytes.readUInt32BE(at)
    if (end > bytes.length) throw new RangeError('a part beyond its end')
    if (DRAWN.has(name)) kept.push(bytes.subarray(at, end))
    if (name === 'IEND') return Buffer.concat(kept)
    at = end
  }
}
