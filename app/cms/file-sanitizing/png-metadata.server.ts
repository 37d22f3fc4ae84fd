/** Chunks that a PNG keeps: those that affect how it is displayed. @source PNG (third edition), 4.7 */
const KEPT_CHUNKS = new Set('IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP sBIT bKGD pHYs'.split(' '))

/** Removes the metadata of a PNG that is embedded in another file. @throws RangeError for a truncated PNG */
export function withoutPngMetadata(bytes: Buffer): Buffer {
  const keptChunks = [bytes.subarray(0, 8)]
  // A chunk is length (4 bytes), type (4), data and CRC (4).
  for (let offset = 8; ; ) {
    const chunkType = bytes.toString('latin1', offset + 4, offset + 8)
    const end = offset + 12 + bytes.readUInt32BE(offset)
    if (end > bytes.length) throw new RangeError('a chunk ends beyond the file')
    if (KEPT_CHUNKS.has(chunkType)) keptChunks.push(bytes.subarray(offset, end))
    if (chunkType === 'IEND') return Buffer.concat(keptChunks)
    offset = end
  }
}
