import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { findLegibilityProblems } from './sharpness-and-glare.ts'

/** A document as a phone photographs it: letters on paper that is not quite white, on a table, with some noise. */
async function document({ wide = 1000, high = 700, paper = '#e4ded2', ink = '#2b2b30' } = {}) {
  const lines = Array.from(
    { length: 14 },
    (_, at) =>
      `<text x="${wide * 0.12}" y="${high * (0.2 + at * 0.05)}" font-size="${high * 0.032}" fill="${ink}">CURP GALM980412MJCRRR0${at} · SECCIÓN 14${at} · VIGENCIA 2031</text>`,
  )
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${high}" font-family="sans-serif">
    <rect width="100%" height="100%" fill="#6b5646"/><rect x="7%" y="8%" width="86%" height="84%" rx="18" fill="${paper}"/>${lines.join('')}</svg>`
  const noise = await sharp({
    create: {
      width: wide,
      height: high,
      channels: 3,
      background: '#808080',
      noise: { type: 'gaussian', mean: 128, sigma: 4 },
    },
  })
    .png()
    .toBuffer()
  return sharp(Buffer.from(svg))
    .composite([{ input: noise, blend: 'soft-light' }])
    .jpeg({ quality: 82 })
    .toBuffer()
}

async function examine(picture: Buffer, original?: number) {
  const { data, info } = await sharp(picture).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return findLegibilityProblems({ data, width: info.width, height: info.height }, original)
}

/** Adds a lamp's reflection, white in its middle. */
const withLampGlare = (picture: Buffer, radius: number) =>
  sharp(picture)
    .composite([
      {
        input: Buffer.from(
          `<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="700"><defs><radialGradient id="g"><stop offset="0.75" stop-color="#fff"/><stop offset="1" stop-color="#fff" stop-opacity="0"/></radialGradient></defs><circle cx="520" cy="340" r="${radius}" fill="url(#g)"/></svg>`,
        ),
      },
    ])
    .jpeg()
    .toBuffer()

describe('a photograph of a document', () => {
  test('that is sharp gets no hint, on its side or upright, on grey paper or white', async () => {
    expect(await examine(await document(), 12_000_000)).toEqual([])
    expect(await examine(await document({ wide: 1000, high: 1330 }), 12_000_000)).toEqual([])
    expect(await examine(await document({ paper: '#f6f4f0' }), 12_000_000)).toEqual([])
    // Taken in a dim room.
    expect(
      await examine(
        await sharp(await document())
          .modulate({ brightness: 0.6 })
          .toBuffer(),
        12_000_000,
      ),
    ).toEqual([])
  })

  test('that is out of focus or blurred by motion is reported', async () => {
    for (const sigma of [3, 5, 9])
      expect(
        await examine(
          await sharp(await document())
            .blur(sigma)
            .jpeg()
            .toBuffer(),
          12_000_000,
        ),
        String(sigma),
      ).toEqual(['blurred'])
    const moved = {
      width: 15,
      height: 15,
      kernel: Array.from({ length: 225 }, (_, at) => (Math.floor(at / 15) === 7 ? 1 : 0)),
    }
    expect(
      await examine(
        await sharp(await document())
          .convolve(moved)
          .jpeg()
          .toBuffer(),
        12_000_000,
      ),
    ).toContain('blurred')
  })

  test('with a reflection is reported', async () => {
    for (const radius of [110, 180])
      expect(await examine(await withLampGlare(await document(), radius), 12_000_000), String(radius)).toEqual([
        'glare',
      ])
  })

  test('that was scanned, white throughout, counts as free of reflections', async () => {
    expect(await examine(await document({ paper: '#ffffff' }), 12_000_000)).toEqual([])
  })

  test('that is too small to be read is reported', async () => {
    expect(await examine(await document({ wide: 640, high: 448 }), 640 * 448)).toEqual(['small'])
    expect(await examine(await document())).toEqual([])
  })
})
