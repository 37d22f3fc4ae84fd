// Longer than 350 lines: the limits of uploads, and how they are resumed, over one site.
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { getRequestListener } from '@hono/node-server'
import { sql } from 'kysely'
import { Upload } from 'tus-js-client'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { UploadRefusal } from '#app/core/http/upload-refusals.ts'
import { createClock } from '#app/core/time/clock.server.ts'
import { readDiskSpace } from '#app/core/uploads/disk-space.server.ts'
import { MAX_STAGED_MS, submissionKeyOf } from '#app/core/uploads/staging-area.server.ts'
import { MAX_FILE_BYTES } from '#app/entries/definitions/document-kinds.ts'
import { FORM_MESSAGES } from '#tests/support/entries/form-messages.ts'
import {
  bytesOf as bytesOfUpload,
  creationRequest,
  type DocumentFile,
  type Handle,
  listChunks,
  makeFacts,
  makeSampleFile,
  newSubmissionId,
  openTestSite,
  reopenIntake,
  type TestSite,
  upload,
  uploadRequest,
} from '#tests/support/site/test-site.ts'
import { REGISTRATION_MESSAGES } from './schema.ts'
import { createRegistrations, type Registrations } from './uploads.early.server.ts'

vi.mock(
  '#app/entries/document-viewing/render-sandbox.server.ts',
  () => import('#tests/support/entries/render-in-process.ts'),
)

let site: TestSite
let uploads: Registrations
beforeAll(async () => {
  site = await openTestSite({ idleMs: 10_000 })
  uploads = createRegistrations(site.intake)
})
afterAll(() => site.close())

const photo = (body = makeSampleFile('jpg'), name = 'cara.jpg'): DocumentFile => ({ clase: 'fotoRostro', name, body })
const refusal = async (response: Response) => ({
  status: response.status,
  ...((await response.json()) as UploadRefusal),
})
const bytesOf = (submission: string, id: string) => bytesOfUpload(site.intake, submission, id)

async function create(submission: string, file = photo(), headers?: Record<string, string>) {
  const created = await uploads.handle(creationRequest(submission, file, headers), makeFacts())
  expect(created.status).toBe(201)
  return created.headers.get('location')!
}
const patchOf = (location: string, submission: string, body: Uint8Array, offset = 0, headers = {}) =>
  uploadRequest('PATCH', location, submission, new Uint8Array(body), { 'upload-offset': String(offset), ...headers })
const patch = (location: string, submission: string, body: Uint8Array, offset = 0, headers = {}) =>
  uploads.handle(patchOf(location, submission, body, offset, headers), makeFacts())
const head = (location: string, submission: string) =>
  uploads.handle(uploadRequest('HEAD', location, submission), makeFacts())

