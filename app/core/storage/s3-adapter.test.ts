import { once } from 'node:events'
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { checkStorage } from './open-store.server.ts'
import { openS3Storage } from './s3-adapter.server.ts'

// Servers that hang, stall or refuse; npm run test:s3 tries a real one.
let server: Server
let answer: RequestListener
let url: string
let folder: string
beforeAll(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'prueba')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'prueba')
  folder = await mkdtemp(join(tmpdir(), 'certamen-s3-'))
  server = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `s3://cubeta?endpoint=http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  vi.unstubAllEnvs()
  server.closeAllConnections()
  server.close()
  await rm(folder, { recursive: true, force: true })
})
beforeEach(() => {
  answer = (_request, response) => response.end()
})

const TIMES = { connectMs: 500, silenceMs: 400, checkMs: 600 }

test('a server that hangs is given up, and works again as soon as it answers, however many have asked', async () => {
  const storage = openS3Storage(url, TIMES)
  answer = () => {}
  const asked = await Promise.allSettled(Array.from({ length: 60 }, () => storage.check()))
  expect(asked.every(({ status }) => status === 'rejected')).toBe(true)
  await expect(storage.head('registro', 'a.jpg')).rejects.toThrow(/timed out/)
  await expect(storage.get('registro', 'a.jpg')).rejects.toThrow(/exceeded/)
  answer = (_request, response) => response.end()
  await storage.check()
  expect(await storage.head('registro', 'a.jpg')).toMatchObject({ size: 0 })
})

test('a file whose server falls silent in the middle of it ends with a fault', async () => {
  answer = (_request, response) => {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('beginning')
  }
  const stream = await openS3Storage(url, TIMES).get('registro', 'a.jpg')
  await expect(buffer(stream!)).rejects.toThrow('was silent for 400 ms')
})

test('a file that comes slowly, or is read slowly, comes whole', async () => {
  const body = Buffer.alloc(3_000_000, 7)
  answer = (_request, response) => {
    response.writeHead(200, { 'content-length': String(body.byteLength) })
    response.end(body)
  }
  const read = await openS3Storage(url, TIMES).get('registro', 'a.jpg')
  await sleep(1_200)
  expect((await buffer(read!)).byteLength).toBe(body.byteLength)

  answer = async (_request, response) => {
    response.writeHead(200, { 'content-length': '6' })
    for (const letter of 'abcdef') {
      response.write(letter)
      await sleep(200)
    }
    response.end()
  }
  const slow = await openS3Storage(url, TIMES).get('registro', 'a.jpg')
  expect((await buffer(slow!)).toString()).toBe('abcdef')
})

test('a large file that the server takes slowly is stored; one that it does not take is given up', async () => {
  const file = join(folder, 'grande.bin')
  const size = 200_000_000
  await writeFile(file, '')
  await truncate(file, size)
  const metadata = { contentType: 'image/jpeg', cacheControlSeconds: 3600, sha256: '0'.repeat(64) }
  const storage = openS3Storage(url, { silenceMs: 1_000 })
  const givenUp = Promise.withResolvers<true>()
  let attempts = 0
  const taken: { bytes: number; outlasts: boolean | undefined }[] = []
  answer = async (request, response) => {
    if (request.url?.includes('silent.jpg')) {
      if (++attempts === 2) givenUp.resolve(true)
      request.pause()
      return
    }
    const of: (typeof taken)[number] = { bytes: 0, outlasts: undefined }
    taken.push(of)
    let rest = 0
    for await (const chunk of request) {
      of.bytes += chunk.length
      rest += chunk.length
      // More at a time than the system's buffers hold, then a pause, until the silent upload beside it has been given up.
      if (rest < 10_000_000) continue
      rest = 0
      of.outlasts = await Promise.race([givenUp.promise, sleep(200, undefined)])
    }
    response.end()
  }
  await Promise.all([
    expect(storage.putFile('registro', 'silent.jpg', file, metadata)).rejects.toThrow(/timed out/),
    storage.putFile('registro', 'slow.jpg', file, metadata),
  ])
  expect(taken).toEqual([{ bytes: size, outlasts: true }])
})

test.each([
  [403, /^El almacenamiento de STORAGE_URL no deja usar la cubeta cubeta con estas credenciales \(403\)/],
  [404, /^La cubeta cubeta de STORAGE_URL no existe/],
  [503, /^El almacenamiento de STORAGE_URL no responde \(503\)/],
])('a storage that answers %i stops the start with one line', async (status, line) => {
  answer = (_request, response) => response.writeHead(status).end()
  await expect(checkStorage(openS3Storage(url, TIMES), { storageUrl: url })).rejects.toMatchObject({
    name: 'StartError',
    message: expect.stringMatching(line),
  })
})
