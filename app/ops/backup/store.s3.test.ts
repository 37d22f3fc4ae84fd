import { randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { keepSupresiones, readSupresionesOf } from '#app/core/db/erasure-log.server.ts'
import { openAlmacen, streamOf } from './store.server.ts'

const place = () => process.env.TEST_S3_URL!.replace('?', `/${randomUUID()}?`)

test.each([
  undefined,
  'una frase larga que nadie adivina',
])('a bucket keeps what a copy is made of (key: %s)', async (clave) => {
  const destino = place()
  const almacen = await openAlmacen(destino, clave)
  expect(almacen.nombre).not.toContain('endpoint')
  const body = Buffer.alloc(3_000_000, 'azahar ')
  const kept = await almacen.guarda('objetos', 'aa/uno', streamOf(body))
  expect(await almacen.guarda('objetos', 'aa/uno', streamOf(body))).toMatchObject({ sha256: kept.sha256 })
  await almacen.guarda('copias', 'x/tablas/a', streamOf(body), { comprime: true })
  // Another process, with nothing but the key.
  const again = await openAlmacen(destino, clave)
  expect(await buffer(await again.abre('objetos', 'aa/uno'))).toEqual(body)
  expect(await buffer(await again.abre('copias', 'x/tablas/a', { comprime: true }))).toEqual(body)
  await expect(again.abre('objetos', 'aa/otro')).rejects.toThrow('le falta un archivo')
})

test('the ledger of deletions lies beside the copies, each line once', async () => {
  const { storage } = await openAlmacen(place(), undefined)
  const lines = [1, 2].map((n) => ({ huella: String(n).repeat(64), at: '2025-09-01T00:00:00.000Z' }))
  await keepSupresiones(storage, lines.slice(0, 1))
  await keepSupresiones(storage, lines)
  expect(await readSupresionesOf(storage)).toEqual(lines)
})