describe('an upload', () => {
  test('in pieces by POST with a method override, where a filter blocks PATCH', async () => {
    const submission = newSubmissionId()
    const { body } = photo(makeSampleFile('heic', 200_000))
    const location = await create(submission, photo(body))
    const by = (method: string, override: string, who = submission, headers = {}) =>
      uploads.handle(
        uploadRequest(method, location, who, new Uint8Array(body), {
          'content-type': 'application/offset+octet-stream',
          'upload-offset': '0',
          'x-http-method-override': override,
          ...headers,
        }),
        makeFacts(),
      )
    // The override opens nothing that PATCH does not open, and works for no other method.
    expect(await refusal(await by('POST', 'PATCH', newSubmissionId()))).toMatchObject({ reason: 'subidaAjena' })
    expect((await by('POST', 'PATCH', submission, { 'tus-resumable': '' })).status).toBe(400)
    expect((await by('POST', 'PATCH', submission, { 'content-type': 'text/plain' })).status).toBe(400)
    expect((await by('POST', 'DELETE')).status).toBe(400)
    expect((await by('DELETE', 'PATCH', newSubmissionId())).status).toBe(404)
    expect((await head(location, submission)).headers.get('upload-offset')).toBe('0')

    const answer = await by('POST', 'PATCH')
    expect([answer.status, answer.headers.get('upload-offset')]).toEqual([204, String(body.length)])
    expect(body.equals(await bytesOf(submission, location.split('/').at(-1)!))).toBe(true)
  })

  test('in pieces, each answered with how far it is', async () => {
    const submission = newSubmissionId()
    const { body } = photo(makeSampleFile('heic', 300_000))
    const location = await create(submission, photo(body))
    expect(location).toMatch(/^\/subidas\/[0-9a-f-]{36}$/)
    for (let at = 0; at < body.length; at += 100_000) {
      expect((await head(location, submission)).headers.get('upload-offset')).toBe(String(at))
      const answer = await patch(location, submission, body.subarray(at, at + 100_000), at)
      expect(answer.status).toBe(204)
      expect(answer.headers.get('upload-offset')).toBe(String(at + 100_000))
    }
    const id = location.split('/').at(-1)!
    expect(body.equals(await bytesOf(submission, id))).toBe(true)
    const card = await site.intake.staging.find(submissionKeyOf(submission), id)
    expect(card?.sealed).toEqual({
      sha256: createHash('sha256').update(body).digest('hex'),
      contentType: 'image/heic',
    })
  })

  test('begun and sent in one request', async () => {
    const { body, ...rest } = photo()
    const request = new Request(creationRequest(newSubmissionId(), { ...rest, body }), {
      body: new Uint8Array(body),
      headers: {
        ...Object.fromEntries(creationRequest(newSubmissionId(), { ...rest, body }).headers),
        'content-type': 'application/offset+octet-stream',
      },
    })
    const answer = await uploads.handle(request, makeFacts())
    expect(answer.status).toBe(201)
    expect(answer.headers.get('upload-offset')).toBe(String(body.length))
  })

  test('taken back by its owner', async () => {
    const submission = newSubmissionId()
    const location = await create(submission)
    expect((await uploads.handle(uploadRequest('DELETE', location, submission), makeFacts())).status).toBe(204)
    expect((await head(location, submission)).status).toBe(404)
    const [id] = location.split('/').slice(-1)
    expect((await listChunks(site)).filter((path) => path.includes(id!))).toEqual([])
  })

  test('of which a piece is not whole leaves no piece open', async () => {
    const submission = newSubmissionId()
    const { body } = photo()
    const location = await create(submission, photo(body))
    for (const [at, half] of [body.subarray(0, 300), body.subarray(300)].entries())
      expect((await patch(location, submission, half, at * 300)).status).toBe(204)
    const id = location.split('/').at(-1)!
    const { storage } = site.services
    const { rows } = await sql<{ objeto: string }>`
      select objeto::text from trozos where subida_id = ${id}::uuid and desde = 0`.execute(site.services.db)
    const path = `registros/${id}/${rows[0]!.objeto}`
    await storage.remove('subidas', path)
    await storage.putBytes('subidas', path, Buffer.from('corto'), {
      contentType: 'application/octet-stream',
      cacheControlSeconds: 0,
    })
    const get = vi.spyOn(storage, 'get')
    await expect(bytesOf(submission, id)).rejects.toMatchObject({ code: 'ENOENT' })
    const opened = await Promise.all(get.mock.results.map(({ value }) => value))
    get.mockRestore()
    expect(opened).toHaveLength(2)
    await expect.poll(() => opened.map((one) => one?.destroyed)).toEqual([true, true])
  })

  test('nothing on the disk or in an answer tells the key, and other origins are told nothing', async () => {
    const submission = newSubmissionId()
    const location = await create(submission)
    await patch(location, submission, makeSampleFile('jpg', 1_000))
    const answer = await head(location, submission)
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const names = await readdir(site.dataDir, { recursive: true })
    expect(names.filter((name) => name.includes(location.split('/').at(-1)!))).not.toEqual([])
    expect(names.filter((name) => name.includes(submission) || name.includes(submissionKeyOf(submission)))).toEqual([])
    const rows = await site.services.db.selectFrom('subidas').selectAll().execute()
    expect(JSON.stringify(rows)).not.toMatch(new RegExp(`${submission}|192\\.0\\.2`))
  })
})

describe('only its owner reaches it', () => {
  test("with another submission's key every method answers 404, and the file is untouched", async () => {
    const submission = newSubmissionId()
    const { body } = photo()
    const location = await create(submission, photo(body))
    const other = newSubmissionId()
    expect((await head(location, other)).status).toBe(404)
    expect(await refusal(await patch(location, other, body))).toEqual({
      status: 404,
      reason: 'subidaAjena',
      message: REGISTRATION_MESSAGES.subidaAjena,
    })
    expect((await uploads.handle(uploadRequest('DELETE', location, other), makeFacts())).status).toBe(404)
    expect((await head(location, submission)).headers.get('upload-offset')).toBe('0')
  })
  test('an id that does not exist, or is none', async () => {
    for (const id of [randomUUID(), 'x', '..', '%2e%2e%2f', `${submissionKeyOf(newSubmissionId())}.${randomUUID()}`])
      expect((await head(`/subidas/${id}`, newSubmissionId())).status).toBe(404)
  })
  test.each([
    undefined,
    '',
    'x',
    '3f1f9c5e-6f0e-1c6b-9d39-0d7c0c1a2b3c',
    '../../../etc',
  ])('key %j', async (submission) => {
    const request = creationRequest(submission ?? '', photo())
    if (submission === undefined) request.headers.delete('x-entrega')
    expect(await refusal(await uploads.handle(request, makeFacts()))).toMatchObject({ status: 400, reason: 'entrega' })
  })
  test('no request reads a file back', async () => {
    const submission = newSubmissionId()
    const { id } = await upload(uploads.handle, submission, photo())
    const answer = await uploads.handle(uploadRequest('GET', `/subidas/${id}`, submission), makeFacts())
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).not.toContain('GET')
  })
})

