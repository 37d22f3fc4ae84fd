import { type FileRefusal, MAX_VIDEO_MINUTES, type MediaDimensions } from '#app/cms/media/file-rules.ts'

export type CleanedVideo = { ok: true; dimensions: MediaDimensions } | { ok: false; reason: FileRefusal }

export const videoRefusal = (reason: FileRefusal): CleanedVideo => ({ ok: false, reason })
export const MAX_VIDEO_SECONDS = MAX_VIDEO_MINUTES * 60

/** A box of an MP4, from `offset` to before `end`; its content begins at `start`. */
interface Box {
  name: string
  offset: number
  start: number
  end: number
}

/** Lists the boxes of a range, and then clears the bytes after the last one. @throws RangeError for a box of impossible size */
export function* readBoxes(bytes: Buffer, startOffset: number, limit: number): Generator<Box> {
  let offset = startOffset
  while (offset + 8 <= limit) {
    const shortSize = bytes.readUInt32BE(offset)
    const headerBytes = shortSize === 1 ? 16 : 8
    const size =
      shortSize === 1 ? Number(bytes.readBigUInt64BE(offset + 8)) : shortSize === 0 ? limit - offset : shortSize
    if (size < headerBytes || offset + size > limit) throw new RangeError('a box ends beyond its parent')
    yield {
      name: bytes.toString('latin1', offset + 4, offset + 8),
      offset,
      start: offset + headerBytes,
      end: offset + size,
    }
    offset += size
  }
  // QuickTime ends some lists of boxes with a zero.
  bytes.fill(0, offset, limit)
}

function findBox(bytes: Buffer, { start, end: limit }: Pick<Box, 'start' | 'end'>, ...path: string[]): Box | undefined {
  const [name, ...rest] = path
  for (const box of readBoxes(bytes, start, limit))
    if (box.name === name) return rest.length === 0 ? box : findBox(bytes, box, ...rest)
  return undefined
}

const HEVC_CODECS = new Set(['hvc1', 'hev1', 'dvh1', 'dvhe'])
const PLAYABLE_CODECS: Readonly<Record<string, ReadonlySet<string>>> = {
  vide: new Set(['avc1', 'avc3']),
  soun: new Set(['mp4a']),
}

interface Track extends Box {
  kind: string
  codecs: string[]
}

/**
 * Cleans an MP4, or an iPhone's MOV, with H.264 and AAC, which every browser plays, without decoding it. One video track and at most
 * one audio track stay; metadata about author, place and time go. Boxes that playback does not need are overwritten in place, so that
 * no offset changes. After a refusal `bytes` may be partly overwritten.
 */
export function cleanMp4(bytes: Buffer): CleanedVideo {
  try {
    const file = { start: 0, end: bytes.length }
    const moov = findBox(bytes, file, 'moov')
    if (!moov || !findBox(bytes, file, 'mdat')) return videoRefusal('ilegible')
    const movieHeader = findBox(bytes, moov, 'mvhd')
    if (!movieHeader) return videoRefusal('ilegible')
    if (secondsOf(bytes, movieHeader) > MAX_VIDEO_SECONDS) return videoRefusal('largo')
    const tracks = [...readBoxes(bytes, moov.start, moov.end)]
      .filter(({ name }) => name === 'trak')
      .map((trak) => trackOf(bytes, trak))
    const playableTrack = (trackKind: string) =>
      tracks.find(
        ({ kind, codecs }) => kind === trackKind && codecs.every((codec) => PLAYABLE_CODECS[trackKind]!.has(codec)),
      )
    const [videoTrack, audioTrack] = [playableTrack('vide'), playableTrack('soun')]
    if (!videoTrack) {
      const videoTracks = tracks.filter(({ kind }) => kind === 'vide')
      if (videoTracks.length === 0) return videoRefusal('ilegible')
      return videoRefusal(
        videoTracks.some(({ codecs }) => codecs.some((codec) => HEVC_CODECS.has(codec))) ? 'hevc' : 'codec',
      )
    }
    if (!audioTrack && tracks.some(({ kind }) => kind === 'soun')) return videoRefusal('codec')
    const tkhd = findBox(bytes, videoTrack, 'tkhd')
    const dimensions = tkhd && sizeOf(bytes, tkhd)
    if (!dimensions) return videoRefusal('ilegible')
    keepOnlyTracks(bytes, moov, [videoTrack, ...(audioTrack ? [audioTrack] : [])])
    return { ok: true, dimensions }
  } catch (error) {
    if (error instanceof RangeError) return videoRefusal('ilegible')
    throw error
  }
}

