import { createSecretKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { workOn } from './prueba.client.ts'
import { isDone, makeReto } from './prueba.server.ts'

const key = createSecretKey('llave', 'utf8')

test('what the browser finds, the server takes: for this voter, for so much work, for ten minutes', async () => {
  const reto = await makeReto(key, 'yo', 16, 1_000)
  const prueba = { reto: JSON.stringify(reto), respuesta: (await workOn(reto))! }
  const check = (votante: string, trabajo: number, ahora: number, change = {}) =>
    isDone(key, votante, trabajo, ahora, { ...prueba, ...change })
  expect(await check('yo', 16, 2_000)).toBe(true)
  // Traffic may have grown since the work was given.
  expect(await check('yo', 64, 2_000)).toBe(true)
  expect(await check('yo', 128, 2_000)).toBe(false)
  expect(await check('tú', 16, 2_000)).toBe(false)
  expect(await check('yo', 16, 602_000)).toBe(false)
  expect(await isDone(createSecretKey('otra', 'utf8'), 'yo', 16, 2_000, prueba)).toBe(false)
})

test('nothing else is taken: work made lighter, prolonged or not done, and no work at all', async () => {
  const reto = await makeReto(key, 'yo', 16, 1_000)
  const respuesta = (await workOn(reto))!
  const forged = (change: object) => JSON.stringify({ ...reto, parameters: { ...reto.parameters, ...change } })
  const { counter, derivedKey } = JSON.parse(respuesta) as { counter: number; derivedKey: string }
  expect(counter).toBeGreaterThanOrEqual(16)
  for (const bad of [
    { reto: forged({ cost: 1 }), respuesta },
    { reto: forged({ data: { ...reto.parameters.data, hasta: 9e12 } }), respuesta },
    { reto: JSON.stringify({ parameters: reto.parameters }), respuesta },
    { reto: JSON.stringify(reto), respuesta: JSON.stringify({ counter: counter - 1, derivedKey }) },
    { reto: JSON.stringify(reto), respuesta: JSON.stringify({ counter: -1, derivedKey: '' }) },
    { reto: 'null', respuesta: '[]' },
    { reto: '', respuesta: '' },
  ])
    expect(await isDone(key, 'yo', 16, 2_000, bad)).toBe(false)
})
