import { createSecretKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { solveWork } from './proof-of-work.client.ts'
import { createWorkChallenge, isEnoughWork, verifyWork } from './proof-of-work.server.ts'

const key = createSecretKey('llave', 'utf8')

test('the server takes the browser’s solution: for this subject, for so much work, for ten minutes', async () => {
  const challenge = await createWorkChallenge(key, 'yo', 16, 1_000)
  const proofOfWork = { reto: JSON.stringify(challenge), respuesta: (await solveWork(challenge))! }
  const done = await verifyWork(key, 'yo', 2_000, proofOfWork)
  expect(done).toEqual({ fingerprint: challenge.signature, difficulty: 16, expiresAt: new Date(601_000) })
  // Traffic may have grown since the work was given.
  expect([16, 64, 65, 128].map((difficulty) => isEnoughWork(done, difficulty))).toEqual([true, true, false, false])
  expect(isEnoughWork(undefined, 0)).toBe(false)
  expect(await verifyWork(key, 'tú', 2_000, proofOfWork)).toBeUndefined()
  expect(await verifyWork(key, 'yo', 602_000, proofOfWork)).toBeUndefined()
  expect(await verifyWork(createSecretKey('otra', 'utf8'), 'yo', 2_000, proofOfWork)).toBeUndefined()
})

test('the server refuses work that was made lighter, prolonged or not done, and missing work', async () => {
  const challenge = await createWorkChallenge(key, 'yo', 16, 1_000)
  const solution = (await solveWork(challenge))!
  const forged = (change: object) =>
    JSON.stringify({ ...challenge, parameters: { ...challenge.parameters, ...change } })
  const { counter, derivedKey } = JSON.parse(solution) as { counter: number; derivedKey: string }
  expect(counter).toBeGreaterThanOrEqual(16)
  const other = `${derivedKey[0] === '0' ? '1' : '0'}${derivedKey.slice(1)}`
  for (const bad of [
    { reto: forged({ cost: 1 }), respuesta: solution },
    { reto: forged({ data: { ...challenge.parameters.data, hasta: 9e12 } }), respuesta: solution },
    { reto: forged({ data: { ...challenge.parameters.data, intentos: 9e9 } }), respuesta: solution },
    { reto: forged({ keySignature: undefined }), respuesta: solution },
    { reto: JSON.stringify({ parameters: challenge.parameters }), respuesta: solution },
    { reto: JSON.stringify(challenge), respuesta: JSON.stringify({ counter, derivedKey: other }) },
    { reto: JSON.stringify(challenge), respuesta: JSON.stringify({ counter: -1, derivedKey: '' }) },
    { reto: 'null', respuesta: '[]' },
    { reto: '', respuesta: '' },
  ])
    expect(await verifyWork(key, 'yo', 2_000, bad)).toBeUndefined()
})