function trackOf(bytes: Buffer, trak: Box): Track {
  const hdlr = findBox(bytes, trak, 'mdia', 'hdlr')
  const stsd = findBox(bytes, trak, 'mdia', 'minf', 'stbl', 'stsd')
  const codecs = stsd ? [...readBoxes(bytes, stsd.start + 8, stsd.end)].map(({ name }) => name) : []
  return { ...trak, kind: hdlr ? fourCcAt(bytes, hdlr.start + 8) : '', codecs: codecs.length > 0 ? codecs : [''] }
}

const fourCcAt = (bytes: Buffer, offset: number) => bytes.toString('latin1', offset, offset + 4)

function secondsOf(bytes: Buffer, { start }: Box): number {
  const isLong = bytes[start] === 1
  const scale = bytes.readUInt32BE(start + (isLong ? 20 : 12))
  const duration = isLong ? Number(bytes.readBigUInt64BE(start + 24)) : bytes.readUInt32BE(start + 16)
  // A fragmented file (MediaRecorder) does not state its duration, which then counts as 0.
  const isUnknown = duration === 0xffff_ffff || duration >= 2 ** 63
  return isUnknown || scale === 0 ? 0 : duration / scale
}

/** Returns the displayed size in pixels, undefined without a size; phones store an upright video rotated. */
function sizeOf(bytes: Buffer, { start }: Box): MediaDimensions | undefined {
  const matrixOffset = start + (bytes[start] === 1 ? 52 : 40)
  const [a, b] = [bytes.readInt32BE(matrixOffset), bytes.readInt32BE(matrixOffset + 4)]
  const [width, height] = [bytes.readUInt32BE(matrixOffset + 36) >>> 16, bytes.readUInt32BE(matrixOffset + 40) >>> 16]
  if (width === 0 || height === 0) return undefined
  return a === 0 && b !== 0 ? { ancho: height, alto: width, vista: null } : { ancho: width, alto: height, vista: null }
}

/** Boxes that playback needs, by parent box. @source ISO/IEC 14496-12, QuickTime File Format */
const KEPT_BOXES: Readonly<Record<string, ReadonlySet<string>>> = {
  file: new Set(['ftyp', 'styp', 'moov', 'moof', 'mdat', 'sidx']),
  moov: new Set(['mvhd', 'trak', 'mvex']),
  mvex: new Set(['mehd', 'trex']),
  trak: new Set(['tkhd', 'edts', 'mdia']),
  edts: new Set(['elst']),
  mdia: new Set(['mdhd', 'hdlr', 'minf']),
  minf: new Set(['vmhd', 'smhd', 'hdlr', 'dinf', 'stbl']),
  dinf: new Set(['dref']),
  stbl: new Set('stsd stts stss stps ctts cslg stsc stsz stco co64 sdtp sgpd sbgp'.split(' ')),
  avc1: new Set(['avcC', 'pasp', 'colr', 'clap', 'fiel', 'btrt']),
  mp4a: new Set(['esds', 'wave', 'chan', 'btrt']),
  wave: new Set(['frma', 'mp4a', 'esds']),
  moof: new Set(['mfhd', 'traf']),
  traf: new Set(['tfhd', 'tfdt', 'trun', 'sdtp', 'sgpd', 'sbgp']),
}

/** Offset of the inner boxes, in bytes, in a video track's sample description; in an audio track's, by the version of the description. */
const VIDEO_BOXES_OFFSET = 78
const AUDIO_BOXES_OFFSETS = [28, 44, 64]

