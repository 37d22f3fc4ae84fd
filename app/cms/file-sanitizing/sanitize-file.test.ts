// Longer than 350 lines: all kinds of files, with the bytes of each.
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FileKind, FileRefusal, SanitizeOutcome } from '#app/cms/media/file-rules.ts'
import { messageForFile } from '#app/cms/media/file-rules.ts'
import { runInSandbox } from '#app/core/process/sandbox.server.ts'
import { withProfile } from '#app/core/uploads/picture-decoder.server.ts'
import { sanitizeFile } from './sanitize-file.server.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apertura-'))
})
afterAll(() => rm(folder, { recursive: true }))

let files = 0
/** Sanitizes bytes as the site does, in the process apart. */
async function openApart(
  kind: FileKind,
  bytes: Uint8Array,
): Promise<SanitizeOutcome & { bytes?: Buffer; ended?: true }> {
  const [given, clean] = [join(folder, `${++files}`), join(folder, `${files}.limpio`)]
  await writeFile(given, bytes)
  const { output, outcome } = await runInSandbox('app/cms/file-sanitizing/sanitize-file.process.ts', undefined, [
    kind,
    given,
    clean,
  ])
  if (outcome !== 'done') return { ok: false, reason: 'grande', ended: true }
  const opened = JSON.parse(output.toString()) as SanitizeOutcome
  return opened.ok ? { ...opened, bytes: await readFile(clean) } : opened
}
/** Sanitizes bytes in this process, for files that need little memory. */
async function open(kind: FileKind, given: Uint8Array): Promise<SanitizeOutcome & { bytes?: Buffer }> {
  const file = join(folder, String(++files))
  await writeFile(file, given)
  const { bytes, ...opened } = await sanitizeFile(kind, file)
  return bytes ? { ...opened, bytes: Buffer.from(bytes) } : opened
}
const refused = (reason: FileRefusal) => ({ ok: false, reason })

/** A chunk of a PNG. */
const chunk = (name: string, data: Buffer) => {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const whole = Buffer.alloc(body.length + 8)
  whole.writeUInt32BE(data.length)
  body.copy(whole, 4)
  whole.writeUInt32BE(crc32(body), body.length + 4)
  return whole
}
function pngBomb(side: number): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(side, 0)
  head.writeUInt32BE(side, 4)
  head.set([8, 6, 0, 0, 0], 8)
  const rows = deflateSync(Buffer.alloc(8 * 1_048_576))
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** A box of an MP4 or a HEIC. */
const box = (name: string, ...inside: Buffer[]) => {
  const data = Buffer.concat(inside)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(data.length + 8)
  head.write(name, 4, 'latin1')
  return Buffer.concat([head, data])
}
const u32 = (...values: number[]) => {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, at * 4)
  return bytes
}
const text = (value: string) => Buffer.from(value, 'latin1')

interface Film {
  brand?: string
  codec?: string
  audio?: string
  seconds?: number
  upright?: boolean
  extra?: Buffer[]
}
/** An MP4 with the metadata of a video, but without pictures. */
function mp4({ brand = 'isom', codec = 'avc1', audio, seconds = 12, upright = false, extra = [] }: Film = {}) {
  const turn = upright ? [0, 0x10000, 0, 0xffff0000, 0, 0] : [0x10000, 0, 0, 0, 0x10000, 0]
  const trak = (kind: string, name: string) =>
    box(
      'trak',
      box(
        'tkhd',
        u32(7, 0, 0, 1, 0, seconds * 1000, 0, 0, 0, 0),
        u32(...turn, 0, 0, 0x40000000),
        u32(1920 << 16, 1080 << 16),
      ),
      box(
        'mdia',
        box('hdlr', u32(0, 0), text(kind), u32(0, 0, 0)),
        box('minf', box('stbl', box('stsd', u32(0, 1), box(name, Buffer.alloc(70))))),
      ),
    )
  return Buffer.concat([
    box('ftyp', text(`${brand}\0\0\0\0${brand}`)),
    box(
      'moov',
      box('mvhd', u32(0, 0, 0, 1000, seconds * 1000), Buffer.alloc(80)),
      trak('vide', codec),
      ...(audio ? [trak('soun', audio)] : []),
      ...extra,
    ),
    box('mdat', Buffer.alloc(2_000, 7)),
  ])
}

