import { MAX_MINUTOS_DE_VIDEO, type Medidas, type MotivoDeArchivo } from './archivos.ts'

/** What a video says of itself: read box by box, nothing is decoded. */

type Visto = { ok: true; medidas: Medidas } | { ok: false; motivo: MotivoDeArchivo }

const no = (motivo: MotivoDeArchivo): Visto => ({ ok: false, motivo })
const MAX_SEGUNDOS = MAX_MINUTOS_DE_VIDEO * 60

/** A part of an MP4: its name and where its content stands. */
interface Caja {
  nombre: string
  desde: number
  hasta: number
}

/** The boxes of a part of a file. @throws RangeError where one reaches beyond it: it is cut off, or made up */
function* boxes(bytes: Buffer, desde: number, hasta: number): Generator<Caja> {
  for (let at = desde; at + 8 <= hasta; ) {
    const short = bytes.readUInt32BE(at)
    const header = short === 1 ? 16 : 8
    const size = short === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : short === 0 ? hasta - at : short
    if (size < header || at + size > hasta) throw new RangeError('a box beyond its end')
    yield { nombre: bytes.toString('latin1', at + 4, at + 8), desde: at + header, hasta: at + size }
    at += size
  }
}

function find(bytes: Buffer, { desde, hasta }: Caja, ...path: string[]): Caja | undefined {
  const [name, ...rest] = path
  for (const one of boxes(bytes, desde, hasta))
    if (one.nombre === name) return rest.length === 0 ? one : find(bytes, one, ...rest)
  return undefined
}

const HEVC = new Set(['hvc1', 'hev1', 'dvh1', 'dvhe'])
const H264 = new Set(['avc1', 'avc3'])
const AUDIO = new Set(['mp4a'])

/**
 * An MP4, or the same in the container of an iPhone (MOV), with H.264 and AAC: what every browser plays. What it says of
 * the place where it was taken is overwritten within `bytes`, box for box, so that nothing moves.
 */
export function openMp4(bytes: Buffer): Visto {
  try {
    const whole: Caja = { nombre: '', desde: 0, hasta: bytes.length }
    const moov = find(bytes, whole, 'moov')
    if (!moov || !find(bytes, whole, 'mdat')) return no('ilegible')
    const head = find(bytes, moov, 'mvhd')
    if (!head) return no('ilegible')
    if (secondsOf(bytes, head) > MAX_SEGUNDOS) return no('largo')
    let medidas: Medidas | undefined
    for (const trak of boxes(bytes, moov.desde, moov.hasta)) {
      if (trak.nombre !== 'trak') continue
      const hdlr = find(bytes, trak, 'mdia', 'hdlr')
      const stsd = find(bytes, trak, 'mdia', 'minf', 'stbl', 'stsd')
      const [kind, codec] = [hdlr && nameAt(bytes, hdlr.desde + 8), stsd && nameAt(bytes, stsd.desde + 12)]
      if (kind === 'vide') {
        if (codec !== undefined && HEVC.has(codec)) return no('hevc')
        if (codec === undefined || !H264.has(codec)) return no('codec')
        const tkhd = find(bytes, trak, 'tkhd')
        medidas ??= tkhd && sizeOf(bytes, tkhd)
      } else if (kind === 'soun' && (codec === undefined || !AUDIO.has(codec))) return no('codec')
    }
    if (!medidas) return no('ilegible')
    forget(bytes, moov)
    return { ok: true, medidas }
  } catch (error) {
    if (error instanceof RangeError) return no('ilegible')
    throw error
  }
}

const nameAt = (bytes: Buffer, at: number) => bytes.toString('latin1', at, at + 4)

function secondsOf(bytes: Buffer, { desde }: Caja): number {
  const isLong = bytes[desde] === 1
  const scale = bytes.readUInt32BE(desde + (isLong ? 20 : 12))
  const duration = isLong ? Number(bytes.readBigUInt64BE(desde + 24)) : bytes.readUInt32BE(desde + 16)
  // In pieces (MediaRecorder), it is not known beforehand.
  const isUnknown = duration === 0xffff_ffff || duration >= 2 ** 63
  return isUnknown || scale === 0 ? 0 : duration / scale
}

/** Pixels as it is shown: an upright video of a phone lies on its side in the file. */
function sizeOf(bytes: Buffer, { desde }: Caja): Medidas | undefined {
  const matrix = desde + (bytes[desde] === 1 ? 52 : 40)
  const [a, b] = [bytes.readInt32BE(matrix), bytes.readInt32BE(matrix + 4)]
  const [width, height] = [bytes.readUInt32BE(matrix + 36) >>> 16, bytes.readUInt32BE(matrix + 40) >>> 16]
  if (width === 0 || height === 0) return undefined
  return a === 0 && b !== 0 ? { ancho: height, alto: width, vista: null } : { ancho: width, alto: height, vista: null }
}

/** Boxes in which phones write who, where and when. */
const DE_QUIEN = new Set(['udta', 'meta', 'uuid'])