/** Blanks all boxes and clears all media data that the played tracks do not need. */
function keepOnlyTracks(bytes: Buffer, moov: Box, playedTracks: readonly Track[]): void {
  const mediaBoxes: Box[] = []
  const fragments: Box[] = []
  for (const box of readBoxes(bytes, 0, bytes.length)) {
    if (!KEPT_BOXES.file!.has(box.name) || (box.name === 'moov' && box.offset !== moov.offset)) blankBox(bytes, box)
    else if (box.name === 'mdat') mediaBoxes.push(box)
    else if (box.name === 'moof') fragments.push(box)
  }
  for (const box of readBoxes(bytes, moov.start, moov.end))
    if (box.name === 'trak' && !playedTracks.some(({ offset }) => offset === box.offset)) blankBox(bytes, box)
  const trackById = new Map(playedTracks.map((track) => [trackIdOf(bytes, findBox(bytes, track, 'tkhd')!), track]))
  const sampleSpans = [
    ...playedTracks.flatMap((track) => chunkSpansOf(bytes, track).map((span) => ({ track, span }))),
    ...fragments.flatMap((moof) => fragmentSpansOf(bytes, moof, moov, trackById)),
  ].sort((a, b) => a.span[0] - b.span[0])
  for (const { track, span } of sampleSpans) if (track.kind === 'vide') replaceUserData(bytes, track, span)
  cleanBox(bytes, moov)
  for (const moof of fragments) cleanBox(bytes, moof)
  // Media data outside the samples is cleared: gaps, or positions that a camera recorded.
  for (const { start, end: limit } of mediaBoxes) {
    let offset = start
    for (const { span } of sampleSpans) {
      const [begin, end] = span
      if (end <= offset || begin >= limit) continue
      if (begin > offset) bytes.fill(0, offset, begin)
      offset = Math.min(end, limit)
    }
    bytes.fill(0, offset, limit)
  }
}

/** Turns a box into an empty `free` box. */
export function blankBox(bytes: Buffer, { offset, start, end: limit }: Box): void {
  bytes.write('free', offset + 4, 'latin1')
  bytes.fill(0, start, limit)
}

/** Blanks the boxes within a box that playback does not need, and clears metadata in the others. */
function cleanBox(bytes: Buffer, { name, start, end: limit }: Box): void {
  for (const box of readBoxes(bytes, start, limit)) {
    if (!KEPT_BOXES[name]!.has(box.name)) blankBox(bytes, box)
    else if (box.name === 'stsd') clearSampleDescriptions(bytes, box)
    else if (box.name === 'dref') clearDataReferences(bytes, box)
    // The handler's name may contain the camera's.
    else if (box.name === 'hdlr') bytes.fill(0, box.start + 12, box.end)
    else if (['mvhd', 'tkhd', 'mdhd'].includes(box.name))
      bytes.fill(0, box.start + 4, box.start + (bytes[box.start] === 1 ? 20 : 12))
    else if (KEPT_BOXES[box.name]) cleanBox(bytes, box)
  }
}

function clearSampleDescriptions(bytes: Buffer, { start, end: limit }: Box): void {
  for (const box of readBoxes(bytes, start + 8, limit)) {
    const isSound = PLAYABLE_CODECS.soun!.has(box.name)
    const innerStart =
      box.start + (isSound ? (AUDIO_BOXES_OFFSETS[bytes.readUInt16BE(box.start + 8)] ?? 28) : VIDEO_BOXES_OFFSET)
    // Clears the vendor and the compressor's name.
    if (isSound) bytes.fill(0, box.start + 10, box.start + 16)
    else {
      bytes.fill(0, box.start + 8, box.start + 24)
      bytes.fill(0, box.start + 42, box.start + 74)
    }
    if (innerStart < box.end) cleanBox(bytes, { ...box, name: isSound ? 'mp4a' : 'avc1', start: innerStart })
  }
}

