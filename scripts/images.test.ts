import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ImageManifest } from '#app/cms/media/image-manifest.server.ts'
import { copyWithSmallPhotos } from '#tests/support/site/content-copy.ts'

const run = promisify(execFile)
let root: string

/** A picture so small that its sizes take no time; the tone tells one from another. */
const picture = (tone: number) =>
  sharp({ create: { width: 500, height: 300, channels: 3, background: { r: tone, g: 20, b: 40 } } })
    .jpeg()
    .toBuffer()

const make = async (...args: string[]) =>
  (await run(process.execPath, [resolve('scripts/images.ts'), ...args], { cwd: root })).stdout.trim()
const made = async () => (await readdir(join(root, '.cache/images'))).filter((name) => name !== 'manifest.json').sort()
const manifest = async () =>
  JSON.parse(await readFile(join(root, '.cache/images/manifest.json'), 'utf8')) as ImageManifest

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fotos-'))
  await copyWithSmallPhotos('content', join(root, 'content'))
})
afterAll(() => rm(root, { recursive: true, force: true }))

it('makes the first view before the rest, every picture once, and sweeps pictures that left the edition', async () => {
  await make('--primera-vista')
  const first = await made()
  expect(first.length).toBeGreaterThan(0)
  for (const name of first) expect(name).toMatch(/^inicio-fondo-(vertical-)?poster-[0-9a-f]{10}-\d+\.avif$/)
  // The manifest knows every picture, whether made or not.
  const { photos, files, cards } = await manifest()
  expect(Object.keys(photos)).toContain('inicio/ga4.jpg')
  expect(Object.keys(files)).toContain('inicio/fondo.webm')

  await make()
  const all = await made()
  const pngs = all.filter((name) => name.endsWith('.png'))
  expect(all.length).toBe(Object.keys(photos).length * 5 + Object.keys(cards).length + pngs.length)
  expect(
    await sharp(join(root, '.cache/images', all.find((name) => name.endsWith('-480.webp'))!)).metadata(),
  ).toMatchObject({ width: 480, format: 'webp' })

  const before = await stat(join(root, '.cache/images', all[0]!))
  expect(await make()).toBe('Imágenes hechas: 0.')
  expect((await stat(join(root, '.cache/images', all[0]!))).mtimeMs).toBe(before.mtimeMs)

  // Two runs at once do not disturb each other.
  await rm(join(root, '.cache/images', all[0]!))
  const both = await Promise.all([make(), make()])
  expect(both.sort()).toEqual(['Imágenes hechas: 0.', 'Imágenes hechas: 1.'])

  // A changed picture under the same name gets another address, and the old files go once they are older than KEPT_MS.
  await writeFile(join(root, 'content/2025/inicio/ga4.jpg'), await picture(200))
  expect(await make()).toBe('Imágenes hechas: 5.')
  expect((await made()).length).toBe(all.length + 5)
  const monthsAgo = Date.now() / 1000 - 100 * 86_400
  for (const name of all) await utimes(join(root, '.cache/images', name), monthsAgo, monthsAgo)
  expect(await make()).toBe('Imágenes hechas: 0.')
  const later = await made()
  expect(later).toHaveLength(all.length)
  expect(later.filter((name) => name.startsWith('inicio-ga4')).some((name) => all.includes(name))).toBe(false)
}, 60_000)

it('draws a card for every screen, candidate, teacher, news item and call', async () => {
  const cards = (await made()).filter((name) => name.startsWith('tarjeta-'))
  expect(cards).toHaveLength(23)
  for (const name of cards) {
    const file = join(root, '.cache/images', name)
    expect(await sharp(file).metadata()).toMatchObject({ format: 'jpeg', width: 1200, height: 630 })
    expect((await stat(file)).size).toBeLessThan(300_000)
  }
})

it('draws a card again when its text changes', async () => {
  const before = await manifest()
  const yaml = join(root, 'content/2025/candidatas.yaml')
  await writeFile(yaml, (await readFile(yaml, 'utf8')).replace('Paola Colorín Vega', 'Paola Colorín de la Vega'))
  await make('--primera-vista')
  const { cards } = await manifest()
  expect(cards['candidata-paola-colorin-de-la-vega']?.hash).not.toBe(before.cards['candidata-paola-colorin-vega']?.hash)
  expect(cards['candidata-valeria-bugambilia-olmos']).toEqual(before.cards['candidata-valeria-bugambilia-olmos'])
})

describe('a picture that cannot be shown', () => {
  const file = () => join(root, 'content/2025/inicio/ga1.jpg')
  const flat = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#400' } }).jpeg({ quality: 20 })

  it.each<[string, () => Promise<Buffer>, RegExp]>([
    ['no picture at all', async () => Buffer.from('hola'), /no se puede abrir/],
    ['half of one', async () => (await picture(9)).subarray(0, 700), /no se puede abrir, o está a medias/],
    ['another format under this name', () => flat(50, 50).webp().toBuffer(), /es webp.*guárdala como JPEG/],
    [
      'far too large',
      async () => claiming(await flat(50, 50).toBuffer(), 15_000, 9_000),
      /15000 × 9000 puntos: redúcela/,
    ],
  ])('%s: the error names the file and the mend', async (_, bytes, mend) => {
    await writeFile(file(), await bytes())
    for (const command of [['scripts/images.ts'], ['scripts/contenido.ts', 'revisar']]) {
      const [script, ...args] = command
      const failed = await run(process.execPath, [resolve(script!), ...args], { cwd: root }).catch((error) => error)
      expect(failed).toMatchObject({ code: 1 })
      expect(failed.stderr).toMatch(new RegExp(`content/2025/inicio/ga1\\.jpg: .*${mend.source}`))
      expect(failed.stderr).not.toMatch(/^ +at /m)
    }
  })

  it('a picture of 12 000 pixels across is accepted, and made smaller', async () => {
    await writeFile(file(), await flat(12_000, 1_200).toBuffer())
    await make('--primera-vista')
    const entry = (await manifest()).photos['inicio/ga1.jpg']!
    expect(entry).toMatchObject({ width: 12_000, height: 1_200 })
    await make()
    const sizes = (await made()).filter((name) => name.startsWith(`inicio-ga1-${entry.hash}`))
    expect(sizes).toHaveLength(15)
    expect(sizes).toContain(`inicio-ga1-${entry.hash}-2400.avif`)
  }, 60_000)
})

it('keeps the preview of a picture under 300 bytes', async () => {
  for (const { preview } of Object.values((await manifest()).photos)) expect(preview.length).toBeLessThan(300)
})

/** A JPEG whose frame header (ITU T.81, SOF0 or SOF2) says another size than it has. */
function claiming(jpeg: Buffer, width: number, height: number): Buffer {
  const at = jpeg.findIndex((byte, index) => byte === 0xff && (jpeg[index + 1] === 0xc0 || jpeg[index + 1] === 0xc2))
  const changed = Buffer.from(jpeg)
  changed.writeUInt16BE(height, at + 5)
  changed.writeUInt16BE(width, at + 7)
  return changed
}
