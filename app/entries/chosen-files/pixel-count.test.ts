import sharp from 'sharp'
import { expect, test } from 'vitest'
import { countPixels } from './pixel-count.ts'

const picture = () => sharp({ create: { width: 321, height: 123, channels: 3, background: '#c21f6b' } })

test.each([
  ['JPEG', () => picture().jpeg()],
  [
    'progressive JPEG with a description before',
    () =>
      picture()
        .jpeg({ progressive: true })
        .withExif({ IFD0: { Artist: 'x'.repeat(9_000) } }),
  ],
  ['PNG', () => picture().png()],
  ['WebP', () => picture().webp()],
  ['WebP without loss', () => picture().webp({ lossless: true })],
  ['WebP with transparency', () => picture().ensureAlpha(0.5).webp()],
])('the pixels of a %s', async (_, make) => {
  expect(countPixels(await make().toBuffer())).toBe(321 * 123)
})

test('the header’s claim counts: 30,000 × 30,000 pixels in a few bytes', async () => {
  const png = await picture().png().toBuffer()
  png.writeUInt32BE(30_000, 16)
  png.writeUInt32BE(30_000, 20)
  expect(countPixels(png)).toBe(900_000_000)
})

test('a file without dimensions, or cut off before them, has no pixel count', async () => {
  for (const other of ['', '%PDF-1.7', '\0\0\0\x18ftypheic', '\xff\xd8\xff\xe0', '\x89PNG\r\n\x1a\n', '\xff\xd8hola'])
    expect(countPixels(Buffer.from(other, 'latin1'))).toBeUndefined()
  const jpeg = await picture().jpeg().toBuffer()
  for (let length = 0; length < 100; length += 7) expect(countPixels(jpeg.subarray(0, length))).toBeUndefined()
})