/** Clears the locations of a track's media data. @throws RangeError for media data in another file */
function clearDataReferences(bytes: Buffer, { start, end: limit }: Box): void {
  for (const box of readBoxes(bytes, start + 8, limit)) {
    if ((bytes[box.start + 3]! & 1) === 0) throw new RangeError('media data in another file')
    bytes.fill(0, box.start + 4, box.end)
  }
}

type Span = [begin: number, end: number]
interface TrackSpan {
  track: Track
  span: Span
}

/** Returns the ranges of a track's chunks of samples; none without sample tables. @throws RangeError @source ISO/IEC 14496-12 8.7 */
function chunkSpansOf(bytes: Buffer, track: Box): Span[] {
  const stbl = findBox(bytes, track, 'mdia', 'minf', 'stbl')
  const [stsc, stsz, stco, co64] = ['stsc', 'stsz', 'stco', 'co64'].map((name) => stbl && findBox(bytes, stbl, name))
  const offsets = stco ?? co64
  if (stbl && findBox(bytes, stbl, 'stz2')) throw new RangeError('compact sample sizes, which no camera writes')
  if (!stsc || !stsz || !offsets) return []
  const commonSampleSize = bytes.readUInt32BE(stsz.start + 4)
  const sampleCount = bytes.readUInt32BE(stsz.start + 8)
  const chunkCount = bytes.readUInt32BE(offsets.start + 4)
  const groupCount = bytes.readUInt32BE(stsc.start + 4)
  const spans: Span[] = []
  let sample = 0
  let group = 0
  for (let chunk = 0; chunk < chunkCount && sample < sampleCount; chunk++) {
    while (group + 1 < groupCount && bytes.readUInt32BE(stsc.start + 8 + 12 * (group + 1)) <= chunk + 1) group++
    const samplesInChunk = Math.min(bytes.readUInt32BE(stsc.start + 12 + 12 * group), sampleCount - sample)
    const begin = stco
      ? bytes.readUInt32BE(offsets.start + 8 + 4 * chunk)
      : Number(bytes.readBigUInt64BE(offsets.start + 8 + 8 * chunk))
    let length = commonSampleSize * samplesInChunk
    if (commonSampleSize === 0)
      for (let index = 0; index < samplesInChunk; index++)
        length += bytes.readUInt32BE(stsz.start + 12 + 4 * (sample + index))
    sample += samplesInChunk
    spans.push([begin, begin + length])
  }
  return spans
}

/** NAL unit types of H.264. @source ITU-T H.264 table 7-1 */
const [SEI_MESSAGE, FILLER_DATA] = [6, 12]
/** Types of SEI payloads with user data of a camera or a program. @source ITU-T H.264 D.1 */
const USER_DATA_TYPES = new Set([4, 5])

/** Replaces SEI messages with user data by filler data. @throws RangeError for a NAL unit that ends beyond its chunk */
function replaceUserData(bytes: Buffer, track: Track, [begin, end]: Span): void {
  const stsd = findBox(bytes, track, 'mdia', 'minf', 'stbl', 'stsd')!
  const [entry] = readBoxes(bytes, stsd.start + 8, stsd.end)
  const avcC = entry && findBox(bytes, { start: entry.start + VIDEO_BOXES_OFFSET, end: entry.end }, 'avcC')
  if (!avcC) return
  const lengthBytes = (bytes[avcC.start + 4]! & 3) + 1
  for (let offset = begin; offset + lengthBytes < end; ) {
    const unitStart = offset + lengthBytes
    offset = unitStart + bytes.readUIntBE(offset, lengthBytes)
    if (offset > end) throw new RangeError('a NAL unit ends beyond its chunk')
    if ((bytes[unitStart]! & 31) !== SEI_MESSAGE || !hasUserData(bytes.subarray(unitStart + 1, offset))) continue
    bytes[unitStart] = FILLER_DATA
    bytes.fill(0xff, unitStart + 1, offset - 1)
    bytes[offset - 1] = 0x80
  }
}

