import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { cleanMp4 } from './mp4.server.ts'
import { cleanWebm } from './webm.server.ts'

const text = (value: string) => Buffer.from(value, 'latin1')
const u32 = (...values: number[]) => {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, at * 4)
  return bytes
}
const box = (name: string, ...inside: Buffer[]) => {
  const data = Buffer.concat(inside)
  return Buffer.concat([u32(data.length + 8), text(name), data])
}
/** A box whose length takes eight bytes. */
const longBox = (name: string, data: Buffer) => Buffer.concat([u32(1), text(name), u32(0, data.length + 16), data])
/** Metadata that has to be removed. */
const SECRET = '+20.6736-103.3440/ SECRETO'
const secret = text(SECRET)
const isTold = (bytes: Buffer) => /20\.6736|SECRETO|GoPro|Lupita/.test(bytes.toString('latin1'))

/** NAL units of H.264: SEI user data, another SEI message, a picture. */
const nal = (...parts: Buffer[]) => {
  const data = Buffer.concat(parts)
  return Buffer.concat([u32(data.length), data])
}
const MESSAGE = nal(text('\x06\x05'), Buffer.of(16 + secret.length), Buffer.alloc(16, 1), secret, Buffer.of(0x80))
const RECOVERY = nal(Buffer.of(6, 6, 1, 0xc4, 0x80))
const SLICE = nal(Buffer.of(0x65), text('una fotografía de la película'))
const PICTURE = Buffer.concat([MESSAGE, RECOVERY, SLICE])
const SOUND = text('un sonido de la película')

interface TestTrack {
  id: number
  kind: string
  description: Buffer
  tables?: Buffer[]
}
const track = ({ id, kind, description, tables = [] }: TestTrack) =>
  box(
    'trak',
    box(
      'tkhd',
      u32(7, 0xd0000001, 0xd0000002, id, 0, 9, 0, 0, 0, 0),
      u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000),
      u32(640 << 16, 480 << 16),
    ),
    box('tref', box('cdsc', u32(1))),
    box('udta', box('\xa9xyz', secret)),
    box(
      'mdia',
      box('mdhd', u32(0, 0xd0000001, 0xd0000002, 1000, 9, 0)),
      box('hdlr', u32(0, 0), text(kind), text('GoPr'), u32(0, 0), text('GoPro AVC, de Lupita')),
      box(
        'minf',
        box('dinf', box('dref', u32(0, 1), box('alis', u32(1), secret))),
        box('stbl', box('stsd', u32(0, 1), description), ...tables),
      ),
    ),
  )
const picture = box(
  'avc1',
  Buffer.alloc(8),
  Buffer.alloc(16, 0),
  Buffer.alloc(18),
  Buffer.concat([Buffer.of(18), text('GoPro AVC encoder')]),
  Buffer.alloc(18),
  box('avcC', Buffer.of(1, 100, 0, 31, 0xff, 0xe0, 0)),
  box('uuid', secret),
)
const sound = box('mp4a', Buffer.alloc(12), text('GoPr'), Buffer.alloc(12), box('esds', u32(0)), box('meta', secret))
const telemetry = box('gpmd', Buffer.alloc(8), secret)
const tables = (
  at: number,
  size: number,
  offset: (at: number) => Buffer = (value) => box('stco', u32(0, 1, value)),
) => [
  box('stts', u32(0, 1, 1, 9)),
  box('stsc', u32(0, 1, 1, 1, 1)),
  box('stsz', u32(0, 0, 1, size)),
  offset(at),
  box('senc', secret),
]
const head = box('mvhd', u32(0, 0xd0000001, 0xd0000002, 1000, 9000), Buffer.alloc(80))
const about = [
  box('uuid', Buffer.alloc(16, 9), text('<x:xmpmeta>'), secret),
  box('meta', secret),
  box('free', secret),
  box('skip', secret),
]

/** A video as action cameras write it: video, audio, and a track of places. */
function filmed(): { film: Buffer; picture: Buffer } {
  const begin = Buffer.concat([box('ftyp', text('mp41\0\0\0\0mp41')), ...about])
  const inside = [secret, PICTURE, secret, SOUND, text('GPMD'), secret]
  const starts = inside.map((_, at) => begin.length + 8 + inside.slice(0, at).reduce((sum, one) => sum + one.length, 0))
  const moov = box(
    'moov',
    head,
    track({ id: 1, kind: 'vide', description: picture, tables: tables(starts[1]!, PICTURE.length) }),
    track({
      id: 2,
      kind: 'soun',
      description: sound,
      tables: tables(starts[3]!, SOUND.length, (at) => box('co64', u32(0, 1, 0, at))),
    }),
    track({ id: 3, kind: 'meta', description: telemetry, tables: tables(starts[4]!, 4 + secret.length) }),
    track({ id: 4, kind: 'tmcd', description: box('tmcd', secret) }),
    track({ id: 5, kind: 'vide', description: box('jpeg', secret) }),
    box('udta', box('GPMF', secret)),
    longBox('meta', secret),
  )
  return {
    film: Buffer.concat([begin, box('mdat', ...inside), moov, longBox('uuid', secret), text('Lupita')]),
    picture: PICTURE,
  }
}

