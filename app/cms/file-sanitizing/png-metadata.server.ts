/** Chunks that decoding a PNG needs. @source PNG (third edition), 4.7 */
const NEEDED_CHUNKS = new Set('IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP sBIT bKGD pHYs'.split(' '))

/** Removes the metadata of a PNG that is embedded in another file. @throws RangeError for a truncated PNG */
export function withoutPngMetadata(bytes: Buffer): Buffer {
  const keptChunks = [bytes.subarray(0, 8)]
  for (let offset = 8; ; ) {
    const name = bytes.toString('latin1', offset + 4, offset + 8)
    const end = offset + 12 + bytes.readUInt32BE(offset)
    if (end > bytes.length) throw new RangeError('a chunk ends beyond the file')
    if (NEEDED_CHUNKS.has(name)) keptChunks.push(bytes.subarray(offset, end))
    if (name === 'IEND') return Buffer.concat(keptChunks)
    offset = end
  }
}
