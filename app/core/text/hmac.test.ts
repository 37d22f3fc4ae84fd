import { createHmac, createSecretKey, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { hmacSha256 } from './hmac.server.ts'

test('an HMAC equals that of Node, for every length of key and text', () => {
  // Keys shorter than a block, a block long, and longer; texts up to the end of the shared buffer, and beyond.
  for (const keyBytes of [1, 32, 64, 65, 200]) {
    const key = createSecretKey(randomBytes(keyBytes))
    for (const text of [
      '',
      'a',
      'Ximena Agave Montaño',
      'ñ\u0000😀'.repeat(30),
      'x'.repeat(1_344),
      'ñ'.repeat(1_345),
      'y'.repeat(9_000),
    ])
      expect(hmacSha256(key, text)).toEqual(createHmac('sha256', key).update(text).digest())
  }
})

test('one key after another, a short text after a long text: none leaves bytes behind', () => {
  const keys = [createSecretKey(Buffer.from('uno')), createSecretKey(Buffer.from('otro'))]
  for (const text of ['una boleta larga', 'b', 'c'.repeat(5_000), 'd'])
    for (const key of keys) expect(hmacSha256(key, text)).toEqual(createHmac('sha256', key).update(text).digest())
})