/** Returns whether an SEI message has user data. @param escaped bytes of the message with emulation prevention bytes */
function hasUserData(escaped: Buffer): boolean {
  const payload = escaped.filter(
    (value, index) => value !== 3 || index < 2 || escaped[index - 1] !== 0 || escaped[index - 2] !== 0,
  )
  const readPayloadValue = (offset: number) => {
    let value = 0
    for (; payload[offset] === 255; offset++) value += 255
    return { value: value + (payload[offset] ?? 0), next: offset + 1 }
  }
  // The last byte has the trailing bits of the NAL unit.
  for (let offset = 0; offset + 1 < payload.length; ) {
    const payloadType = readPayloadValue(offset)
    if (USER_DATA_TYPES.has(payloadType.value)) return true
    const payloadSize = readPayloadValue(payloadType.next)
    offset = payloadSize.next + payloadSize.value
  }
  return false
}

const trackIdOf = (bytes: Buffer, { start }: Box) => bytes.readUInt32BE(start + (bytes[start] === 1 ? 20 : 12))

/**
 * Returns the ranges of the played tracks' samples in a fragment, and blanks the fragments of other tracks.
 * @throws RangeError for a track fragment without header @source ISO/IEC 14496-12 8.8
 */
function fragmentSpansOf(bytes: Buffer, moof: Box, moov: Box, trackById: ReadonlyMap<number, Track>): TrackSpan[] {
  const spans: TrackSpan[] = []
  let nextBase = moof.offset
  for (const traf of [...readBoxes(bytes, moof.start, moof.end)].filter(({ name }) => name === 'traf')) {
    const tfhd = findBox(bytes, traf, 'tfhd')
    if (!tfhd) throw new RangeError('a track fragment without header')
    const flags = bytes.readUIntBE(tfhd.start + 1, 3)
    const id = bytes.readUInt32BE(tfhd.start + 4)
    let offset = tfhd.start + 8
    const readOptionalField = (flag: number, size: number) => {
      if ((flags & flag) === 0) return undefined
      offset += size
      return size === 8 ? Number(bytes.readBigUInt64BE(offset - 8)) : bytes.readUInt32BE(offset - 4)
    }
    const base = readOptionalField(0x1, 8) ?? (flags & 0x20000 ? moof.offset : nextBase)
    readOptionalField(0x2, 4)
    readOptionalField(0x8, 4)
    const defaultSize = readOptionalField(0x10, 4) ?? defaultSizeOf(bytes, moov, id)
    const trackSpans: Span[] = []
    let begin = base
    for (const run of [...readBoxes(bytes, traf.start, traf.end)].filter(({ name }) => name === 'trun')) {
      const [runFlags, count] = [bytes.readUIntBE(run.start + 1, 3), bytes.readUInt32BE(run.start + 4)]
      if (runFlags & 0x1) begin = base + bytes.readInt32BE(run.start + 8)
      const firstEntry = run.start + 8 + (runFlags & 0x1 ? 4 : 0) + (runFlags & 0x4 ? 4 : 0)
      const entryBytes = [0x100, 0x200, 0x400, 0x800].filter((flag) => runFlags & flag).length * 4
      const sizeOffset = runFlags & 0x100 ? 4 : 0
      let length = runFlags & 0x200 ? 0 : defaultSize * count
      if (runFlags & 0x200)
        for (let sample = 0; sample < count; sample++)
          length += bytes.readUInt32BE(firstEntry + entryBytes * sample + sizeOffset)
      trackSpans.push([begin, begin + length])
      begin += length
    }
    nextBase = begin
    const track = trackById.get(id)
    if (track) spans.push(...trackSpans.map((span) => ({ track, span })))
    else blankBox(bytes, traf)
  }
  return spans
}

function defaultSizeOf(bytes: Buffer, moov: Box, id: number): number {
  const mvex = findBox(bytes, moov, 'mvex')
  for (const box of mvex ? readBoxes(bytes, mvex.start, mvex.end) : [])
    if (box.name === 'trex' && bytes.readUInt32BE(box.start + 4) === id) return bytes.readUInt32BE(box.start + 16)
  return 0
}