describe('a picture', () => {
  test('of every format that phones and cameras write becomes a JPEG without metadata', async () => {
    const picture = () => sharp({ create: { width: 1200, height: 800, channels: 4, background: '#c21f6b80' } })
    const formats: [string, Buffer][] = [
      ['png', await picture().png().toBuffer()],
      ['webp', await picture().webp().toBuffer()],
      ['avif', await picture().avif({ effort: 0 }).toBuffer()],
      ['heic', await readFile('tests/samples/foto.heic')],
      ['16 bits', await picture().toColourspace('rgb16').png().toBuffer()],
      ['cmyk', await picture().flatten().toColourspace('cmyk').jpeg().toBuffer()],
      ['grey', await picture().flatten().greyscale().jpeg().toBuffer()],
    ]
    for (const [name, bytes] of formats) {
      const got = await openApart('foto', bytes)
      expect(got, name).toMatchObject({ ok: true, tipo: 'image/jpeg' })
      const { format, space, exif, icc, xmp, hasAlpha } = await sharp(got.bytes).metadata()
      expect({ format, space, exif, icc, xmp, hasAlpha }, name).toEqual({
        format: 'jpeg',
        space: 'srgb',
        exif: undefined,
        icc: undefined,
        xmp: undefined,
        hasAlpha: false,
      })
    }
  })

  test('of a wide-gamut camera keeps its colours, and 24 megapixels are scaled down to a side of 4000 pixels', async () => {
    const red = sharp({ create: { width: 6000, height: 4000, channels: 3, background: { r: 200, g: 60, b: 60 } } })
    const inP3 = await red.clone().withIccProfile('p3').jpeg({ quality: 95 }).toBuffer()
    const got = await openApart('foto', inP3)
    expect(got).toMatchObject({ ok: true, dimensions: { ancho: 4000, alto: 2667 } })
    const { dominant } = await sharp(got.bytes).stats()
    expect(dominant.r).toBeGreaterThan(dominant.g * 2)
    const { channels } = await sharp(got.bytes).stats()
    expect(channels.map(({ mean }) => Math.round(mean / 4))).toEqual([50, 15, 15])
  })

  test('that lost its colour profile in decoding is read with the profile of its file', async () => {
    const { icc } = await sharp(
      await sharp({ create: { width: 8, height: 8, channels: 3, background: '#fff' } })
        .withIccProfile('p3')
        .png()
        .toBuffer(),
    ).metadata()
    const data = Buffer.alloc(8 * 8 * 3, Buffer.from([200, 60, 60]))
    const png = await withProfile({ data, width: 8, height: 8, channels: 3 }, icc!)
    const [r, g] = await sharp(png).raw().toBuffer()
    // The same numbers in P3 are a stronger red than in sRGB.
    expect(r).toBeGreaterThan(205)
    expect(g).toBeLessThan(55)
  })

  test('that is a decompression bomb, truncated or empty is refused', async () => {
    expect(await openApart('foto', pngBomb(30_000))).toEqual(refused('grande'))
    expect(await openApart('logo', pngBomb(30_000))).toEqual(refused('grande'))
    expect(await openApart('foto', pngBomb(9_000))).toMatchObject({ ok: false })
    expect(await openApart('foto', Buffer.alloc(0))).toEqual(refused('tipo'))
    expect(await openApart('foto', Buffer.from([0xff, 0xd8, 0xff, 0xe0]))).toEqual(refused('ilegible'))
  })

  test('with 200 tiles, or with a wrong size in its header, is refused', async () => {
    const tile = box('ispe', u32(0, 20_000, 20_000))
    const infe = (id: number, kind: string) =>
      box('infe', u32(0x02000000), Buffer.from([id >> 8, id & 255, 0, 0]), text(`${kind}\0`))
    const items = Array.from({ length: 200 }, (_, at) => infe(at + 2, 'hvc1'))
    const heic = Buffer.concat([
      box('ftyp', text('heic\0\0\0\0mif1heic')),
      box(
        'meta',
        u32(0),
        box('hdlr', u32(0, 0), text('pict'), u32(0, 0, 0)),
        box('pitm', u32(0), Buffer.from([0, 1])),
        box('iinf', u32(0), Buffer.from([0, 201]), infe(1, 'grid'), ...items),
        box('iprp', box('ipco', tile)),
      ),
      box('mdat', Buffer.alloc(400)),
    ])
    expect(await openApart('foto', heic)).toMatchObject({ ok: false })
    // A real photograph with an enormous size in its header.
    const real = Buffer.from(await readFile('tests/samples/foto.heic'))
    for (let at = real.indexOf('ispe'); at >= 0; at = real.indexOf('ispe', at + 4)) {
      real.writeUInt32BE(60_000, at + 8)
      real.writeUInt32BE(60_000, at + 12)
    }
    expect(await openApart('foto', real)).toEqual(refused('grande'))
  })
})

