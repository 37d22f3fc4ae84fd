import { createHash, createSecretKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { sha256Head, workOn } from './prueba.client.ts'
import { isDone, makeReto } from './prueba.server.ts'

test('the browser’s hash is the server’s', () => {
  for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 300]) {
    const text = 'a1.:_-Z'.repeat(50).slice(0, length)
    expect(sha256Head(text), String(length)).toBe(createHash('sha256').update(text).digest().readUInt32BE(0))
  }
})

test('what the browser finds, the server takes', async () => {
  const key = createSecretKey('llave', 'utf8')
  const reto = makeReto(key, 'yo', 12, 1_000)
  const prueba = { reto: reto.texto, respuesta: await workOn(reto) }
  expect(isDone(key, 'yo', 12, 2_000, prueba)).toBe(true)
  expect(isDone(key, 'tú', 12, 2_000, prueba)).toBe(false)
  expect(isDone(key, 'yo', 16, 2_000, prueba)).toBe(false)
})
