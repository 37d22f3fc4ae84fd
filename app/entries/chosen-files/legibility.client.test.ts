import { expect, test, vi } from 'vitest'
import { examinePhoto } from './legibility.client.ts'

/** Returns the beginning of a PNG, which is all that tells its dimensions. */
function pngOf(width: number, height: number): File {
  const head = Buffer.alloc(24)
  head.write('\x89PNG', 'latin1')
  head.writeUInt32BE(width, 16)
  head.writeUInt32BE(height, 20)
  return new File([head], 'acta.png', { type: 'image/png' })
}

test('a photograph that could crash a phone is not decoded to be examined', async () => {
  const decode = vi.fn().mockRejectedValue(new Error('This test decodes nothing'))
  vi.stubGlobal('createImageBitmap', decode)
  expect(await examinePhoto(pngOf(12_000, 9_000))).toEqual([])
  expect(decode).not.toHaveBeenCalled()
  expect(await examinePhoto(pngOf(9_248, 6_920))).toEqual([])
  expect(decode).toHaveBeenCalledOnce()
})