describe('refused', () => {
  const creation = async (file: DocumentFile, headers?: Record<string, string>) =>
    refusal(await uploads.handle(creationRequest(newSubmissionId(), file, headers), makeFacts()))

  test('0 bytes', async () => {
    expect(await creation(photo(Buffer.alloc(0)))).toEqual({
      status: 400,
      reason: 'archivoVacio',
      message: FORM_MESSAGES.archivoVacio('cara.jpg'),
    })
  })
  test('more than 15 MB, before a byte is sent; exactly 15 MB not', async () => {
    const size = (bytes: number) => ({ 'upload-length': String(bytes) })
    expect(await creation(photo(), size(MAX_FILE_BYTES + 1))).toEqual({
      status: 413,
      reason: 'archivoGrande',
      message: FORM_MESSAGES.archivoGrande('cara.jpg'),
    })
    await create(newSubmissionId(), photo(), size(MAX_FILE_BYTES))
  })
  test.each([
    'ñ',
    'Ñ',
    'á',
    'é',
    'í',
    'ó',
    'ú',
    'Á',
    'É',
    'Í',
    'Ó',
    'Ú',
    '´',
  ])('a name with %s, composed or not', async (letter) => {
    for (const name of [`mi${letter}.jpg`, `mi${letter}.jpg`.normalize('NFD')])
      expect(await creation(photo(undefined, name))).toEqual({
        status: 400,
        reason: 'nombreArchivo',
        message: `El archivo "${name.normalize()}" contiene caracteres no permitidos.`,
      })
  })
  test('a name of 256 characters; 255 pass', async () => {
    expect(await creation(photo(undefined, 'x'.repeat(256)))).toMatchObject({ status: 400, reason: 'nombreArchivo' })
    await create(newSubmissionId(), photo(undefined, `${'x'.repeat(251)}.jpg`))
  })
  test('a length left for later, none, or one that is no number', async () => {
    expect(await creation(photo(), { 'upload-length': 'mucho' })).toMatchObject({ status: 400, reason: 'peticion' })
    for (const headers of [{}, { 'upload-defer-length': '1' }] as Record<string, string>[]) {
      const request = creationRequest(newSubmissionId(), photo(), headers)
      request.headers.delete('upload-length')
      expect((await refusal(await uploads.handle(request, makeFacts()))).reason).toBe('peticion')
    }
  })
  test('a key of metadata that no upload has; the type that the uploader adds passes', async () => {
    const withKey = (key: string) => {
      const request = creationRequest(newSubmissionId(), photo())
      request.headers.set('upload-metadata', `${request.headers.get('upload-metadata')},${key} aW1hZ2UvanBlZw==`)
      return uploads.handle(request, makeFacts())
    }
    expect((await withKey('filetype')).status).toBe(201)
    for (const key of ['rol', 'sealed', 'Clase'])
      expect(await refusal(await withKey(key))).toEqual({
        status: 400,
        reason: 'camposDesconocidos',
        message: REGISTRATION_MESSAGES.camposDesconocidos,
      })
  })
  test('a NUL in the name, as in a form', async () => {
    expect(await creation(photo(undefined, 'ca\0ra.jpg'))).toEqual({
      status: 400,
      reason: 'peticion',
      message: REGISTRATION_MESSAGES.peticion,
    })
  })
  test('a kind that does not exist, a side for a kind without sides, no name', async () => {
    const wrong = [
      { ...photo(), clase: 'fotoPerfil' },
      { ...photo(), lado: 'anverso' },
      { ...photo(), clase: 'credencialElector', lado: 'costado' },
      { ...photo(), name: '' },
    ] as DocumentFile[]
    for (const file of wrong) expect(await creation(file)).toMatchObject({ status: 400, reason: 'peticion' })
  })
  test.each([
    ['texto.jpg', Buffer.from('hola, soy un texto')],
    ['pagina.pdf', Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['video.jpg', Buffer.from('\0\0\0\x18ftypisom\0\0\0\0mp41isom', 'latin1')],
  ])('%s by its content, on its last piece; nothing is kept', async (name, body) => {
    const submission = newSubmissionId()
    const { id, patch } = await upload(uploads.handle, submission, photo(body, name))
    expect(await refusal(patch!)).toEqual({
      status: 415,
      reason: 'archivoTipo',
      message: FORM_MESSAGES.archivoTipo(name),
    })
    expect((await head(`/subidas/${id}`, submission)).status).toBe(404)
  })
  test.each([
    ['cara.jpg', Buffer.from([0xff, 0xd8, 0xff, 0xe0]), /^La imagen "cara.jpg" no se puede abrir/],
    ['cara.png', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), /^La imagen "cara.png" no se puede abrir/],
    ['cara.webp', Buffer.from('RIFF\xc0\0\0\0WEBPVP8 ', 'latin1'), /^La imagen "cara.webp" no se puede abrir/],
    ['cara.heic', Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'), /^La imagen "cara.heic" no se puede/],
    ['cara.pdf', Buffer.from('%PDF-1.7\n'), /^El PDF "cara.pdf" no se puede abrir/],
  ])('%s of 200 bytes of which only the first are right; nothing is kept', async (name, first, words) => {
    const submission = newSubmissionId()
    const { id, patch } = await upload(
      uploads.handle,
      submission,
      photo(Buffer.concat([first, randomBytes(200)]), name),
    )
    const { status, reason, message } = await refusal(patch!)
    expect([status, reason]).toEqual([422, 'archivoIlegible'])
    expect(message).toMatch(words)
    expect(message).toMatch(/elige otr[oa]\.$/)
    expect((await head(`/subidas/${id}`, submission)).status).toBe(404)
  })
  test('more than 60 files in one submission', async () => {
    const submission = newSubmissionId()
    for (let n = 0; n < 60; n++) await create(submission)
    const answer = await uploads.handle(creationRequest(submission, photo()), makeFacts())
    expect(await refusal(answer)).toMatchObject({ status: 409, reason: 'subidasDemasiadas' })
  })
  test('a piece at the wrong place changes nothing', async () => {
    const submission = newSubmissionId()
    const location = await create(submission)
    const answer = await patch(location, submission, makeSampleFile('jpg', 100), 50)
    expect(await refusal(answer)).toMatchObject({ status: 409, reason: 'subidaDesfasada' })
    expect((await head(location, submission)).headers.get('upload-offset')).toBe('0')
  })
  test('a finished file is closed to writing', async () => {
    const submission = newSubmissionId()
    const { body } = photo()
    const { id } = await upload(uploads.handle, submission, photo(body))
    const answer = await patch(`/subidas/${id}`, submission, Buffer.from('mas'), body.length)
    expect(answer.status).toBe(413)
    expect(body.equals(await bytesOf(submission, id))).toBe(true)
  })
})

describe('limits', () => {
  const limited = async (limits: object) => createRegistrations(await reopenIntake(site, {}, { limits }))

  test('uploads begun by one address; another address is not touched', async () => {
    const { handle } = await limited({ maxCreations: 3 })
    const begin = (client: string) => handle(creationRequest(newSubmissionId(), photo()), makeFacts(client))
    for (let n = 0; n < 3; n++) expect((await begin('a')).status).toBe(201)
    const refused = await begin('a')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(500)
    expect(await refusal(refused)).toEqual({ status: 429, reason: 'limite', message: REGISTRATION_MESSAGES.limite })
    expect((await begin('b')).status).toBe(201)
  })

  test('bytes of one address and of all, many at once', async () => {
    const { handle } = await limited({ maxStagedBytesPerClient: 3 * 1_048_576 })
    const begin = (client: string) =>
      handle(
        creationRequest(newSubmissionId(), photo(), { 'upload-length': String(10 * 1_048_576) }),
        makeFacts(client),
      )
    // Announced sizes are not charged against the quota; received bytes are.
    const answers = await Promise.all(Array.from({ length: 10 }, () => begin('muchas')))
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(10)
    const send = async () => {
      const submission = newSubmissionId()
      const body = makeSampleFile('jpg', 1_048_576)
      const begun = await handle(creationRequest(submission, photo(body)), makeFacts('muchas'))
      return begun.status === 201
        ? handle(patchOf(begun.headers.get('location')!, submission, body), makeFacts('muchas'))
        : begun
    }
    for (let sent = 0; sent < 2; sent++) expect((await send()).status).toBe(204)
    expect(await refusal(await send())).toMatchObject({ status: 429, reason: 'limite' })

    const staged = await site.intake.staging.quota.stagedBytes()
    const all = await limited({ maxStagedBytes: staged + 3 * 65_536 })
    const many = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        all.handle(
          creationRequest(newSubmissionId(), photo(), { 'upload-length': String(10 * 1_048_576) }),
          makeFacts(`c${n}`),
        ),
      ),
    )
    const saturated = many.filter((answer) => answer.status === 429)
    expect(saturated.length).toBeGreaterThan(0)
    expect(await refusal(saturated[0]!)).toMatchObject({ reason: 'saturado', message: REGISTRATION_MESSAGES.saturado })
    expect(saturated[0]!.headers.get('retry-after')).not.toBeNull()
  })

  test('no upload is taken while the disk is at its floor, and earlier uploads stay', async () => {
    const submission = newSubmissionId()
    const { body } = photo()
    const location = await create(submission, photo(body))
    const settings = { ...site.services.settings, diskReserve: { bytes: Number.MAX_SAFE_INTEGER } }
    const { handle } = createRegistrations(await reopenIntake(site, { settings }))
    const answer = await handle(creationRequest(newSubmissionId(), photo()), makeFacts())
    expect(await refusal(answer)).toEqual({
      status: 507,
      reason: 'sinEspacio',
      message: REGISTRATION_MESSAGES.sinEspacio,
    })
    const later = await handle(patchOf(location, submission, body), makeFacts())
    expect(await refusal(later)).toMatchObject({ status: 507, reason: 'sinEspacio' })
    expect((await patch(location, submission, body)).status).toBe(204)
  })

  const MB = 1_048_576
  const announce = (handle: Handle, client: string, size = 15 * MB) =>
    handle(creationRequest(newSubmissionId(), photo(), { 'upload-length': String(size) }), makeFacts(client))

  test('uploads announced and never sent block no other client', async () => {
    const staged = await site.intake.staging.quota.stagedBytes()
    const { handle } = await limited({ maxStagedBytes: staged + 45 * MB })
    // By the announced sizes, the quota is worth three files.
    for (let n = 0; n < 40; n++) expect((await announce(handle, `vacía-${n}`)).status).toBe(201)
    const { patch } = await upload(handle, newSubmissionId(), photo(makeSampleFile('jpg', 2 * MB)))
    expect(patch?.status).toBe(204)
  })

  test('uploads that one network announces, or begins and leaves, take up no more than its part of the disk', async () => {
    const GB = 1024 ** 3
    const { db } = site.services
    const { availableBytes } = await readDiskSpace(site.dataDir, { bytes: 0 })
    const settings = { ...site.services.settings, diskReserve: { bytes: availableBytes - GB } }
    const { handle } = createRegistrations(await reopenIntake(site, { settings }))
    const announced = await announce(handle, '192.0.2.77')
    expect(announced.status).toBe(201)
    const id = announced.headers.get('location')!.split('/').at(-1)!
    // Two thousand more uploads of the same network, each of which reserves a megabyte once its first byte has come.
    for (const received of [0, 1]) {
      await sql`insert into subidas (id, de, key, nombre_archivo, datos, bytes, recibidos, orden, redes, oida_at, del_sitio_at)
        select gen_random_uuid(), de, key, nombre_archivo, datos, bytes, ${received}::bigint, orden, redes, now(), del_sitio_at
        from subidas, generate_series(1, 2000) where id = ${id}::uuid`.execute(db)
      expect((await announce(handle, '198.51.100.7')).status, `${received}`).toBe(201)
    }
    await sql`delete from subidas where redes = (select redes from subidas where id = ${id}::uuid)`.execute(db)
  })

  test('an announcement keeps its place for some minutes, and its first byte asks for it again', async () => {
    const before = await reopenIntake(site, {}, { limits: { reservationMs: 0 } })
    const staged = await before.staging.quota.stagedBytes()
    const intake = await reopenIntake(site, {}, { limits: { maxStagedBytes: staged + 2 * MB, reservationMs: 0 } })
    const { handle } = createRegistrations(intake)
    for (let n = 0; n < 20; n++) expect((await announce(handle, `vacía-${n}`)).status).toBe(201)
    expect(await intake.staging.quota.stagedBytes()).toBe(staged)
    const [first, second] = [newSubmissionId(), newSubmissionId()]
    const body = makeSampleFile('jpg', 1.5 * MB)
    const begin = async (submission: string) =>
      (await handle(creationRequest(submission, photo(body)), makeFacts())).headers.get('location')!
    const [one, other] = [await begin(first), await begin(second)]
    expect((await handle(patchOf(one, first, body), makeFacts())).status).toBe(204)
    expect(await refusal(await handle(patchOf(other, second, body), makeFacts()))).toMatchObject({ reason: 'saturado' })
    // Deleting the first upload makes room for the second.
    await handle(uploadRequest('DELETE', one, first), makeFacts())
    expect((await handle(patchOf(other, second, body), makeFacts())).status).toBe(204)
  })

  test('an empty upload is swept within the hour, one that was begun stays for its day', async () => {
    const [empty, begun] = [newSubmissionId(), newSubmissionId()]
    const { body } = photo()
    const [one, other] = [await create(empty, photo(body)), await create(begun, photo(body))]
    await patch(other, begun, body.subarray(0, 100))
    await site.intake.staging.sweep(new Set(), 16 * 60_000)
    expect((await head(one, empty)).status).toBe(404)
    expect((await head(other, begun)).headers.get('upload-offset')).toBe('100')
  })

  test('the bytes of a day, of one network and of the one around it; another network is not touched', async () => {
    const { handle } = await limited({ maxDayBytes: 2.5 * MB })
    const send = async (client: string) => {
      const submission = newSubmissionId()
      const body = makeSampleFile('jpg', 1.2 * MB)
      const location = (await handle(creationRequest(submission, photo(body)), makeFacts(client))).headers.get(
        'location',
      )
      return location ? handle(patchOf(location, submission, body), makeFacts(client)) : undefined
    }
    expect((await send('192.0.2.7'))?.status).toBe(204)
    expect((await send('192.0.2.7'))?.status).toBe(204)
    const answer = await announce(handle, '192.0.2.7')
    expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(600)
    expect(await refusal(answer)).toEqual({
      status: 429,
      reason: 'limite',
      message: REGISTRATION_MESSAGES.limiteDelDia,
    })
    expect((await announce(handle, '192.0.2.8')).status).toBe(201)
    for (let n = 0; n < 8; n++) expect((await send(`2001:db8:1:${n}::/64`))?.status).toBe(204)
    expect(await refusal(await announce(handle, '2001:db8:1:99::/64'))).toMatchObject({ reason: 'limite' })
    expect((await announce(handle, '2001:db8:2:99::/64')).status).toBe(201)
  })

  test('uploads begun from the many networks that one tenant has', async () => {
    const { handle } = await limited({ maxCreations: 2 })
    for (let n = 0; n < 8; n++) expect((await announce(handle, `2001:db8:7:${n}::/64`)).status).toBe(201)
    expect(await refusal(await announce(handle, '2001:db8:7:99::/64'))).toMatchObject({ reason: 'limite' })
  })

  test('the bytes of a deleted or refused upload are free again', async () => {
    const intake = await reopenIntake(site)
    const { handle } = createRegistrations(intake)
    const { quota } = intake.staging
    const before = await quota.stagedBytes()
    const submission = newSubmissionId()
    const { id } = await upload(handle, submission, photo(makeSampleFile('jpg', 200_000)))
    expect(await quota.stagedBytes()).toBe(before + 200_000)
    await handle(uploadRequest('DELETE', `/subidas/${id}`, submission), makeFacts())
    await upload(handle, submission, photo(Buffer.alloc(200_000, 'x')))
    expect(await quota.stagedBytes()).toBe(before)
  })
})