function forget(bytes: Buffer, moov: Caja): void {
  for (const one of boxes(bytes, moov.desde, moov.hasta)) {
    if (one.nombre === 'trak') forget(bytes, one)
    if (!DE_QUIEN.has(one.nombre)) continue
    bytes.write('free', one.desde - 4, 'latin1')
    bytes.fill(0, one.desde, one.hasta)
  }
}

const [EBML_SEGMENT, EBML_INFO, EBML_TRACKS, EBML_ENTRY, EBML_CLUSTER] = [
  0x18538067, 0x1549a966, 0x1654ae6b, 0xae, 0x1f43b675,
]
const [EBML_CODEC, EBML_VIDEO, EBML_WIDTH, EBML_HEIGHT] = [0x86, 0xe0, 0xb0, 0xba]
const [EBML_SCALE, EBML_DURATION] = [0x2ad7b1, 0x4489]

interface Elemento {
  id: number
  desde: number
  hasta: number
}

/** The elements of a part of a WebM. One without a length reaches to the end. @throws RangeError where one reaches beyond it */
function* elements(bytes: Buffer, desde: number, hasta: number): Generator<Elemento> {
  for (let at = desde; at < hasta; ) {
    const id = vint(bytes, at, hasta, true)
    const size = vint(bytes, at + id.bytes, hasta, false)
    const begin = at + id.bytes + size.bytes
    const isOpen = size.value === 2 ** (7 * size.bytes) - 1
    const end = isOpen ? hasta : begin + size.value
    if (end > hasta) throw new RangeError('an element beyond its end')
    yield { id: id.value, desde: begin, hasta: end }
    at = end
  }
}

function vint(bytes: Buffer, at: number, hasta: number, keepsMark: boolean): { value: number; bytes: number } {
  const length = Math.clz32(bytes[at] ?? 0) - 23
  if (length > 8 || at + length > hasta) throw new RangeError('no number')
  let value = keepsMark ? bytes[at]! : bytes[at]! & (0xff >> length)
  for (let i = 1; i < length; i++) value = value * 256 + bytes[at + i]!
  return { value, bytes: length }
}

const numberOf = (bytes: Buffer, { desde, hasta }: Elemento) =>
  hasta - desde > 0 && hasta - desde <= 6 ? bytes.readUIntBE(desde, hasta - desde) : 0
const floatOf = (bytes: Buffer, { desde, hasta }: Elemento) =>
  hasta - desde === 8 ? bytes.readDoubleBE(desde) : hasta - desde === 4 ? bytes.readFloatBE(desde) : 0

const WEBM_VIDEO = new Set(['V_AV1', 'V_VP9', 'V_VP8'])
const WEBM_AUDIO = new Set(['A_OPUS', 'A_VORBIS'])

/** A WebM of AV1 or VP9. */
export function openWebm(bytes: Buffer): Visto {
  try {
    let medidas: Medidas | undefined
    let isFilmed = false
    for (const top of elements(bytes, 0, bytes.length)) {
      if (top.id !== EBML_SEGMENT) continue
      for (const part of elements(bytes, top.desde, top.hasta)) {
        if (part.id === EBML_CLUSTER) {
          isFilmed = part.hasta > part.desde
          // Pieces of a film without lengths stand within one another.
          break
        }
        if (part.id === EBML_INFO && webmSeconds(bytes, part) > MAX_SEGUNDOS) return no('largo')
        if (part.id !== EBML_TRACKS) continue
        for (const entry of elements(bytes, part.desde, part.hasta)) {
          if (entry.id !== EBML_ENTRY) continue
          const inside = [...elements(bytes, entry.desde, entry.hasta)]
          const codec = inside.find(({ id }) => id === EBML_CODEC)
          const name = codec ? bytes.toString('latin1', codec.desde, codec.hasta).replace(/\0+$/, '') : ''
          const video = inside.find(({ id }) => id === EBML_VIDEO)
          if (!(video ? WEBM_VIDEO : WEBM_AUDIO).has(name)) return no('codec')
          if (video) medidas ??= webmSize(bytes, video)
        }
      }
    }
    return medidas && isFilmed ? { ok: true, medidas } : no('ilegible')
  } catch (error) {
    if (error instanceof RangeError) return no('ilegible')
    throw error
  }
}

function webmSize(bytes: Buffer, video: Elemento): Medidas | undefined {
  const inside = [...elements(bytes, video.desde, video.hasta)]
  const [ancho, alto] = [EBML_WIDTH, EBML_HEIGHT].map((wanted) => {
    const found = inside.find(({ id }) => id === wanted)
    return found ? numberOf(bytes, found) : 0
  })
  return ancho && alto ? { ancho, alto, vista: null } : undefined
}

function webmSeconds(bytes: Buffer, info: Elemento): number {
  const inside = [...elements(bytes, info.desde, info.hasta)]
  const scale = inside.find(({ id }) => id === EBML_SCALE)
  const duration = inside.find(({ id }) => id === EBML_DURATION)
  return duration ? (floatOf(bytes, duration) * (scale ? numberOf(bytes, scale) : 1_000_000)) / 1e9 : 0
}
