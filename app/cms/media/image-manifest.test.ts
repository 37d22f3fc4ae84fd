import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMediaCache } from '#app/cms/editions/media-cache.server.ts'
import { IMAGES_FOLDER, type ImageManifest, listVariants, toPicture, widthsOf } from './image-manifest.server.ts'

const manifest: ImageManifest = {
  photos: {
    'inicio/ga1.jpg': {
      source: 'content/2025/inicio/ga1.jpg',
      sha256: 'a'.repeat(64),
      hash: '0123456789',
      width: 1000,
      height: 500,
      preview: 'data:image/webp;base64,AAAA',
    },
  },
  files: { 'marcas/sauz.svg': { source: 'content/2025/marcas/sauz.svg', sha256: 'b'.repeat(64), hash: 'abcdefabcd' } },
  cards: { inicio: { source: 'content/2025/inicio/ga1.jpg', hash: '1122334455' } },
  prensa: [],
}
let root: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'imagenes-'))
  await mkdir(join(root, IMAGES_FOLDER), { recursive: true })
  await mkdir(join(root, 'content/2025/inicio'), { recursive: true })
  await mkdir(join(root, 'content/2025/marcas'), { recursive: true })
  await writeFile(join(root, 'content/2025/inicio/ga1.jpg'), 'jpg')
  await writeFile(join(root, 'content/2025/marcas/sauz.svg'), 'svg')
})
afterAll(() => rm(root, { recursive: true, force: true }))

it('makes AVIF in the widths of phones first, for every photograph', () => {
  const photo = { source: 'x.jpg', sha256: '', hash: '0123456789', width: 2400, height: 1600, preview: '' }
  const all = listVariants({ photos: { 'a.jpg': photo, 'b.jpg': photo } })
  expect(all.slice(0, 6).map(({ path, format, width }) => [path, format, width])).toEqual([
    ...[480, 720, 960].map((width) => ['a.jpg', 'avif', width]),
    ...[480, 720, 960].map((width) => ['b.jpg', 'avif', width]),
  ])
  expect(all.findLastIndex(({ format }) => format === 'avif')).toBeLessThan(
    all.findIndex(({ format }) => format !== 'avif'),
  )
})

describe('widthsOf', () => {
  it('never enlarges, and ends with the original width', () => {
    expect(widthsOf(1000)).toEqual([480, 720, 960, 1000])
    expect(widthsOf(480)).toEqual([480])
    expect(widthsOf(300)).toEqual([300])
    expect(widthsOf(6000).at(-1)).toBe(2400)
  })
})

describe('toPicture', () => {
  it('knows the addresses before any size is made', () => {
    const picture = toPicture(manifest, { foto: 'inicio/ga1.jpg', alt: 'Escenario', foco: [60, 55] })
    expect(picture).toMatchObject({ base: '/img/inicio-ga1-0123456789', width: 1000, height: 500, alt: 'Escenario' })
  })

  it('names the command to run for a picture that was never described', () => {
    expect(() => toPicture(manifest, { foto: 'inicio/otra.jpg', alt: 'x', foco: [50, 50] })).toThrow('npm run imagenes')
  })
})

/** The file behind an address, in a process that serves one edition. */
async function imageFile(url: string, folder: string, described = manifest) {
  const mediaCache = createMediaCache(undefined, folder)
  mediaCache.serve(described)
  return mediaCache.findFile(url)
}

describe('the address of a picture', () => {
  it('lets the original stand in until the size is made', async () => {
    const url = '/img/inicio-ga1-0123456789-480.avif'
    expect(await imageFile(url, root)).toEqual({
      path: 'content/2025/inicio/ga1.jpg',
      contentType: 'image/jpeg',
      isFinal: false,
      isPressOnly: false,
    })
    await writeFile(join(root, IMAGES_FOLDER, 'inicio-ga1-0123456789-480.avif'), 'avif')
    expect(await imageFile(url, root)).toEqual({
      path: join(IMAGES_FOLDER, 'inicio-ga1-0123456789-480.avif'),
      contentType: 'image/avif',
      isFinal: true,
      isPressOnly: false,
    })
  })

  it('flags pictures that only the press pages show, but no drawn share card', async () => {
    const reserved = { ...manifest, prensa: ['inicio/ga1.jpg'] }
    const folder = await mkdtemp(join(tmpdir(), 'imagenes-'))
    await mkdir(join(folder, IMAGES_FOLDER), { recursive: true })
    await mkdir(join(folder, 'content/2025/inicio'), { recursive: true })
    await writeFile(join(folder, 'content/2025/inicio/ga1.jpg'), 'jpg')
    const card = '/img/tarjeta-inicio-1122334455.jpg'
    expect(await imageFile('/img/inicio-ga1-0123456789-480.avif', folder, reserved)).toMatchObject({
      isPressOnly: true,
    })
    expect(await imageFile(card, folder, reserved)).toMatchObject({ isPressOnly: true })
    await writeFile(join(folder, IMAGES_FOLDER, 'tarjeta-inicio-1122334455.jpg'), 'jpg')
    expect(await imageFile(card, folder, reserved)).toMatchObject({ isPressOnly: false })
    await rm(folder, { recursive: true, force: true })
  })

  it('has one JPEG, for the browsers that know nothing newer', async () => {
    expect(await imageFile('/img/inicio-ga1-0123456789-960.jpg', root)).toMatchObject({ contentType: 'image/jpeg' })
  })

  it('lets the photograph stand in for a card until that is drawn', async () => {
    const url = '/img/tarjeta-inicio-1122334455.jpg'
    expect(await imageFile(url, root)).toMatchObject({ path: 'content/2025/inicio/ga1.jpg', isFinal: false })
    await writeFile(join(root, IMAGES_FOLDER, 'tarjeta-inicio-1122334455.jpg'), 'jpg')
    expect(await imageFile(url, root)).toMatchObject({ contentType: 'image/jpeg', isFinal: true })
    expect(await imageFile('/img/tarjeta-inicio-5544332211.jpg', root)).toBeUndefined()
  })

  it('serves logos as they are', async () => {
    expect(await imageFile('/img/marcas-sauz-abcdefabcd.svg', root)).toEqual({
      path: 'content/2025/marcas/sauz.svg',
      contentType: 'image/svg+xml',
      isFinal: true,
      isPressOnly: false,
    })
  })

  it.each([
    '/img/inicio-ga1-0123456789-481.avif',
    '/img/inicio-ga1-ffffffffff-480.avif',
    '/img/inicio-ga1-0123456789-480.gif',
    '/img/inicio-ga1-0123456789-480.jpg',
    '/img/../content/2025/inicio/ga1.jpg',
    '/img/manifest.json',
  ])('knows nothing of %s', async (url) => {
    expect(await imageFile(url, root)).toBeUndefined()
  })
})
