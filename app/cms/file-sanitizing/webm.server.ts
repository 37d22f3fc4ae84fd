import type { Dimensions } from '#app/cms/media/file-rules.ts'
import { type CleanedVideo, MAX_VIDEO_SECONDS, refuseVideo } from './mp4.server.ts'

/** Cleans a WebM without decoding it: elements that playback does not need are overwritten in place. */

/** RFC 9559 gives these ids of elements. */
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

/** These elements contain elements. */
const MASTER_IDS = new Set([
  ELEMENT_ID.head,
  ELEMENT_ID.segment,
  ELEMENT_ID.info,
  ELEMENT_ID.tracks,
  ELEMENT_ID.cluster,
  ELEMENT_ID.entry,
  ELEMENT_ID.video,
  0xe1,
  ELEMENT_ID.group,
])
/** Playback needs these elements. */
const KEPT_IDS = new Set([
  ...MASTER_IDS,
  // EBML header, seek index.
  ...[0x4286, 0x42f7, 0x42f2, 0x42f3, 0x4282, 0x4287, 0x4285, 0x114d9b74, 0x1c53bb6b],
  ...[ELEMENT_ID.scale, ELEMENT_ID.duration, ELEMENT_ID.muxer, ELEMENT_ID.writer],
  // A track: number, kind, flags, times, codec.
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
  // A cluster: its time, and its blocks.
  ...[0xe7, 0xab, 0xa7, ELEMENT_ID.simple, ELEMENT_ID.block, 0x9b, 0xfb, 0x75a2],
])

interface MarkupElement {
  id: number
  at: number
  start: number
  end: number
}

/** Lists a range's elements; an element of unknown length fills its rest. @throws RangeError for an element beyond it */
function* readElements(bytes: Buffer, from: number, limit: number): Generator<MarkupElement> {
  for (let at = from; at < limit; ) {
    const id = readVint(bytes, at, limit, true)
    const size = readVint(bytes, at + id.bytes, limit, false)
    const begin = at + id.bytes + size.bytes
    const hasUnknownLength = size.value === 2 ** (7 * size.bytes) - 1
    const end = hasUnknownLength ? limit : begin + size.value
    if (end > limit) throw new RangeError('an element beyond its end')
    yield { id: id.value, at, start: begin, end }
    at = end
  }
}

function readVint(bytes: Buffer, at: number, limit: number, keepsMark: boolean): { value: number; bytes: number } {
  const length = Math.clz32(bytes[at] ?? 0) - 23
  if (length > 8 || at + length > limit) throw new RangeError('no number')
  let value = keepsMark ? bytes[at]! : bytes[at]! & (0xff >> length)
  for (let i = 1; i < length; i++) value = value * 256 + bytes[at + i]!
  return { value, bytes: length }
}

const readUnsigned = (bytes: Buffer, { start, end: limit }: MarkupElement) =>
  limit - start > 0 && limit - start <= 6 ? bytes.readUIntBE(start, limit - start) : 0
const readFloat = (bytes: Buffer, { start, end: limit }: MarkupElement) =>
  limit - start === 8 ? bytes.readDoubleBE(start) : limit - start === 4 ? bytes.readFloatBE(start) : 0

const WEBM_VIDEO = new Set(['V_AV1', 'V_VP9', 'V_VP8'])
const WEBM_AUDIO = new Set(['A_OPUS', 'A_VORBIS'])