describe('a logo', () => {
  const SVG = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 40 20"'
  const svg = (inside: string, head = '') => Buffer.from(`${head}<svg ${SVG}>${inside}</svg>`)
  const DRAWING = '<path fill="#fff" d="M0 0h40v20z"/>'

  test('keeps its transparency; a heavy one is scaled down', async () => {
    const png = await sharp({ create: { width: 3000, height: 1500, channels: 4, background: '#ffffff00' } })
      .png()
      .toBuffer()
    const got = await openApart('logo', png)
    expect(got).toMatchObject({ ok: true, tipo: 'image/png', dimensions: { ancho: 2000, alto: 1000, vista: null } })
    expect((await sharp(got.bytes).stats()).isOpaque).toBe(false)
    const noise = await sharp({
      create: {
        width: 900,
        height: 900,
        channels: 3,
        background: '#000',
        noise: { type: 'gaussian', mean: 128, sigma: 60 },
      },
    })
      .webp({ quality: 30 })
      .toBuffer()
    expect((await openApart('logo', noise)).bytes!.length).toBeLessThan(2 * 1_048_576)
  })

  test('that a drawing program wrote becomes a picture with transparency, large enough for sharp screens', async () => {
    const head =
      '<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd" [<!ENTITY ns_ai "http://ns.adobe.com/AdobeIllustrator/10.0/">]>'
    const drawn = `<metadata xmlns:i="&ns_ai;"><i:pgf>abc</i:pgf></metadata>
      <style>.st0{fill:url(#g);stroke-width:2} @import url(http://malo.example/x.css); .st1{fill:red}</style>
      <linearGradient id="g"><stop offset="0" stop-color="#fff"/></linearGradient>
      <switch><foreignObject requiredExtensions="&ns_ai;"><p>no</p></foreignObject><g><a xlink:href="http://malo.example"><rect class="st0" width="9" height="9"/></a></g></switch>
      <symbol id="s"><circle cx="20" cy="10" r="3"/></symbol><use xlink:href="#s" style="fill:#0f0"/><title>Café &amp;&nbsp;Té</title>`
    const got = await openApart('logo', svg(drawn, head))
    expect(got).toMatchObject({ ok: true, tipo: 'image/png', dimensions: { ancho: 960, alto: 480, vista: null } })
    expect(await colorsAt(got.bytes!, [4, 4], [20, 10], [35, 10])).toEqual([
      [255, 255, 255, 255],
      [0, 255, 0, 255],
      [...Array(3).fill(expect.any(Number)), 0],
    ])
  })

  /** Colours of a drawn logo at points of its 40 × 20 viewBox. */
  async function colorsAt(png: Buffer, ...points: [number, number][]): Promise<number[][]> {
    const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
    return points.map(([x, y]) => {
      const at = (Math.round((y / 20) * info.height) * info.width + Math.round((x / 40) * info.width)) * 4
      return [...data.subarray(at, at + 4)]
    })
  }
  const bare = (sides: string) => Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${sides}>${DRAWING}</svg>`)

  test('is read in the encoding that it declares, or that its first bytes show', async () => {
    const words = '<text x="2" y="12" font-size="6">Peña “y”</text>'
    const drawn = (encoding: string) => svg(words, `<?xml version="1.0" encoding="${encoding}"?>`).toString()
    const bytes = (text: string) => Buffer.from(text.replace('“', '\x93').replace('”', '\x94'), 'latin1')
    const wide = Buffer.from(`\ufeff${drawn('UTF-16')}`, 'utf16le')
    const files: [string, Buffer][] = [
      ['utf-8', Buffer.from(drawn('UTF-8'))],
      ['utf-8 with its mark', Buffer.from(`\ufeff${drawn('utf-8')}`)],
      ['none', svg(words)],
      ['windows-1252', bytes(drawn('Windows-1252'))],
      ['iso-8859-1, which browsers read as windows-1252', bytes(drawn('iso-8859-1'))],
      ['utf-16', wide],
      ['utf-16, the other way round', Buffer.from(wide).swap16()],
      ['utf-16 without its mark', wide.subarray(2)],
      ['utf-8 that says utf-16', Buffer.from(drawn('UTF-16'))],
    ]
    const [same] = await Promise.all(files.map(([, file]) => open('logo', file)))
    for (const [name, file] of files) expect([name, await open('logo', file)]).toEqual([name, same])
    for (const wrong of [bytes(drawn('utf-8')), bytes(drawn('de-la-casa')), bytes(drawn('x').replace(/<\?.*\?>/, ''))])
      expect(await open('logo', wrong)).toEqual(refused('encoding'))
  })

  test('with an undeclared namespace prefix is drawn all the same', async () => {
    const file = `<svg viewBox="0 0 40 20" inkscape:version="1"><sodipodi:namedview id="b"/><g inkscape:label="Capa">
      <path id="p" d="M0 0h9v9z"/><use xlink:href="#p" x="20"/></g></svg>`
    for (const head of ['<svg ', '<svg xmlns="http://www.w3.org/2000/svg" ']) {
      const got = await open('logo', Buffer.from(file.replace('<svg ', head)))
      if (!got.ok) throw new Error(got.reason)
      expect((await colorsAt(got.bytes!, [8, 2], [28, 2], [15, 2])).map(([, , , alpha]) => alpha)).toEqual([
        255, 255, 0,
      ])
    }
  })

  test('takes its shape from width and height in any unit, from its viewBox, or from both', async () => {
    const box = 'viewBox="0 0 400 200"'
    const sizes: [string, number, number][] = [
      [`width="100%" height="100%" ${box}`, 960, 480],
      [`width="100%" height="50" ${box}`, 960, 480],
      [`width="50" ${box}`, 960, 480],
      ['width="2IN" height="+1e2"', 922, 480],
      ['width="10em" height="10q"', 1_200, 71],
    ]
    for (const [sides, width, height] of sizes)
      expect([sides, await open('logo', bare(sides))]).toMatchObject([
        sides,
        { ok: true, dimensions: { ancho: width, alto: height } },
      ])
  })

  test('runs nothing, and shows nothing from outside of its file', async () => {
    const asked: (string | undefined)[] = []
    const server = createServer(({ url }, answer) => {
      asked.push(url)
      answer.end('<svg xmlns="http://www.w3.org/2000/svg"/>')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const red =
      '<linearGradient id="g"><stop stop-color="red"/></linearGradient><rect id="r" width="40" height="20" fill="red"/>'
    await writeFile(join(folder, 'rojo.svg'), svg(red))
    await writeFile(join(folder, 'rojo.css'), 'path { fill: red }')
    const places = [`http://127.0.0.1:${(server.address() as AddressInfo).port}`, `file://${folder}`, folder, '.']
    const fetching = places.flatMap((place) => [
      `<use href="${place}/rojo.svg#r"/>`,
      `<use xlink:href="${place}/rojo.svg#r"/>`,
      `<rect width="40" height="20" style="fill:url(${place}/rojo.svg#g) none"/>`,
      `<rect width="40" height="20" fill="url(${place}/rojo.svg#g) none"/>`,
      `<style>@import "${place}/rojo.css";</style>`,
      `<style>@import url(${place}/rojo.css);</style>`,
      `<?xml-stylesheet type="text/css" href="${place}/rojo.css"?>`,
      `<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="${place}/rojo.svg"/>`,
      `<text y="9"><xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="${place}/rojo.css" parse="text"/></text>`,
    ])
    const running = [
      '<script>alert(1)</script>',
      '<h:script xmlns:h="http://www.w3.org/1999/xhtml">alert(1)</h:script>',
      '<path onload="alert(1)" d="M0 0"/>',
      '<a xlink:href="javascript:alert(1)"><path d="M0 0"/></a>',
      '<use xlink:href="data:image/svg+xml;base64,PHN2Zz4=#a"/>',
      '<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="javascript:alert(1)"/></foreignObject>',
      '<animate attributeName="href" to="javascript:alert(1)"/><set attributeName="onload" to="alert(1)"/>',
      '<style><![CDATA[</style><script>alert(1)</script>]]></style>',
      '<path filter="url(&quot;javascript:alert(1)&quot;)" d="M0 0"/>',
    ]
    const plain = await open('logo', svg(DRAWING))
    for (const attack of [...fetching, ...running])
      expect([attack, await open('logo', svg(DRAWING + attack))]).toEqual([attack, plain])
    for (const place of places)
      for (const picture of [`<image href="${place}/a.png"/>`, `<filter><feImage href="${place}/a.png"/></filter>`])
        expect(await open('logo', svg(DRAWING + picture))).toEqual(refused('incrustada'))
    expect(asked).toEqual([])
    server.close()
  })

  test('is refused if it expands without end, draws nothing, is truncated or is of another format', async () => {
    const laughs = Array.from({ length: 9 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join('')
    const bad: [string, Buffer][] = [
      ['entities', svg(`<text>&l9;</text>${DRAWING}`, `<!DOCTYPE svg [<!ENTITY l0 "ja">${laughs}]>`)],
      ['a file of the machine', svg('<text>&x;</text>', '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>')],
      ['depth', svg(`${'<g>'.repeat(500)}${DRAWING}${'</g>'.repeat(500)}`)],
      ['nothing', svg('')],
      ['only a script', svg('<script>1</script>')],
      ['only itself', svg('<g id="a"><use href="#a"/></g>')],
      ['half', svg(DRAWING).subarray(0, 140)],
      ['no drawing', Buffer.from('<html xmlns="http://www.w3.org/1999/xhtml"><svg/></html>')],
    ]
    for (const [name, bytes] of bad) expect([name, await openApart('logo', bytes)]).toEqual([name, refused('ilegible')])
    expect(await open('logo', svg('<image href="data:image/png;base64,AAAA"/>'))).toEqual(refused('incrustada'))
    for (const sides of ['', 'width="100%" height="100%"', 'width="50vw"', 'width="40" height="50%"'])
      expect(await open('logo', bare(sides)), sides).toEqual(refused('noSize'))
    expect(await open('logo', Buffer.from('<p>hola</p>'))).toEqual(refused('tipo'))
    expect(await open('foto', svg(DRAWING))).toEqual(refused('tipo'))
  })
})

