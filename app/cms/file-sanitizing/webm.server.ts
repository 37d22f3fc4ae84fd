import type { MediaDimensions } from '#app/cms/media/file-rules.ts'
import { type CleanedVideo, MAX_VIDEO_SECONDS, videoRefusal } from './mp4.server.ts'

/** Ids of elements. @source RFC 9559 */
const ELEMENT_ID = {
  head: 0x1a45dfa3,
  segment: 0x18538067,
  info: 0x1549a966,
  tracks: 0x1654ae6b,
  cluster: 0x1f43b675,
  scale: 0x2ad7b1,
  duration: 0x4489,
  muxer: 0x4d80,
  writer: 0x5741,
  entry: 0xae,
  number: 0xd7,
  codec: 0x86,
  codecPrivate: 0x63a2,
  video: 0xe0,
  width: 0xb0,
  height: 0xba,
  group: 0xa0,
  block: 0xa1,
  simple: 0xa3,
  encodings: 0x6d80,
  void: 0xec,
}

/** Elements that contain elements. */
const MASTER_IDS = new Set([
  ELEMENT_ID.head,
  ELEMENT_ID.segment,
  ELEMENT_ID.info,
  ELEMENT_ID.tracks,
  ELEMENT_ID.cluster,
  ELEMENT_ID.entry,
  ELEMENT_ID.video,
  // Audio.
  0xe1,
  ELEMENT_ID.group,
])
/** Elements that playback needs. */
const KEPT_IDS = new Set([
  ...MASTER_IDS,
  // EBML header, seek index.
  ...[0x4286, 0x42f7, 0x42f2, 0x42f3, 0x4282, 0x4287, 0x4285, 0x114d9b74, 0x1c53bb6b],
  ...[ELEMENT_ID.scale, ELEMENT_ID.duration, ELEMENT_ID.muxer, ELEMENT_ID.writer],
  // Track: number, kind, flags, times, codec.
  ...[
    ELEMENT_ID.number,
    0x73c5,
    0x83,
    0xb9,
    0x88,
    0x55aa,
    0x9c,
    0x23e383,
    ELEMENT_ID.codec,
    ELEMENT_ID.codecPrivate,
    0x56aa,
    0x56bb,
    0x22b59c,
  ],
  // Video: size, display, colours; audio: rate, channels, depth.
  ...[ELEMENT_ID.width, ELEMENT_ID.height, 0x54b0, 0x54ba, 0x54b2, 0x9a, 0x53b8, 0x55b0, 0xb5, 0x78b5, 0x9f, 0x6264],
  // Cluster: time and blocks.
  ...[0xe7, 0xab, 0xa7, ELEMENT_ID.simple, ELEMENT_ID.block, 0x9b, 0xfb, 0x75a2],
])

/** An element of a WebM, from `offset` to before `end`; its content begins at `start`. */
interface EbmlElement {
  id: number
  offset: number
  start: number
  end: number
}

/**
 * Lists the elements of a range; an element of unknown length fills the rest of it.
 * @throws RangeError for an element beyond the range, or for an invalid header
 */
function* readElements(bytes: Buffer, startOffset: number, limit: number): Generator<EbmlElement> {
  for (let offset = startOffset; offset < limit; ) {
    const id = readVint(bytes, offset, limit, true)
    const size = readVint(bytes, offset + id.bytes, limit, false)
    const begin = offset + id.bytes + size.bytes
    const hasUnknownLength = size.value === 2 ** (7 * size.bytes) - 1
    const end = hasUnknownLength ? limit : begin + size.value
    if (end > limit) throw new RangeError('an element ends beyond its parent')
    yield { id: id.value, offset, start: begin, end }
    offset = end
  }
}

/** Reads a variable-size integer. @param keepsMark keeps the length marker, as in ids. @source RFC 8794, 4 */
function readVint(bytes: Buffer, offset: number, limit: number, keepsMark: boolean): { value: number; bytes: number } {
  const byteCount = Math.clz32(bytes[offset] ?? 0) - 23
  if (byteCount > 8 || offset + byteCount > limit) throw new RangeError('not a variable-size integer')
  let value = keepsMark ? bytes[offset]! : bytes[offset]! & (0xff >> byteCount)
  for (let index = 1; index < byteCount; index++) value = value * 256 + bytes[offset + index]!
  return { value, bytes: byteCount }
}

const readUnsigned = (bytes: Buffer, { start, end: limit }: EbmlElement) =>
  limit - start > 0 && limit - start <= 6 ? bytes.readUIntBE(start, limit - start) : 0
const readFloat = (bytes: Buffer, { start, end: limit }: EbmlElement) =>
  limit - start === 8 ? bytes.readDoubleBE(start) : limit - start === 4 ? bytes.readFloatBE(start) : 0

const WEBM_VIDEO = new Set(['V_AV1', 'V_VP9', 'V_VP8'])
const WEBM_AUDIO = new Set(['A_OPUS', 'A_VORBIS'])

/**
 * Cleans a WebM with AV1, VP9 or VP8, and with Opus or Vorbis if it has sound, without decoding it: elements that playback does
 * not need are overwritten in place. After a refusal `bytes` may be partly overwritten.
 */
