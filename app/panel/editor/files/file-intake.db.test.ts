import { createHash, randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FileKind } from '#app/cms/media/file-rules.ts'
import { findFileByPath, openEditionFile } from '#app/cms/media/file-store.server.ts'
import { openThumbnail } from '#app/cms/media/thumbnails.server.ts'
import { type CountedRefusal, onRefusal } from '#app/core/http/refusal-events.server.ts'
import type { UploadRefusal } from '#app/core/http/upload-refusals.ts'
import { sandboxQueue } from '#app/core/process/sandbox.server.ts'
import { makeFacts, openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { createFileIntake, type FileIntake } from './file-intake.server.ts'
import { UPLOAD_MESSAGES } from './upload-protocol.ts'

let site: TestSite
let intake: FileIntake
beforeAll(async () => {
  site = await openTestSite()
  intake = await createFileIntake(site.services)
})
afterAll(() => site.close())

const ANA = 'quien-ana'
const ORIGIN = 'https://feria.example'
const base64 = (text: string) => Buffer.from(text).toString('base64')
const HEADERS = { 'tus-resumable': '1.0.0' }

interface SentFile {
  clase: FileKind
  body: Buffer
  name?: string
  quien?: string
  entrega?: string
  /** Announced size in bytes; absent: the body's length. */
  size?: number
}

async function begin({ clase, body, name = 'IMG_0001.JPG', quien = ANA, entrega = randomUUID(), size }: SentFile) {
  const response = await intake.handle(
    new Request(`${ORIGIN}/organizadores/sitio/subidas`, {
      method: 'POST',
      headers: {
        ...HEADERS,
        'x-entrega': entrega,
        'upload-length': String(size ?? body.length),
        'upload-metadata': `clase ${base64(clase)},filename ${base64(name)}`,
      },
    }),
    makeFacts(),
    quien,
  )
  const upload = response.headers.get('location')?.split('/').at(-1) ?? ''
  return { response, entrega, subida: upload, quien }
}

type Begun = Awaited<ReturnType<typeof begin>>
const at = ({ entrega, subida }: Begun, method: string, body?: Buffer, offset = 0) =>
  new Request(`${ORIGIN}/organizadores/sitio/subidas/${subida}`, {
    method,
    headers: {
      ...HEADERS,
      'x-entrega': entrega,
      ...(body && { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' }),
    },
    ...(body && { body: new Uint8Array(body) }),
  })
const send = (begun: Begun, body: Buffer, offset = 0, who = begun.quien) =>
  intake.handle(at(begun, 'PATCH', body, offset), makeFacts(), who)
const receive = ({ quien, entrega, subida }: Begun) => intake.receive(quien, { entrega, subida }, makeFacts())

async function sent(sent: SentFile) {
  const begun = await begin(sent)
  expect(begun.response.status).toBe(201)
  expect((await send(begun, sent.body)).status).toBe(204)
  return { begun, recepcion: await receive(begun) }
}
const refusal = async (response: Response) => ({
  status: response.status,
  ...((await response.json()) as UploadRefusal),
})

/** A JPEG as a phone takes it: turned by its EXIF orientation, with GPS data. */
const phonePhoto = (background = '#c21f6b') =>
  sharp({ create: { width: 640, height: 480, channels: 3, background } })
    .withExif({ IFD0: { Make: 'Telefono de Ana' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '20/1 40/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .withExifMerge({ IFD0: { Make: 'Telefono de Ana' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '20/1 40/1 0/1' } })
    .jpeg()
    .toBuffer()

describe('a picture', () => {
  test('from a phone becomes a file of the edition: upright, without GPS data, with thumbnails', async () => {
    const body = await phonePhoto()
    expect(body.includes('Telefono de Ana')).toBe(true)
    expect((await sharp(body).metadata()).orientation).toBe(6)
    const { recepcion: got } = await sent({ clase: 'foto', body })
    if (!got.ok) throw new Error(got.message)
    const { ruta, sha256, ancho, alto, vista } = got.archivo
    expect({ ancho, alto }).toEqual({ ancho: 480, alto: 640 })
    expect(vista).toMatch(/^data:image\/webp;base64,/)
    expect(ruta).toBe(`fotos/${sha256.slice(0, 12)}.jpg`)
    const kept = await buffer((await openEditionFile(site.services.storage, sha256))!)
    expect(createHash('sha256').update(kept).digest('hex')).toBe(sha256)
    expect(await findFileByPath(site.services.db, ruta)).toMatchObject({ tipo: 'image/jpeg', bytes: kept.length })
    expect(kept.includes('Telefono') || kept.includes('Exif') || kept.includes('ICC_PROFILE')).toBe(false)
    const { exif, icc, orientation, width, height } = await sharp(kept).metadata()
    expect({ exif, icc, orientation, width, height }).toEqual({
      exif: undefined,
      icc: undefined,
      orientation: undefined,
      width: 480,
      height: 640,
    })
    const small = await openThumbnail(site.services, sha256, 150)
    expect((await sharp(await buffer(small!.body)).metadata()).width).toBe(160)
    const again = await openThumbnail(site.services, sha256, 160)
    expect(again?.bytes).toBe(small?.bytes)
    again?.body.destroy()
    // While more files wait than may, the panel shows the whole file instead.
    const end = Promise.withResolvers<void>()
    const others = Array.from({ length: 122 }, () => sandboxQueue('panel', '', () => end.promise))
    expect(await openThumbnail(site.services, sha256, 320)).toBeUndefined()
    end.resolve()
    await Promise.all(others)
  })

  test('resumes where it broke off, and its result can be asked for again without a new upload', async () => {
    const body = await phonePhoto('#123456')
    const begun = await begin({ clase: 'foto', body })
    await send(begun, body.subarray(0, 1_000))
    const half = await receive(begun)
    expect(half).toMatchObject({ ok: false, reason: 'documentoInvalido' })
    const head = await intake.handle(at(begun, 'HEAD'), makeFacts(), ANA)
    expect(head.headers.get('upload-offset')).toBe('1000')
    await send(begun, body.subarray(1_000), 1_000)
    const first = await receive(begun)
    expect(first.ok).toBe(true)
    expect(await receive(begun)).toEqual(first)
  })

  test('resumes after a restart of the process', async () => {
    const body = await phonePhoto('#654321')
    const begun = await begin({ clase: 'foto', body })
    await send(begun, body.subarray(0, 500))
    intake = await createFileIntake(site.services)
    expect((await send(begun, body.subarray(500), 500)).status).toBe(204)
    expect((await receive(begun)).ok).toBe(true)
  })

  test('of the same bytes is the same file, for any sender and any name', async () => {
    const body = await phonePhoto('#0a0a0a')
    const one = await sent({ clase: 'foto', body })
    const name = '../../../etc/passwd\u202Egpj.jpg'
    const other = await sent({ clase: 'foto', body, quien: 'quien-eva', name })
    expect(other.recepcion).toEqual(one.recepcion)
    const names = await readdir(site.dataDir, { recursive: true })
    expect(names.filter((one) => one.includes('passwd') || one.includes('quien'))).toEqual([])
  })
})

describe('an upload is not accessible', () => {
  test('to another organiser, nor with another submission', async () => {
    const body = await phonePhoto('#222222')
    const begun = await begin({ clase: 'foto', body })
    expect((await refusal(await send(begun, body, 0, 'quien-eva'))).status).toBe(404)
    expect((await send({ ...begun, entrega: randomUUID() }, body)).status).toBe(404)
    expect((await send(begun, body)).status).toBe(204)
    const taken = await intake.receive('quien-eva', begun, makeFacts())
    expect(taken).toMatchObject({ ok: false, reason: 'subidaAjena' })
    expect((await intake.handle(at(begun, 'DELETE'), makeFacts(), 'quien-eva')).status).toBe(404)
    expect((await receive(begun)).ok).toBe(true)
  })

  test('without a submission, or by an id that is a path elsewhere', async () => {
    const body = Buffer.from('x')
    const { response } = await begin({ clase: 'foto', body, entrega: 'no' })
    expect((await refusal(response)).message).toBe(UPLOAD_MESSAGES.peticion)
    for (const upload of ['../../x', 'x'.repeat(300), '', 'null'])
      expect(await intake.receive(ANA, { entrega: randomUUID(), subida: upload }, makeFacts())).toMatchObject({
        ok: false,
      })
  })
})

describe('an upload is refused, with the remedy', () => {
  test('before a byte is sent: too large, empty, of an unknown kind, counted apart from registrations', async () => {
    const counted: CountedRefusal[] = []
    const stop = onRefusal((one) => counted.push(one))
    const body = Buffer.from('x')
    const MB = 1_048_576
    const large = await refusal((await begin({ clase: 'video', body, size: 200 * MB, name: 'fiesta.mp4' })).response)
    expect(large).toMatchObject({ status: 413, reason: 'archivoGrande' })
    expect(large.message).toBe(
      '«fiesta.mp4» pesa 200 MB y el máximo es 60 MB. Recórtalo, o guárdalo en menor calidad (720p), y envíalo de nuevo.',
    )
    for (const [kind, size] of [
      ['foto', 41],
      ['logo', 3],
      ['documento', 16],
    ] as const)
      expect((await begin({ clase: kind, body, size: size * MB })).response.status, kind).toBe(413)
    expect((await begin({ clase: 'foto', body: Buffer.alloc(0) })).response.status).toBe(400)
    expect((await begin({ clase: 'programa' as FileKind, body })).response.status).toBe(400)
    stop()
    expect(counted).toHaveLength(6)
    expect(counted[0]).toEqual({ area: 'edicion', reason: 'archivoGrande' })
  })

  test('once it arrived: no picture, half a picture, too many pixels; and it may be sent again', async () => {
    const whole = await sharp({
      create: {
        width: 900,
        height: 900,
        channels: 3,
        background: '#c21f6b',
        noise: { type: 'gaussian', mean: 128, sigma: 60 },
      },
    })
      .jpeg()
      .toBuffer()
    const refused: [string, Buffer][] = [
      ['tipo', Buffer.from('<html><script>alert(1)</script>')],
      ['tipo', Buffer.from('GIF89a......')],
      ['ilegible', whole.subarray(0, whole.length / 2)],
      ['ilegible', Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(400)])],
    ]
    for (const [reason, body] of refused) {
      const { recepcion: got, begun } = await sent({ clase: 'foto', body, name: 'reina.jpg' })
      expect(got).toMatchObject({ ok: false, reason })
      expect(got.ok || got.message).toMatch(/^«reina\.jpg» .+ envíal[ao] de nuevo/)
      // The refused upload was removed.
      expect(await receive(begun)).toMatchObject({ ok: false, reason: 'subidaAjena' })
    }
    expect((await sent({ clase: 'foto', body: whole })).recepcion.ok).toBe(true)
  })

  test('while the storage is down the upload stays staged, and is stored once the storage is back', async () => {
    const body = await phonePhoto('#fedcba')
    const { storage } = site.services
    let isAway = true
    const wavering: typeof storage = Object.assign(Object.create(storage), storage, {
      putFile: (...given: Parameters<typeof storage.putFile>) =>
        isAway && given[0] !== 'subidas' ? Promise.reject(new Error('the storage is away')) : storage.putFile(...given),
    })
    const before = intake
    intake = await createFileIntake({ ...site.services, storage: wavering })
    const { recepcion: got, begun } = await sent({ clase: 'foto', body })
    expect(got).toMatchObject({ ok: false, reason: 'almacen' })
    expect(got.ok || got.message).toMatch(/no hay que enviarlo otra vez.*número.*peticion-\d+/)
    isAway = false
    expect((await receive(begun)).ok).toBe(true)
    intake = before
  })

  test('a full disk is reported, and no upload is lost', async () => {
    const body = await phonePhoto('#abcdef')
    const begun = await begin({ clase: 'foto', body })
    await send(begun, body)
    const full = {
      ...site.services,
      settings: { ...site.services.settings, diskReserve: { bytes: Number.MAX_SAFE_INTEGER } },
    }
    const before = intake
    intake = await createFileIntake(full as typeof site.services)
    expect(await receive(begun)).toEqual({ ok: false, reason: 'sinEspacio', message: UPLOAD_MESSAGES.sinEspacio })
    const { response } = await begin({ clase: 'foto', body })
    expect(await refusal(response)).toEqual({ status: 507, reason: 'sinEspacio', message: UPLOAD_MESSAGES.sinEspacio })
    intake = before
    expect((await receive(begun)).ok).toBe(true)
  })
})