describe('a video', () => {
  test('of H.264 or AV1 keeps its length in bytes, and loses author and place', async () => {
    const sample = await readFile('content/2025/inicio/fondo-vertical.mp4')
    const got = await openApart('video', sample)
    expect(got).toMatchObject({ ok: true, tipo: 'video/mp4', dimensions: { ancho: 608, alto: 1080 } })
    expect(got.bytes!.length).toBe(sample.length)
    const webm = await readFile('content/2025/inicio/fondo-vertical.webm')
    const other = await openApart('video', webm)
    expect(other).toMatchObject({ ok: true, tipo: 'video/webm', dimensions: { ancho: 608, alto: 1080 } })
    expect(other.bytes!.length).toBe(webm.length)
    const place = text('+20.6736-103.3440/')
    const extra = [box('udta', box('\xa9xyz', place)), box('meta', text('com.apple.quicktime.location.ISO6709'), place)]
    const film = mp4({ brand: 'qt  ', audio: 'mp4a', upright: true, extra })
    const clean = await openApart('video', film)
    expect(clean).toMatchObject({ ok: true, tipo: 'video/mp4', dimensions: { ancho: 1080, alto: 1920 } })
    expect(clean.bytes!.length).toBe(film.length)
    expect(clean.bytes!.includes('20.6736') || clean.bytes!.includes('ISO6709')).toBe(false)
  })

  test('that phones do not play is refused with advice', async () => {
    for (const codec of ['hvc1', 'hev1', 'dvh1'])
      expect(await open('video', mp4({ brand: 'qt  ', codec }))).toEqual(refused('hevc'))
    expect(messageForFile('video', 'hevc', 'IMG_0007.MOV')).toMatch(
      /Ajustes › Cámara › Formatos, elige «Más compatible»/,
    )
    expect(await open('video', mp4({ codec: 'mp4v' }))).toEqual(refused('codec'))
    expect(await open('video', mp4({ audio: 'sowt' }))).toEqual(refused('codec'))
  })

  test('of two hours, truncated, empty, or with an endless box is refused', async () => {
    expect(await open('video', mp4({ seconds: 7_200 }))).toEqual(refused('largo'))
    const whole = mp4()
    expect(await open('video', whole.subarray(0, whole.length - 500))).toEqual(refused('ilegible'))
    expect(await open('video', whole.subarray(0, 60))).toEqual(refused('ilegible'))
    const endless = Buffer.from(whole)
    endless.writeUInt32BE(0xffffffff, endless.indexOf('moov') - 4)
    expect(await open('video', endless)).toEqual(refused('ilegible'))
    const zero = Buffer.concat([box('ftyp', text('isom')), u32(1), text('moov'), u32(0, 0)])
    expect(await open('video', zero)).toEqual(refused('ilegible'))
    const webm = await readFile('content/2025/inicio/fondo-vertical.webm')
    for (const length of [40, 300, webm.length - 5_000])
      expect(await open('video', webm.subarray(0, length)), String(length)).toEqual(refused('ilegible'))
    expect(await open('video', Buffer.from('RIFF....AVI LIST'))).toEqual(refused('tipo'))
  })
})