export function cleanWebm(bytes: Buffer): CleanedVideo {
  try {
    let dimensions: MediaDimensions | undefined
    let hasFrames = false
    const playedTracks = new Set<number>()
    for (const topElement of readElements(bytes, 0, bytes.length)) {
      if (topElement.id !== ELEMENT_ID.segment) continue
      for (const segmentElement of readElements(bytes, topElement.start, topElement.end)) {
        if (segmentElement.id === ELEMENT_ID.cluster) {
          hasFrames = segmentElement.end > segmentElement.start
          // A cluster of unknown length would seem to contain the next one, so the search ends here.
          break
        }
        if (segmentElement.id === ELEMENT_ID.info && readDurationSeconds(bytes, segmentElement) > MAX_VIDEO_SECONDS)
          return videoRefusal('largo')
        if (segmentElement.id !== ELEMENT_ID.tracks) continue
        for (const entry of readElements(bytes, segmentElement.start, segmentElement.end)) {
          if (entry.id !== ELEMENT_ID.entry) continue
          const children = [...readElements(bytes, entry.start, entry.end)]
          const childById = (id: number) => children.find((element) => element.id === id)
          const [codec, video, number, codecPrivate] = [
            ELEMENT_ID.codec,
            ELEMENT_ID.video,
            ELEMENT_ID.number,
            ELEMENT_ID.codecPrivate,
          ].map(childById)
          const name = codec ? bytes.toString('latin1', codec.start, codec.end).replace(/\0+$/, '') : ''
          if (!(video ? WEBM_VIDEO : WEBM_AUDIO).has(name) || childById(ELEMENT_ID.encodings))
            return videoRefusal('codec')
          if (video) dimensions ??= readDimensions(bytes, video)
          if (number) playedTracks.add(readUnsigned(bytes, number))
          if (name === 'A_VORBIS' && codecPrivate) clearVorbisComments(bytes, codecPrivate)
        }
      }
    }
    if (!dimensions || !hasFrames) return videoRefusal('ilegible')
    cleanElements(bytes, { start: 0, end: bytes.length }, playedTracks)
    return { ok: true, dimensions }
  } catch (error) {
    if (error instanceof RangeError) return videoRefusal('ilegible')
    throw error
  }
}

function cleanElements(
  bytes: Buffer,
  { start, end: limit }: Pick<EbmlElement, 'start' | 'end'>,
  playedTracks: ReadonlySet<number>,
): void {
  for (const element of readElements(bytes, start, limit)) {
    const isBlock = element.id === ELEMENT_ID.block || element.id === ELEMENT_ID.simple
    if (
      !KEPT_IDS.has(element.id) ||
      (isBlock && !playedTracks.has(readVint(bytes, element.start, element.end, false).value))
    )
      blankElement(bytes, element)
    // The names of the writing programs are mandatory, so only their text is cleared.
    else if (element.id === ELEMENT_ID.muxer || element.id === ELEMENT_ID.writer)
      bytes.fill(0, element.start, element.end)
    else if (MASTER_IDS.has(element.id)) cleanElements(bytes, element, playedTracks)
  }
}

/** Turns an element into a Void element of the same length. */
function blankElement(bytes: Buffer, { offset, end: limit }: EbmlElement): void {
  const length = limit - offset
  bytes.fill(0, offset, limit)
  bytes[offset] = ELEMENT_ID.void
  // The length field has one byte or eight.
  if (length <= 128) bytes[offset + 1] = 0x80 | (length - 2)
  else {
    bytes[offset + 1] = 0x01
    bytes.writeUIntBE(length - 9, offset + 3, 6)
  }
}

/** Clears the comments in the private codec data of Vorbis. @source Vorbis I, 5.2; RFC 9559 */
function clearVorbisComments(bytes: Buffer, { start, end: limit }: EbmlElement): void {
  let offset = start + 1
  const packetLengths = [0, 0]
  for (const index of [0, 1]) {
    for (; bytes[offset] === 255 && offset < limit; offset++) packetLengths[index]! += 255
    packetLengths[index]! += bytes[offset++] ?? 0
  }
  const [identificationLength, commentsLength] = packetLengths as [number, number]
  const commentsStart = offset + identificationLength
  // The shortest comment header has a signature, two lengths and a framing bit: 16 bytes.
  if (bytes[start] !== 2 || commentsStart + commentsLength > limit || commentsLength < 16)
    throw new RangeError('not a Vorbis header')
  bytes.fill(0, commentsStart + 7, commentsStart + commentsLength)
  bytes.writeUInt32LE(commentsLength - 16, commentsStart + 7)
  bytes[commentsStart + commentsLength - 1] = 1
}

function readDimensions(bytes: Buffer, video: EbmlElement): MediaDimensions | undefined {
  const children = [...readElements(bytes, video.start, video.end)]
  const [width, height] = [ELEMENT_ID.width, ELEMENT_ID.height].map((elementId) => {
    const element = children.find(({ id }) => id === elementId)
    return element ? readUnsigned(bytes, element) : 0
  })
  return width && height ? { ancho: width, alto: height, vista: null } : undefined
}

function readDurationSeconds(bytes: Buffer, info: EbmlElement): number {
  const children = [...readElements(bytes, info.start, info.end)]
  const scale = children.find(({ id }) => id === ELEMENT_ID.scale)
  const duration = children.find(({ id }) => id === ELEMENT_ID.duration)
  return duration ? (readFloat(bytes, duration) * (scale ? readUnsigned(bytes, scale) : 1_000_000)) / 1e9 : 0
}