describe('over a real connection', () => {
  const servers: Server[] = []
  let port: number
  async function listen({ handle }: Registrations): Promise<number> {
    const server = createServer(getRequestListener((request) => handle(request, makeFacts())))
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  }
  beforeAll(async () => {
    port = await listen(uploads)
  })
  afterAll(() => {
    for (const server of servers) {
      server.closeAllConnections()
      server.close()
    }
  })

  /** Sends the beginning of a request, raw, and leaves the connection open. */
  function rawPatch(location: string, submission: string, body: Buffer, contentLength: number, offset = 0, to = port) {
    const socket = connect(to, '127.0.0.1')
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('error', () => {})
    socket.write(
      `PATCH ${location} HTTP/1.1\r\nhost: x\r\ntus-resumable: 1.0.0\r\nx-entrega: ${submission}\r\n` +
        `content-type: application/offset+octet-stream\r\nupload-offset: ${offset}\r\ncontent-length: ${contentLength}\r\n\r\n`,
    )
    socket.write(body)
    return { socket, answer: () => answer }
  }
  async function offsetOf(location: string, submission: string) {
    const response = await fetch(`http://127.0.0.1:${port}${location}`, {
      method: 'HEAD',
      headers: { 'tus-resumable': '1.0.0', 'x-entrega': submission },
    })
    return Number(response.headers.get('upload-offset'))
  }
  async function until(check: () => Promise<boolean>) {
    for (const end = Date.now() + 5_000; Date.now() < end; await sleep(20)) if (await check()) return
    throw new Error('It did not come to that')
  }

  test('a broken connection loses none of the bytes that arrived', async () => {
    const submission = newSubmissionId()
    const { body } = photo(makeSampleFile('jpg', 1_000_000))
    const location = await create(submission, photo(body))
    const id = location.split('/').at(-1)!
    for (let at = 0; at < body.length - 200_000; at += 200_000) {
      const { socket } = rawPatch(location, submission, body.subarray(at, at + 200_000), body.length - at, at)
      await until(async () => (await bytesOf(submission, id)).length === at + 200_000)
      socket.resetAndDestroy()
      expect(await offsetOf(location, submission)).toBe(at + 200_000)
    }
    expect((await patch(location, submission, body.subarray(800_000), 800_000)).status).toBe(204)
    expect(body.equals(await bytesOf(submission, id))).toBe(true)
  })

  test('a silent connection gives way to the one that goes on, at once', async () => {
    const submission = newSubmissionId()
    const { body } = photo(makeSampleFile('jpg', 100_000))
    const location = await create(submission, photo(body))
    const { socket } = rawPatch(location, submission, body.subarray(0, 30_000), body.length)
    await until(async () => (await bytesOf(submission, location.split('/').at(-1)!)).length === 30_000)
    const began = Date.now()
    expect(await offsetOf(location, submission)).toBe(30_000)
    // Long before the silent connection would be cut.
    expect(Date.now() - began).toBeLessThan(9_000)
    expect((await patch(location, submission, body.subarray(30_000), 30_000)).status).toBe(204)
    socket.destroy()
  })

  test('an upload that never ends is cut, and can still go on', async () => {
    const submission = newSubmissionId()
    const location = await create(submission, photo(makeSampleFile('jpg', 100_000)))
    const impatient = await listen(createRegistrations(await reopenIntake(site, {}, { idleMs: 1_000 })))
    const { socket, answer } = rawPatch(location, submission, makeSampleFile('jpg', 1_000), 100_000, 0, impatient)
    await until(async () => answer() !== '' || socket.destroyed)
    expect(answer()).toMatch(/^HTTP\/1\.1 409 /)
    expect(await offsetOf(location, submission)).toBe(1_000)
    socket.destroy()
  })

  test('an upload that is longer than announced, by header or in chunks', async () => {
    const submission = newSubmissionId()
    const location = await create(submission, photo(makeSampleFile('jpg', 1_000)))
    const { socket, answer } = rawPatch(location, submission, makeSampleFile('jpg', 2_000), 2_000)
    await until(async () => answer() !== '')
    expect(answer()).toMatch(/^HTTP\/1\.1 413 /)
    socket.destroy()
    const chunked = await fetch(`http://127.0.0.1:${port}${location}`, {
      method: 'PATCH',
      headers: {
        'tus-resumable': '1.0.0',
        'x-entrega': submission,
        'content-type': 'application/offset+octet-stream',
        'upload-offset': '0',
      },
      body: new Blob([new Uint8Array(500_000)]).stream(),
      duplex: 'half',
    } as RequestInit).catch(() => undefined)
    if (chunked) expect(chunked.status).toBe(413)
    expect(await offsetOf(location, submission)).toBeLessThanOrEqual(1_000)
    const id = location.split('/').at(-1)!
    expect((await bytesOf(submission, id)).length).toBeLessThanOrEqual(1_000)
  })

  test('concurrent requests on one upload leave the bytes of the file', async () => {
    const submission = newSubmissionId()
    const { body } = photo(makeSampleFile('png', 2_000_000))
    const location = await create(submission, photo(body))
    const send = async () => {
      for (let attempt = 0; attempt < 20; attempt++) {
        const at = await offsetOf(location, submission)
        if (at === body.length) return
        await patch(location, submission, body.subarray(at, at + 100_000), at).catch(() => {})
      }
    }
    await Promise.all([send(), send(), send()])
    await send()
    expect(body.equals(await bytesOf(submission, location.split('/').at(-1)!))).toBe(true)
  })

  test('the client of the page, with its own retries', async () => {
    const submission = newSubmissionId()
    const { body } = photo(makeSampleFile('jpg', 3_000_000))
    const url = await new Promise<string>((resolve, reject) => {
      const client = new Upload(body, {
        endpoint: `http://127.0.0.1:${port}/subidas`,
        headers: { 'x-entrega': submission },
        metadata: { clase: 'fotoRostro', filename: 'cara.jpg', filetype: 'image/jpeg' },
        onSuccess: () => resolve(client.url!),
        onError: reject,
      })
      client.start()
    })
    expect(body.equals(await bytesOf(submission, url.split('/').at(-1)!))).toBe(true)
  })
})

