import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestSite, type TestSite } from '#tests/support/site/test-site.ts'
import { fileTypeOfPath } from './file-rules.ts'
import { findFileByHash, findFileByPath, openEditionFile, saveEditionFile } from './file-store.server.ts'

let site: TestSite
beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site.close())

const sumOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const dimensions = { ancho: 1600, alto: 1067, vista: 'data:image/webp;base64,UklGRg==' }

test('a file is found by the path that names its bytes, and opened whole', async () => {
  const bytes = await readFile('content/2025/inicio/ga1.jpg')
  const sha256 = sumOf(bytes)
  const saved = await saveEditionFile(site.services, { tipo: 'image/jpeg', bytes, dimensions })
  const expected = { ruta: `fotos/${sha256.slice(0, 12)}.jpg`, sha256, tipo: 'image/jpeg', bytes: bytes.length }
  expect(saved).toEqual({ ...expected, ...dimensions })
  expect(await findFileByPath(site.services.db, saved.ruta)).toEqual(saved)
  expect(await findFileByHash(site.services.db, sha256)).toEqual(saved)
  expect(bytes.equals(await buffer((await openEditionFile(site.services.storage, sha256))!))).toBe(true)
})

test('the same bytes saved again, even concurrently, are one file, and missing dimensions are added', async () => {
  const bytes = Buffer.from('un anuncio')
  const save = (extra = {}) => saveEditionFile(site.services, { tipo: 'image/jpeg', bytes, ...extra })
  const saved = await Promise.all([save(), save(), save(), save()])
  await save({ dimensions })
  expect(new Set(saved.map(({ ruta }) => ruta)).size).toBe(1)
  expect(await findFileByPath(site.services.db, saved[0].ruta)).toMatchObject(dimensions)
  const { rows } = await site.database.pool.query('select guardado from archivos_de_edicion where sha256 = $1', [
    sumOf(bytes),
  ])
  expect(rows).toEqual([{ guardado: true }])
})

test('other bytes at a file’s object path make saving fail', async () => {
  const bytes = Buffer.from('lo que se guarda')
  const path = `archivos/${sumOf(bytes)}`
  await site.services.storage.putBytes('edicion', path, Buffer.from('otra cosa'), {
    contentType: 'image/jpeg',
    cacheControlSeconds: 0,
  })
  await expect(saveEditionFile(site.services, { tipo: 'image/jpeg', bytes })).rejects.toThrow()
  expect(await findFileByHash(site.services.db, sumOf(bytes))).toBeUndefined()
})

test('a file of the panel is found by its exact path only', async () => {
  await writeFile(join(site.dataDir, 'nota.pdf'), '%PDF-1.7')
  const { ruta } = await saveEditionFile(site.services, {
    tipo: 'application/pdf',
    file: join(site.dataDir, 'nota.pdf'),
  })
  const { db } = site.services
  expect(await findFileByPath(db, ruta)).toMatchObject({ tipo: 'application/pdf', ancho: null, vista: null })
  const others = ['inicio/ga1.jpg', ruta.replace('documentos', 'fotos'), `../${ruta}`, ruta.replace('.pdf', '.docx')]
  for (const other of others) expect(await findFileByPath(db, other)).toBeUndefined()
})

test('a file of every type is found by its path', async () => {
  const types = ['image/jpeg', 'image/png', 'image/svg+xml', 'video/mp4', 'video/webm', 'text/vtt'] as const
  for (const type of types) {
    const saved = await saveEditionFile(site.services, { tipo: type, bytes: Buffer.from(`un ${type}`) })
    expect(await findFileByPath(site.services.db, saved.ruta), type).toEqual(saved)
    expect(fileTypeOfPath(saved.ruta)).toBe(type)
  }
})
