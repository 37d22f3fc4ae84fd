import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ObjectExistsError, type ObjectStorage } from '#app/core/storage/object-store.server.ts'

const CONTRACT_BUCKET = 'registro'
const PNG = { contentType: 'image/png', cacheControlSeconds: 3600 }
const sha256 = (body: Uint8Array) => createHash('sha256').update(body).digest('hex')

/** Declares the tests of the storage port's contract, which each adapter runs. */
export function storageContract(openStorage: () => Promise<ObjectStorage>) {
  let storage: ObjectStorage
  let folder: string
  beforeAll(async () => {
    storage = await openStorage()
    folder = await mkdtemp(join(tmpdir(), 'contrato-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const newPath = (name = 'objeto.png') => `prueba-${randomUUID()}/${name}`
  const writeTempFile = async (body: Uint8Array) => {
    const path = join(folder, randomUUID())
    await writeFile(path, body)
    return path
  }
  const readObject = async (path: string, range?: { start: number; end: number }) => {
    const stream = await storage.get(CONTRACT_BUCKET, path, range)
    return stream && buffer(stream)
  }
  const listPaths = async (prefix: string, bucket = CONTRACT_BUCKET) => {
    const paths: string[] = []
    for await (const path of storage.list(bucket, prefix)) paths.push(path)
    return paths
  }

  test('a stored file comes back byte by byte, with its metadata', async () => {
    const path = newPath()
    const body = randomBytes(3_000_000)
    await storage.putFile(CONTRACT_BUCKET, path, await writeTempFile(body), { ...PNG, sha256: sha256(body) })
    expect(await storage.head(CONTRACT_BUCKET, path)).toEqual({ ...PNG, size: body.length, sha256: sha256(body) })
    expect(body.equals((await readObject(path))!)).toBe(true)
  })

  test('a body held in memory comes back byte by byte, even an empty one', async () => {
    for (const body of [Buffer.from('{"id":1}'), Buffer.alloc(0)]) {
      const path = newPath('metadata.json')
      await storage.putBytes(CONTRACT_BUCKET, path, body, { contentType: 'application/json', cacheControlSeconds: 0 })
      expect(await storage.head(CONTRACT_BUCKET, path)).toEqual({
        contentType: 'application/json',
        cacheControlSeconds: 0,
        size: body.length,
        sha256: sha256(body),
      })
      expect(body.equals((await readObject(path))!)).toBe(true)
    }
  })

  test('a range includes both its ends', async () => {
    const path = newPath()
    await storage.putBytes(CONTRACT_BUCKET, path, Buffer.from('0123456789'), PNG)
    expect(String(await readObject(path, { start: 2, end: 5 }))).toBe('2345')
  })

  test('an object is never overwritten', async () => {
    const path = newPath()
    const first = Buffer.from('primera')
    const second = Buffer.from('segunda')
    await storage.putBytes(CONTRACT_BUCKET, path, first, PNG)
    await expect(storage.putBytes(CONTRACT_BUCKET, path, second, PNG)).rejects.toBeInstanceOf(ObjectExistsError)
    await expect(
      storage.putFile(CONTRACT_BUCKET, path, await writeTempFile(second), {
        contentType: 'text/plain',
        cacheControlSeconds: 1,
        sha256: sha256(second),
      }),
    ).rejects.toBeInstanceOf(ObjectExistsError)
    expect(String(await readObject(path))).toBe('primera')
    expect(await storage.head(CONTRACT_BUCKET, path)).toMatchObject({ ...PNG, sha256: sha256(first) })
  })

  test('of twenty writers to the same path at once, one wins and its bytes stay', async () => {
    const path = newPath()
    const bodies = Array.from({ length: 20 }, () => randomBytes(200_000))
    const outcomes = await Promise.allSettled(
      bodies.map(async (body) =>
        storage.putFile(CONTRACT_BUCKET, path, await writeTempFile(body), { ...PNG, sha256: sha256(body) }),
      ),
    )
    const winners = outcomes.flatMap((outcome, index) => (outcome.status === 'fulfilled' ? [bodies[index]!] : []))
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    expect(winners).toHaveLength(1)
    expect(refusals.filter((reason) => !(reason instanceof ObjectExistsError))).toEqual([])
    expect(winners[0]!.equals((await readObject(path))!)).toBe(true)
    expect(await storage.head(CONTRACT_BUCKET, path)).toMatchObject({ sha256: sha256(winners[0]!) })
  })

  test('the file that was stored is left as it was', async () => {
    const source = await writeTempFile(Buffer.from('queda'))
    await storage.putFile(CONTRACT_BUCKET, newPath(), source, { ...PNG, sha256: sha256(Buffer.from('queda')) })
    expect(await readFile(source, 'utf8')).toBe('queda')
  })

  test('a missing object is undefined, and removing it does nothing', async () => {
    const path = newPath()
    expect(await storage.head(CONTRACT_BUCKET, path)).toBeUndefined()
    expect(await storage.get(CONTRACT_BUCKET, path)).toBeUndefined()
    await storage.remove(CONTRACT_BUCKET, path)
  })

  test('a removed object is gone, its neighbours are not, and the path is free again', async () => {
    const path = newPath('a.png')
    const neighbourPath = path.replace('a.png', 'b.png')
    await storage.putBytes(CONTRACT_BUCKET, path, Buffer.from('a'), PNG)
    await storage.putBytes(CONTRACT_BUCKET, neighbourPath, Buffer.from('b'), PNG)
    await storage.remove(CONTRACT_BUCKET, path)
    expect(await storage.head(CONTRACT_BUCKET, path)).toBeUndefined()
    expect(String(await readObject(neighbourPath))).toBe('b')
    await storage.putBytes(CONTRACT_BUCKET, path, Buffer.from('otra'), { ...PNG, contentType: 'image/webp' })
    expect(await storage.head(CONTRACT_BUCKET, path)).toMatchObject({ contentType: 'image/webp', size: 4 })
  })

  test('lists by prefix, in the order of the bytes, one bucket at a time', async () => {
    const base = `lista-${randomUUID()}`
    const paths = ['a.png', 'a/b.png', 'a/ü.png', 'a0.png', 'z/1/2/3.png', '﹐.png', '👑.png'].map(
      (name) => `${base}/${name}`,
    )
    for (const path of paths.toReversed()) await storage.putBytes(CONTRACT_BUCKET, path, Buffer.from(path), PNG)
    await storage.putBytes('registrotrajes', `${base}/ajeno.png`, Buffer.from('x'), PNG)
    expect(await listPaths(`${base}/`)).toEqual(paths)
    expect(await listPaths(`${base}/a/`)).toEqual(paths.slice(1, 3))
    expect(await listPaths(`${base}/a`)).toEqual(paths.slice(0, 4))
    expect(await listPaths(`${base}-nada`)).toEqual([])
    expect(await listPaths(`${base}/`, 'registrotrajes')).toEqual([`${base}/ajeno.png`])
  })

  test.each([
    '../fuera',
    'a/../../b',
    '/a',
    'a//b',
    'a/',
    '',
    'a\0b',
    'a\\b',
    '.',
    `${'x'.repeat(256)}`,
  ])('refuses the path %j', async (path) => {
    await expect(storage.putBytes(CONTRACT_BUCKET, path, Buffer.from('x'), PNG)).rejects.toThrow('Not an object path')
  })
  test.each(['.meta', '..', 'a/b', ''])('refuses the bucket %j', async (bucket) => {
    await expect(storage.putBytes(bucket, 'x', Buffer.from('x'), PNG)).rejects.toThrow('Not a bucket')
  })

  test('the check passes on a working storage', async () => {
    await storage.check()
  })
}
