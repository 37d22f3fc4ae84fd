import { createSecretKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { workOn } from './proof-of-work.client.ts'
import { checkTrabajo, isEnough, makeTrabajo } from './proof-of-work.server.ts'

const key = createSecretKey('llave', 'utf8')

test('what the browser finds, the server takes: for this subject, for so much work, for ten minutes', async () => {
  const reto = await makeTrabajo(key, 'yo', 16, 1_000)
  const trabajo = { reto: JSON.stringify(reto), respuesta: (await workOn(reto))! }
  const hecho = await checkTrabajo(key, 'yo', 2_000, trabajo)
  expect(hecho).toEqual({ huella: reto.signature, intentos: 16, hasta: new Date(601_000) })
  // Traffic may have grown since the work was given.
  expect([16, 64, 65, 128].map((intentos) => isEnough(hecho, intentos))).toEqual([true, true, false, false])
  expect(isEnough(undefined, 0)).toBe(false)
  expect(await checkTrabajo(key, 'tú', 2_000, trabajo)).toBeUndefined()
  expect(await checkTrabajo(key, 'yo', 602_000, trabajo)).toBeUndefined()
  expect(await checkTrabajo(createSecretKey('otra', 'utf8'), 'yo', 2_000, trabajo)).toBeUndefined()
})

test('nothing else is taken: work made lighter, prolonged or not done, and no work at all', async () => {
  const reto = await makeTrabajo(key, 'yo', 16, 1_000)
  const respuesta = (await workOn(reto))!
  const forged = (change: object) => JSON.stringify({ ...reto, parameters: { ...reto.parameters, ...change } })
  const { counter, derivedKey } = JSON.parse(respuesta) as { counter: number; derivedKey: string }
  expect(counter).toBeGreaterThanOrEqual(16)
  const other = `${derivedKey[0] === '0' ? '1' : '0'}${derivedKey.slice(1)}`
  for (const bad of [
    { reto: forged({ cost: 1 }), respuesta },
    { reto: forged({ data: { ...reto.parameters.data, hasta: 9e12 } }), respuesta },
    { reto: forged({ data: { ...reto.parameters.data, intentos: 9e9 } }), respuesta },
    { reto: forged({ keySignature: undefined }), respuesta },
    { reto: JSON.stringify({ parameters: reto.parameters }), respuesta },
    { reto: JSON.stringify(reto), respuesta: JSON.stringify({ counter, derivedKey: other }) },
    { reto: JSON.stringify(reto), respuesta: JSON.stringify({ counter: -1, derivedKey: '' }) },
    { reto: 'null', respuesta: '[]' },
    { reto: '', respuesta: '' },
  ])
    expect(await checkTrabajo(key, 'yo', 2_000, bad)).toBeUndefined()
})