test('of an MP4 only playback data stays: no box, track or unused byte tells the author, place or time', () => {
  const { film } = filmed()
  const before = film.length
  expect(isTold(film)).toBe(true)
  expect(cleanMp4(film)).toMatchObject({ ok: true, dimensions: { ancho: 640, alto: 480 } })
  expect(film.length).toBe(before)
  expect(isTold(film)).toBe(false)
  for (const kept of [RECOVERY, SLICE, SOUND]) expect(film.includes(kept)).toBe(true)
  expect(film.includes(u32(0xd0000001)) || film.includes(u32(0xd0000002))).toBe(false)
  expect(film.toString('latin1').match(/trak/g)).toHaveLength(2)
})

test('of a fragmented MP4 only playback data stays', () => {
  const piece = (id: number, data: Buffer, before: number) =>
    box(
      'moof',
      box('mfhd', u32(0, 1)),
      box('uuid', secret),
      box(
        'traf',
        box('tfhd', u32(0x020000, id)),
        box('trun', u32(0x201, 1, before + 100, data.length)),
        box('senc', secret),
      ),
    )
  const both = (id: number, data: Buffer) => {
    // Other bytes stand between the header of the next box and its samples.
    const length = piece(id, data, 0).length
    return [piece(id, data, length + 8 + secret.length - 100), box('mdat', secret, data)]
  }
  const film = Buffer.concat([
    box('ftyp', text('iso5\0\0\0\0iso5')),
    box(
      'moov',
      head,
      track({ id: 1, kind: 'vide', description: picture }),
      track({ id: 3, kind: 'meta', description: telemetry }),
      box('mvex', box('trex', u32(0, 1, 1, 0, 0, 0))),
    ),
    ...both(1, PICTURE),
    ...both(3, text(`GPMD${SECRET}`)),
    ...both(1, SLICE),
  ])
  expect(cleanMp4(film)).toMatchObject({ ok: true })
  expect(isTold(film)).toBe(false)
  expect(film.toString('latin1').split(SLICE.toString('latin1'))).toHaveLength(3)
  expect(film.toString('latin1').match(/traf/g)).toHaveLength(2)
})

test('an MP4 with its media data in another file is refused', () => {
  const elsewhere = Buffer.from(filmed().film)
  elsewhere.writeUInt32BE(0, elsewhere.indexOf('alis') + 4)
  expect(cleanMp4(elsewhere)).toEqual({ ok: false, reason: 'ilegible' })
})

const vint = (value: number) => Buffer.concat([Buffer.of(0x08), u32(value)])
const element = (id: string, ...inside: Buffer[]) => {
  const data = Buffer.concat(inside)
  return Buffer.concat([Buffer.from(id, 'hex'), vint(data.length), data])
}
const number = (id: string, value: number) => element(id, Buffer.of(value >> 8, value & 255))
const vorbis = () => {
  const comments = Buffer.concat([
    text('\x03vorbis'),
    Buffer.of(4, 0, 0, 0),
    text('Lavf'),
    Buffer.of(1, 0, 0, 0),
    Buffer.of(secret.length, 0, 0, 0),
    secret,
    Buffer.of(1),
  ])
  return Buffer.concat([Buffer.of(2, 7, comments.length), text('\x01vorbis'), comments, text('\x05vorbis')])
}

test('a WebM loses its title, programs, tags, attachments and blocks without a track', () => {
  const film = Buffer.concat([
    element('1a45dfa3', element('4282', text('webm'))),
    element(
      '18538067',
      element(
        '1549a966',
        element('2ad7b1', Buffer.of(15, 66, 64)),
        element('7ba9', secret),
        element('4461', secret),
        element('4d80', text('GoPro')),
        element('5741', secret),
      ),
      element(
        '1654ae6b',
        element(
          'ae',
          number('d7', 1),
          element('536e', secret),
          element('86', text('V_VP9')),
          element('e0', number('b0', 640), number('ba', 480)),
        ),
        element(
          'ae',
          number('d7', 2),
          element('86', text('A_VORBIS')),
          element('63a2', vorbis()),
          element('e1', element('b5', Buffer.alloc(4))),
        ),
      ),
      element('ec', secret),
      element('1254c367', element('7373', secret, Buffer.alloc(300, 65))),
      element('1941a469', secret),
      element('1043a770', secret),
      element(
        '1f43b675',
        element('e7', Buffer.of(0)),
        element('a3', Buffer.of(0x81, 0, 0, 0x80), text('una imagen')),
        element('a3', Buffer.of(0x83, 0, 0, 0x80), secret),
        element('a0', element('a1', Buffer.of(0x82, 0, 0, 0), text('un sonido')), element('75a1', secret)),
        element('bf', secret),
      ),
    ),
  ])
  const before = film.length
  expect(cleanWebm(film)).toMatchObject({ ok: true, dimensions: { ancho: 640, alto: 480 } })
  expect(film.length).toBe(before)
  expect(isTold(film)).toBe(false)
  expect(film.toString('latin1')).toMatch(/una imagen.*un sonido/s)
  // The cleaned file is well-formed: it can be cleaned again, without a change.
  const again = Buffer.from(film)
  expect(cleanWebm(again)).toMatchObject({ ok: true })
  expect(again.equals(film)).toBe(true)
})

test('cleaning a clean video changes nothing', async () => {
  for (const [name, opens] of [
    ['mp4', cleanMp4],
    ['webm', cleanWebm],
  ] as const) {
    const film = await readFile(`content/2025/inicio/fondo-vertical.${name}`)
    opens(film)
    const again = Buffer.from(film)
    expect(opens(again)).toMatchObject({ ok: true })
    expect([name, again.equals(film)]).toEqual([name, true])
  }
})
