/** Decoding a PNG needs these chunks. @source PNG (third edition), 4.7 */
const NEEDED_CHUNKS = new Set('IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP sBIT bKGD pHYs'.split(' '))

/** Removes the metadata of a PNG within another file. @throws RangeError for a truncated PNG */
export function withoutPngMetadata(bytes: Buffer): Buffer {
  const keptParts = [bytes.subarray(0, 8)]
  for (let at = 8; ; ) {
    const name = bytes.toString('latin1', at + 4, at + 8)
    const end = at + 12 + bytes.readUInt32BE(at)
    if (end > bytes.length) throw new RangeError('a part beyond its end')
    if (NEEDED_CHUNKS.has(name)) keptParts.push(bytes.subarray(at, end))
    if (name === 'IEND') return Buffer.concat(keptParts)
    at = end
  }
}