/** Cleans a WebM of AV1, VP9 or VP8 by overwriting `bytes`; after a refusal they may be half overwritten. */
export function cleanWebm(bytes: Buffer): CleanedVideo {
  try {
    let dimensions: Dimensions | undefined
    let hasFrames = false
    const playedTracks = new Set<number>()
    for (const topElement of readElements(bytes, 0, bytes.length)) {
      if (topElement.id !== ELEMENT_ID.segment) continue
      for (const segmentElement of readElements(bytes, topElement.start, topElement.end)) {
        if (segmentElement.id === ELEMENT_ID.cluster) {
          hasFrames = segmentElement.end > segmentElement.start
          // Clusters of unknown length would be read as nested.
          break
        }
        if (segmentElement.id === ELEMENT_ID.info && readDurationSeconds(bytes, segmentElement) > MAX_VIDEO_SECONDS)
          return refuseVideo('largo')
        if (segmentElement.id !== ELEMENT_ID.tracks) continue
        for (const entry of readElements(bytes, segmentElement.start, segmentElement.end)) {
          if (entry.id !== ELEMENT_ID.entry) continue
          const children = [...readElements(bytes, entry.start, entry.end)]
          const childById = (id: number) => children.find((one) => one.id === id)
          const [codec, video, number, codecPrivate] = [
            ELEMENT_ID.codec,
            ELEMENT_ID.video,
            ELEMENT_ID.number,
            ELEMENT_ID.codecPrivate,
          ].map(childById)
          const name = codec ? bytes.toString('latin1', codec.start, codec.end).replace(/\0+$/, '') : ''
          if (!(video ? WEBM_VIDEO : WEBM_AUDIO).has(name) || childById(ELEMENT_ID.encodings))
            return refuseVideo('codec')
          if (video) dimensions ??= readDimensions(bytes, video)
          if (number) playedTracks.add(readUnsigned(bytes, number))
          if (name === 'A_VORBIS' && codecPrivate) clearVorbisComments(bytes, codecPrivate)
        }
      }
    }
    if (!dimensions || !hasFrames) return refuseVideo('ilegible')
    cleanElements(bytes, { start: 0, end: bytes.length }, playedTracks)
    return { ok: true, dimensions }
  } catch (error) {
    if (error instanceof RangeError) return refuseVideo('ilegible')
    throw error
  }
}

function cleanElements(
  bytes: Buffer,
  { start, end: limit }: Pick<MarkupElement, 'start' | 'end'>,
  playedTracks: ReadonlySet<number>,
): void {
  for (const one of readElements(bytes, start, limit)) {
    const isBlock = one.id === ELEMENT_ID.block || one.id === ELEMENT_ID.simple
    if (!KEPT_IDS.has(one.id) || (isBlock && !playedTracks.has(readVint(bytes, one.start, one.end, false).value)))
      blankElement(bytes, one)
    // These elements name the writing programs. They are mandatory, so only their text is cleared.
    else if (one.id === ELEMENT_ID.muxer || one.id === ELEMENT_ID.writer) bytes.fill(0, one.start, one.end)
    else if (MASTER_IDS.has(one.id)) cleanElements(bytes, one, playedTracks)
  }
}

/** Turns an element into a Void element of the same length. */
function blankElement(bytes: Buffer, { at, end: limit }: MarkupElement): void {
  const length = limit - at
  bytes.fill(0, at, limit)
  bytes[at] = ELEMENT_ID.void
  // The length field takes one byte, or eight.
  if (length <= 128) bytes[at + 1] = 0x80 | (length - 2)
  else {
    bytes[at + 1] = 0x01
    bytes.writeUIntBE(length - 9, at + 3, 6)
  }
}

/** Clears the comments in Vorbis' private codec data. @source Vorbis I, 5.2; RFC 9559 */
function clearVorbisComments(bytes: Buffer, { start, end: limit }: MarkupElement): void {
  let at = start + 1
  const lengths = [0, 0]
  for (const index of [0, 1]) {
    for (; bytes[at] === 255 && at < limit; at++) lengths[index]! += 255
    lengths[index]! += bytes[at++] ?? 0
  }
  const [first, length] = lengths as [number, number]
  const begin = at + first
  // The shortest comment header: signature, two lengths, framing bit.
  if (bytes[start] !== 2 || begin + length > limit || length < 16) throw new RangeError('no Vorbis')
  bytes.fill(0, begin + 7, begin + length)
  bytes.writeUInt32LE(length - 16, begin + 7)
  bytes[begin + length - 1] = 1
}

function readDimensions(bytes: Buffer, video: MarkupElement): Dimensions | undefined {
  const inside = [...readElements(bytes, video.start, video.end)]
  const [width, height] = [ELEMENT_ID.width, ELEMENT_ID.height].map((elementId) => {
    const element = inside.find(({ id }) => id === elementId)
    return element ? readUnsigned(bytes, element) : 0
  })
  return width && height ? { ancho: width, alto: height, vista: null } : undefined
}

function readDurationSeconds(bytes: Buffer, info: MarkupElement): number {
  const inside = [...readElements(bytes, info.start, info.end)]
  const scale = inside.find(({ id }) => id === ELEMENT_ID.scale)
  const duration = inside.find(({ id }) => id === ELEMENT_ID.duration)
  return duration ? (readFloat(bytes, duration) * (scale ? readUnsigned(bytes, scale) : 1_000_000)) / 1e9 : 0
}
