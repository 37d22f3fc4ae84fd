import { randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { readErasuresBesideBackups, writeErasuresBesideBackups } from '#app/core/db/erasure-log.server.ts'
import { openBackupStore, streamOf } from './store.server.ts'

const newDestination = () => process.env.TEST_S3_URL!.replace('?', `/${randomUUID()}?`)

test.each([
  undefined,
  'una frase larga que nadie adivina',
])('a bucket keeps the files of a backup (key: %s)', async (passphrase) => {
  const destination = newDestination()
  const store = await openBackupStore(destination, passphrase)
  expect(store.name).not.toContain('endpoint')
  const body = Buffer.alloc(3_000_000, 'azahar ')
  const kept = await store.write('objetos', 'aa/uno', streamOf(body))
  expect(await store.write('objetos', 'aa/uno', streamOf(body))).toMatchObject({ sha256: kept.sha256 })
  await store.write('copias', 'x/tablas/a', streamOf(body), { isCompressed: true })
  // Another process, which knows only the key.
  const again = await openBackupStore(destination, passphrase)
  expect(await buffer(await again.read('objetos', 'aa/uno'))).toEqual(body)
  expect(await buffer(await again.read('copias', 'x/tablas/a', { isCompressed: true }))).toEqual(body)
  await expect(again.read('objetos', 'aa/otro')).rejects.toThrow('le falta un archivo')
})

test('the erasure log lies beside the backups, each line once', async () => {
  const { storage } = await openBackupStore(newDestination(), undefined)
  const lines = [1, 2].map((n) => ({ huella: String(n).repeat(64), at: '2025-09-01T00:00:00.000Z' }))
  await writeErasuresBesideBackups(storage, lines.slice(0, 1))
  await writeErasuresBesideBackups(storage, lines)
  expect(await readErasuresBesideBackups(storage)).toEqual(lines)
})
