import { mkdir, mkdtemp, readdir, rm, stat, symlink, unlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { storageContract } from '#tests/support/persistence/storage-contract.ts'
import { openFolderStorage } from './folder-adapter.server.ts'
import { ObjectExistsError, type ObjectStorage } from './object-store.server.ts'

let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'carpeta-'))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

describe('folder storage keeps the contract', () => {
  storageContract(() => openFolderStorage(join(dataDir, 'contrato')))
})

describe('on disk', () => {
  const PNG = { contentType: 'image/png', cacheControlSeconds: 3600 }
  let storage: ObjectStorage
  let objects: string
  beforeAll(async () => {
    storage = await openFolderStorage(join(dataDir, 'disco'))
    objects = join(dataDir, 'disco/objects')
  })
  const files = async (bucket: string) =>
    (await readdir(join(objects, bucket), { recursive: true, withFileTypes: true }).catch(() => []))
      .filter((entry) => entry.isFile())
      .map((entry) => entry.name)

  test("a bucket's folder holds exactly its objects, without copies", async () => {
    const source = join(dataDir, 'origen')
    await writeFile(source, 'bytes')
    await storage.putFile('registro', '1_Ana/fotoRostro/1_a.png', source, { ...PNG, sha256: '00' })
    expect(await files('registro')).toEqual(['1_a.png'])
    expect((await stat(join(objects, 'registro/1_Ana/fotoRostro/1_a.png'))).ino).toBe((await stat(source)).ino)
    await storage.remove('registro', '1_Ana/fotoRostro/1_a.png')
    expect(await readdir(join(objects, 'registro'))).toEqual([])
    expect(await files('.meta')).toEqual([])
    expect(await files('.tmp')).toEqual([])
  })

  test('an object whose card was lost to a kill still tells its sum, and the same put completes it', async () => {
    const body = Buffer.from('a medias')
    await storage.putBytes('registro', 'kill/x.png', body, PNG)
    const whole = await storage.head('registro', 'kill/x.png')
    for (const entry of await readdir(join(objects, '.meta'), { recursive: true, withFileTypes: true }))
      if (entry.isFile()) await unlink(join(entry.parentPath, entry.name))
    expect(await storage.head('registro', 'kill/x.png')).toEqual({
      ...whole,
      contentType: 'application/octet-stream',
      cacheControlSeconds: 0,
    })
    await expect(storage.putBytes('registro', 'kill/x.png', body, PNG)).rejects.toBeInstanceOf(ObjectExistsError)
    expect(await storage.head('registro', 'kill/x.png')).toEqual(whole)
  })

  test('a data folder that is a link to elsewhere works, and drafts of a killed process go', async () => {
    const real = join(dataDir, 'real')
    await mkdir(join(real, 'objects/.tmp'), { recursive: true })
    await writeFile(join(real, 'objects/.tmp/resto'), 'x')
    await utimes(join(real, 'objects/.tmp/resto'), 0, 0)
    await writeFile(join(real, 'objects/.tmp/ajeno'), 'x')
    await symlink(real, join(dataDir, 'enlace'))
    const linked = await openFolderStorage(join(dataDir, 'enlace'))
    await linked.putBytes('registro', 'a/b.png', Buffer.from('b'), PNG)
    expect(await readdir(join(real, 'objects/.tmp'))).toEqual(['ajeno'])
    expect(await readdir(join(real, 'objects/registro/a'))).toEqual(['b.png'])
  })
})

// No file system without links (FAT) can be mounted here, so `link` itself fails as it does there.
describe('where there are no links', () => {
  beforeAll(async () => {
    vi.resetModules()
    vi.doMock('node:fs/promises', async (original) => ({
      ...(await original<typeof import('node:fs/promises')>()),
      link: async () => {
        throw Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' })
      },
    }))
  })
  afterAll(() => vi.doUnmock('node:fs/promises'))
  const opened = async () => {
    const { openFolderStorage: open } = await import('./folder-adapter.server.ts')
    const { ObjectExistsError: Exists } = await import('./object-store.server.ts')
    return { storage: await open(join(dataDir, 'sin-enlaces')), Exists }
  }

  test('an object appears whole all the same, and once', async () => {
    const { storage, Exists } = await opened()
    const PNG = { contentType: 'image/png', cacheControlSeconds: 3600 }
    const puts = await Promise.allSettled(
      Array.from({ length: 8 }, (_, n) => storage.putBytes('registro', 'a/x.png', Buffer.alloc(100_000, n), PNG)),
    )
    expect(puts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const put of puts) if (put.status === 'rejected') expect(put.reason).toBeInstanceOf(Exists)
    expect(await storage.head('registro', 'a/x.png')).toMatchObject({ ...PNG, size: 100_000 })
    const source = join(dataDir, 'fuente')
    await writeFile(source, 'bytes')
    await storage.putFile('registro', 'a/y.png', source, { ...PNG, sha256: '00' })
    expect((await storage.head('registro', 'a/y.png'))?.size).toBe(5)
    expect(await readdir(join(dataDir, 'sin-enlaces/objects/.tmp'))).toEqual([])
  })
})