describe('the sweep', () => {
  test('removes uploads begun a day ago, finished or not, and stray chunks; leaves the rest', async () => {
    const old = newSubmissionId()
    const young = newSubmissionId()
    const { id: finished } = await upload(uploads.handle, old, photo())
    await create(old)
    const { id: kept } = await upload(uploads.handle, young, photo())
    // As left by a process killed between a removal and its chunks, or between a chunk and its row.
    const stray = `registros/${randomUUID()}/${randomUUID()}`
    const metadata = { contentType: 'application/octet-stream', cacheControlSeconds: 0 }
    await site.services.storage.putBytes('subidas', stray, Buffer.from('de nadie'), metadata)
    const yesterday = new Date(Date.now() - MAX_STAGED_MS - 1_000)
    const { db } = site.services
    await db.updateTable('subidas').set({ creada_at: yesterday }).where('key', '=', submissionKeyOf(old)).execute()
    expect((await head(`/subidas/${finished}`, old)).status).toBe(200)
    await uploads.recover()
    expect((await head(`/subidas/${finished}`, old)).status).toBe(404)
    expect(await site.intake.staging.list(submissionKeyOf(old))).toEqual([])
    const left = await listChunks(site)
    expect(left.filter((path) => path === stray || path.includes(finished))).toEqual([])
    expect(left.filter((path) => path.includes(kept))).toHaveLength(1)
  })

  test('after a restart the bytes on the disk still count', async () => {
    const submission = newSubmissionId()
    await upload(uploads.handle, submission, photo(makeSampleFile('jpg', 500_000)))
    const again = (await reopenIntake(site)).staging
    expect(await again.quota.stagedBytes()).toBeGreaterThan(500_000)
    expect(await again.quota.stagedBytes()).toBe(await site.intake.staging.quota.stagedBytes())
  })

  describe('by a site whose clock is set', () => {
    const HOUR_MS = 3_600_000
    const at = (ms: number) => reopenIntake(site, { clock: createClock(new Date(ms).toISOString()) })
    const moment = () => site.services.clock.now().getTime()
    const staged = async (submission: string) =>
      (await site.intake.staging.list(submissionKeyOf(submission))).length > 0

    test.each([
      ['a day and an hour on', 25 * HOUR_MS, false],
      ['an hour less than a day on', 23 * HOUR_MS, true],
      ['a year back', -365 * 24 * HOUR_MS, true],
    ])('started again %s', async (_, later, stays) => {
      const submission = newSubmissionId()
      await upload(uploads.handle, submission, photo())
      await createRegistrations(await at(moment() + later)).recover()
      expect(await staged(submission)).toBe(stays)
    })

    test('an upload is closed with its submission’s key alone', async () => {
      const { staging } = site.intake
      const key = submissionKeyOf(newSubmissionId())
      const { id } = await staging.create(key, { clase: 'fotoRostro', lado: null, filename: 'a.jpg', size: null }, 'x')
      await staging.close(submissionKeyOf(newSubmissionId()), id)
      expect((await staging.find(key, id))?.size).toBeNull()
      await staging.close(key, id)
      expect((await staging.find(key, id))?.size).toBe(0)
    })

    test('an upload under way stays, however old, and goes once nothing more comes', async () => {
      const staging = site.intake.staging
      const submission = newSubmissionId()
      const key = submissionKeyOf(submission)
      const { id } = await staging.create(key, { clase: 'fotoRostro', lado: null, filename: 'a.jpg', size: 9 }, 'x')
      const body = new PassThrough()
      body.write('abc')
      const written = staging.append(key, id, body, 0)
      await expect.poll(async () => (await staging.find(key, id))?.offset, { timeout: 10_000 }).toBe(3)
      await staging.sweep(new Set(), 25 * HOUR_MS)
      expect(await staged(submission)).toBe(true)
      body.end()
      await written
      const earlier = new Date(Date.now() - 10 * 60_000)
      await site.services.db.updateTable('subidas').set({ oida_at: earlier }).where('id', '=', id).execute()
      await staging.sweep(new Set(), 25 * HOUR_MS)
      expect(await staged(submission)).toBe(false)
    })
  })
})