describe('a document', () => {
  const zip = (...names: string[]) => {
    const locals: Buffer[] = []
    const central: Buffer[] = []
    let at = 0
    for (const name of names) {
      const local = Buffer.alloc(30)
      local.writeUInt32LE(0x04034b50, 0)
      local.writeUInt16LE(name.length, 26)
      const entry = Buffer.alloc(46)
      entry.writeUInt32LE(0x02014b50, 0)
      entry.writeUInt16LE(name.length, 28)
      entry.writeUInt32LE(at, 42)
      locals.push(local, text(name))
      central.push(entry, text(name))
      at += 30 + name.length
    }
    const size = central.reduce((sum, one) => sum + one.length, 0)
    const end = Buffer.alloc(22)
    end.writeUInt32LE(0x06054b50, 0)
    end.writeUInt16LE(names.length, 8)
    end.writeUInt16LE(names.length, 10)
    end.writeUInt32LE(size, 12)
    end.writeUInt32LE(at, 16)
    return Buffer.concat([...locals, ...central, end])
  }

  test('is recognised by its content, and rewritten', async () => {
    const docx = await readFile('content/2025/convocatoria/boletin.docx')
    const got = await openApart('documento', docx)
    expect(got).toMatchObject({ ok: true, dimensions: null })
    expect(await openApart('documento', got.bytes!)).toEqual(got)
    const pdf = await readFile('tests/samples/pdf/owner-aes-256.pdf')
    expect(await openApart('documento', pdf.subarray(0, 30))).toEqual(refused('ilegible'))
    const odd = Buffer.concat([text('\r\n'.repeat(400)), pdf, Buffer.alloc(5_000)])
    expect(await openApart('documento', odd)).toMatchObject({ ok: true, tipo: 'application/pdf' })
    const empty = text('%PDF-1.7\n1 0 obj<<>>endobj\nxref\ntrailer<<>>\nstartxref\n9\n%%EOF\n')
    expect(await openApart('documento', empty)).toEqual(refused('reprint'))
    const owned = await readFile('tests/samples/pdf/owner-rc4-40.pdf')
    expect(await openApart('documento', owned)).toMatchObject({ ok: true, tipo: 'application/pdf' })
    expect(await openApart('documento', await readFile('tests/samples/pdf/user-rc4-40.pdf'))).toEqual(
      refused('protegido'),
    )
  })

  test('is refused if it is another archive, has macros, or lists more parts than it has', async () => {
    const word = ['[Content_Types].xml', 'word/document.xml']
    expect(await open('documento', zip(...word))).toEqual(refused('reprint'))
    expect(await open('documento', zip('xl/workbook.xml', '[Content_Types].xml'))).toEqual(refused('tipo'))
    expect(await open('documento', zip(...word, 'word/vbaProject.bin'))).toEqual(refused('macros'))
    const lying = zip(...word)
    lying.writeUInt16LE(9_000, lying.length - 12)
    expect(await open('documento', lying)).toEqual(refused('ilegible'))
    expect(await open('documento', text('MZ\x90\0'))).toEqual(refused('tipo'))
  })
})

test('a refused file leaves no output, and every reason comes with advice', async () => {
  await openApart('foto', Buffer.from('no'))
  await expect(stat(join(folder, `${files}.limpio`))).rejects.toThrow()
  const reasons: FileRefusal[] = [
    'tipo',
    'ilegible',
    'grande',
    'incrustada',
    'encoding',
    'noSize',
    'hevc',
    'codec',
    'largo',
    'protegido',
    'macros',
    'reprint',
    'slow',
  ]
  for (const kind of ['foto', 'logo', 'video', 'documento'] as const)
    for (const reason of reasons) expect(messageForFile(kind, reason, 'x'.repeat(300)), reason).toMatch(/env[ií]al[oa]/)
})
