import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ImageManifest } from '#app/contenido/imagenes.server.ts'

const run = promisify(execFile)
let root: string

/** A picture small enough that every size of it takes no time; the tone tells one from another. */
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
  await cp('content', join(root, 'content'), { recursive: true })
  let tone = 0
  for (const entry of await readdir(join(root, 'content/2025'), { recursive: true }))
    if (entry.endsWith('.jpg')) await writeFile(join(root, 'content/2025', entry), await picture(tone++))
})
afterAll(() => rm(root, { recursive: true, force: true }))

it('makes the first view before the rest, everything once, and sweeps what left the edition', async () => {
  await make('--primera-vista')
  const first = await made()
  expect(first.length).toBeGreaterThan(0)
  for (const name of first) expect(name).toMatch(/^inicio-fondo-(vertical-)?poster-[0-9a-f]{10}-\d+\.avif$/)
  // All are known, whether made or not.
  const { photos, files } = await manifest()
  expect(Object.keys(photos)).toContain('inicio/ga4.jpg')
  expect(Object.keys(files)).toContain('inicio/fondo.webm')

  await make()
  const all = await made()
  expect(all.length).toBe(Object.keys(photos).length * 5)
  expect(
    await sharp(join(root, '.cache/images', all.find((name) => name.endsWith('-480.webp'))!)).metadata(),
  ).toMatchObject({ width: 480, format: 'webp' })

  const before = await stat(join(root, '.cache/images', all[0]!))
  expect(await make()).toBe('Tamaños de imagen hechos: 0.')
  expect((await stat(join(root, '.cache/images', all[0]!))).mtimeMs).toBe(before.mtimeMs)

  // Two at once do not get in each other's way.
  await rm(join(root, '.cache/images', all[0]!))
  const both = await Promise.all([make(), make()])
  expect(both.sort()).toEqual(['Tamaños de imagen hechos: 0.', 'Tamaños de imagen hechos: 1.'])

  // Another picture under the same name: another address, and the old one goes.
  await writeFile(join(root, 'content/2025/inicio/ga4.jpg'), await picture(200))
  expect(await make()).toBe('Tamaños de imagen hechos: 5.')
  const later = await made()
  expect(later).toHaveLength(all.length)
  expect(later.filter((name) => name.startsWith('inicio-ga4')).some((name) => all.includes(name))).toBe(false)
}, 60_000)

it('keeps the preview of a picture within some hundred bytes', async () => {
  for (const { preview } of Object.values((await manifest()).photos)) expect(preview.length).toBeLessThan(300)
})
