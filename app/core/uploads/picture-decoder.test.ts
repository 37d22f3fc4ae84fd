import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { decodePicture, type Pixels } from './picture-decoder.server.ts'

const noise = (width: number, height: number) =>
  sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } })
const open = (bytes: Buffer, contentType = 'image/png') =>
  decodePicture(bytes, contentType, { maxSide: 2_000, minShare: 0.5, keepsAlpha: true })
const seen = async (bytes: Buffer): Promise<Pixels> => {
  const pixels = await open(bytes)
  if (typeof pixels === 'string') throw new Error(pixels)
  return pixels
}
const cut = (bytes: Buffer, share: number) => bytes.subarray(0, bytes.length * share)

test.each([
  ['of three colours', noise(300, 400).png()],
  ['grey', noise(300, 400).greyscale().png()],
  ['of a palette', noise(300, 400).png({ palette: true, colours: 16 })],
  ['of 16 bits', noise(300, 400).toColourspace('rgb16').png()],
  ['with transparency', noise(300, 400).ensureAlpha(0.5).png()],
  ['that is tiny', noise(40, 30).png()],
])('a cut PNG %s shows the rows that came and no others; with less than half of them it is refused', async (_, made) => {
  const whole = await made.toBuffer()
  const all = await seen(whole)
  const part = await seen(cut(whole, 0.7))
  expect(part.width).toBe(all.width)
  expect(part.height).toBeGreaterThan(all.height * 0.5)
  expect(part.height).toBeLessThan(all.height * 0.8)
  expect(part.data.equals(all.data.subarray(0, part.data.length))).toBe(true)
  for (const share of [0.05, 0.15, 0.3, 0.45]) expect(await open(cut(whole, share))).toBe('ilegible')
})

test('a PNG whose header claims more rows than there are, or that is damaged, shows the rows before the fault', async () => {
  const whole = await noise(300, 400).png().toBuffer()
  const said = (height: number) => {
    const png = Buffer.from(whole)
    png.writeUInt32BE(height, 20)
    png.writeUInt32BE(crc32(png.subarray(12, 29)), 29)
    return png
  }
  expect((await seen(said(600))).height).toBe(400)
  expect(await open(said(1_200))).toBe('ilegible')
  const damagedAt = (share: number) => {
    const png = Buffer.from(whole)
    png[Math.floor(png.length * share)]! ^= 0x55
    return png
  }
  expect((await seen(damagedAt(0.8))).height).toBeLessThan(400)
  expect(await open(damagedAt(0.2))).toBe('ilegible')
})

test('a WebP without its last bytes is shown, for any lost bits', async () => {
  // For these noises, zeros in place of the lost bytes stand for more data.
  for (const seed of [26, 35, 144]) {
    const data = Buffer.concat(Array.from({ length: 576 }, (_, at) => hash('sha256', `${seed} ${at}`, 'buffer')))
    const webp = await sharp(data, { raw: { width: 96, height: 64, channels: 3 } })
      .webp()
      .toBuffer()
    for (const lost of [1, 2, 3, 10])
      expect([seed, lost, typeof (await open(webp.subarray(0, -lost), 'image/webp'))]).toEqual([seed, lost, 'object'])
  }
})

test('other formats with less than half of their bytes are refused, and so is an interlaced PNG', async () => {
  const kinds: [string, string, Buffer][] = [
    ['JPEG', 'image/jpeg', await noise(300, 400).jpeg().toBuffer()],
    ['WebP', 'image/webp', await noise(300, 400).webp().toBuffer()],
    ['lossless WebP', 'image/webp', await noise(300, 400).webp({ lossless: true }).toBuffer()],
    ['AVIF', 'image/avif', await noise(100, 100).avif({ effort: 0 }).toBuffer()],
    ['interlaced PNG', 'image/png', await noise(300, 400).png({ progressive: true }).toBuffer()],
  ]
  for (const [name, contentType, bytes] of kinds) {
    expect([name, typeof (await open(bytes, contentType))]).toEqual([name, 'object'])
    for (const share of [0.05, 0.3, 0.45])
      expect([name, await open(cut(bytes, share), contentType)]).toEqual([name, 'ilegible'])
  }
})
