import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  anotaSupresion,
  llevaSupresiones,
  noteSupresiones,
  readSupresiones,
  readSupresionesDeBase,
  readSupresionesOf,
  vigentes,
} from '#app/core/db/erasure-log.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { openFolderStorage } from '#app/core/storage/folder-adapter.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { deleteInscripcion, recoverBorrados } from '#app/entries/retention/deletion.server.ts'
import { sembrarInscripcion } from '../../../tests/inscripciones.ts'
import { openTestSite, type TestSite } from '../../../tests/registro.ts'
import { respaldar, type SitioPorCopiar } from './create.server.ts'
import { devolverInscripcion } from './reinstate-entry.server.ts'
import { librosEnPalabras, repiteSupresiones, reuneSupresiones } from './replay-erasures.server.ts'
import { openCopia } from './restore.server.ts'
import { openAlmacen } from './store.server.ts'

let site: TestSite
let lugar: string
let sitio: SitioPorCopiar
const autor = { quien: null, desde: 'prueba' }

beforeAll(async () => {
  site = await openTestSite()
  const { storage, settings } = site.services
  sitio = {
    ...{ pool: site.database.pool, storage, dataDir: settings.dataDir, publicUrl: 'http://x', version: '1.0.0' },
    secreto: 's'.repeat(40),
  }
})
afterAll(() => site.close())
beforeEach(async () => {
  lugar = await mkdtemp(join(tmpdir(), 'certamen-libro-'))
  return () => rm(lugar, { recursive: true })
})

const row = (id: number) =>
  site.services.db.selectFrom('inscripciones').select('folio').where('id', '=', id).executeTakeFirst()
const huella = (letter: string) => letter.repeat(64)
const AT = '2026-03-01T10:00:00.000Z'

test('what is no line of a ledger is passed over and named, and writes nowhere', async () => {
  const folder = join(lugar, 'supresiones')
  await mkdir(folder)
  await noteSupresiones(lugar, [{ huella: huella('a'), at: AT }])
  await writeFile(join(folder, `${huella('b')}.json`), JSON.stringify({ huella: huella('b'), at: AT }))
  const bad: Record<string, string> = {
    'vacio.json': '',
    'ajeno.json': '{"otra": 1}',
    [`${huella('c')}.json`]: JSON.stringify({ huella: '../../victima', at: AT }),
    [`${huella('d')}.json`]: JSON.stringify({ huella: huella('e'), at: AT }),
    [`${huella('f')}.json`]: JSON.stringify({ huella: huella('f'), at: 'ayer' }),
    'largo.json': 'x'.repeat(10_000),
    'x.txt': 'nada',
  }
  for (const [name, body] of Object.entries(bad)) await writeFile(join(folder, name), body)
  await mkdir(join(folder, 'carpeta.json'))
  const named: string[] = []
  const lines = await readSupresiones(lugar, (name) => named.push(name))
  expect(lines.map((line) => line.huella).toSorted()).toEqual([huella('a'), huella('b')])
  expect(named.map((name) => name.slice(folder.length + 1)).toSorted()).toEqual(
    [...Object.keys(bad), 'carpeta.json'].toSorted(),
  )
  // The same beside backups, where somebody else may write.
  const storage = await openFolderStorage(lugar)
  const metadata = { contentType: 'application/json', cacheControlSeconds: 0 }
  for (const [name, body] of Object.entries(bad))
    await storage.putBytes('supresiones', name, Buffer.from(body), metadata)
  expect(await readSupresionesOf(storage, () => {})).toEqual([])
  await expect(noteSupresiones(lugar, [{ huella: '../../victima', at: AT }])).rejects.toThrow()
})

test('the newest line about somebody holds, whichever ledger has it', () => {
  const [a, b] = [huella('a'), huella('b')]
  const gone = { huella: a, at: AT }
  const back = { huella: a, at: '2026-03-02T10:00:00.000Z', vuelve: true }
  const again = { huella: a, at: '2026-03-03T10:00:00.000Z' }
  expect(vigentes([gone, { huella: b, at: AT }, back])).toEqual([{ huella: b, at: AT }])
  expect(vigentes([back, gone])).toEqual([])
  expect(vigentes([again, back, gone])).toEqual([again])
})

test('a deletion is in the ledger with its own transaction, and whoever comes next takes it along', async () => {
  const { db } = site.services
  const h = huella('1')
  // A process that ended right behind its commit, over another data folder.
  await db.transaction().execute((tx) => anotaSupresion(tx, h))
  // One that did not commit leaves nothing.
  await db
    .transaction()
    .execute(async (tx) => {
      await anotaSupresion(tx, huella('2'))
      throw new Error('rolled back')
    })
    .catch(() => {})
  const other = {
    ...site.services,
    settings: { ...site.services.settings, dataDir: join(lugar, 'b'), backupUrl: lugar },
  }
  await recoverBorrados(other)
  const found = [await readSupresiones(join(lugar, 'b')), await readSupresionesOf(await openFolderStorage(lugar))]
  for (const lines of found) expect(lines.map((line) => line.huella)).toEqual([h])
  // Once more, and from there to here: nothing is written twice.
  await llevaSupresiones(db, other.settings)
  expect(await readdir(join(lugar, 'b/supresiones'))).toHaveLength(1)
})

test('what cannot be deleted again at a start is hidden and left to the sweep', async () => {
  const { db } = site.services
  const id = await sembrarInscripcion(site.services, { titular: 'Se queda pegada' })
  const gone = await sembrarInscripcion(site.services, { titular: 'Se va bien' })
  await respaldar(sitio, await openAlmacen(lugar, undefined), { conservar: { cuantas: 3 }, dice() {} })
  const { clave } = await db.selectFrom('clave_de_supresiones').select('clave').executeTakeFirstOrThrow()
  const { huellaDeInscripcion } = await import('#app/entries/retention/stored-objects.server.ts')
  const rows = await db.selectFrom('inscripciones').select(['id', 'folio', 'created_at']).execute()
  const lineas = rows
    .filter((one) => [id, gone].includes(one.id))
    .map((one) => ({ huella: huellaDeInscripcion(clave, one), at: AT }))
  const { path } = await db
    .selectFrom('documentos')
    .select('path')
    .where('inscripcion_id', '=', id)
    .limit(1)
    .executeTakeFirstOrThrow()
  const stubborn: ObjectStorage = Object.assign(Object.create(site.services.storage), {
    async remove(bucket: string, one: string) {
      if (one === path) throw new Error('AccessDenied')
      await site.services.storage.remove(bucket, one)
    },
  })
  const services: Services = { ...site.services, storage: stubborn }
  expect(await repiteSupresiones(services, lineas, lugar)).toEqual({
    inscripciones: 2,
    candidatas: 0,
    pendientes: [id],
  })
  expect(await row(gone)).toBeUndefined()
  expect(await row(id)).toBeDefined()
  // Again at the next start, and at its end once the storage lets go.
  expect((await repiteSupresiones(services, lineas, lugar)).pendientes).toEqual([id])
  await recoverBorrados(site.services)
  expect(await row(id)).toBeUndefined()
})

test('who asks to be gone while her deletion by time waits is in the ledger', async () => {
  const { db } = site.services
  const id = await sembrarInscripcion(site.services, { titular: 'Pide a tiempo' })
  const broken: ObjectStorage = Object.assign(Object.create(site.services.storage), {
    remove: () => Promise.reject(new Error('away')),
  })
  const before = (await readSupresionesDeBase(db)).length
  await deleteInscripcion({ ...site.services, storage: broken }, id, 'plazo', autor)
  expect((await readSupresionesDeBase(db)).length).toBe(before)
  await deleteInscripcion({ ...site.services, storage: broken }, id, 'solicitud', autor)
  expect((await readSupresionesDeBase(db)).length).toBe(before + 1)
  await recoverBorrados(site.services)
  const said = await db.selectFrom('bitacora').select('que').orderBy('id', 'desc').limit(1).executeTakeFirst()
  expect(said).toEqual({ que: 'borrado.solicitud' })
})

test('who came back stays, whatever ledger another process still has; and goes for good if she asks again', async () => {
  const { db } = site.services
  const id = await sembrarInscripcion(site.services, { titular: 'Va y viene' })
  const { folio } = (await row(id))!
  const almacen = await openAlmacen(lugar, undefined)
  await respaldar(sitio, almacen, { conservar: { cuantas: 3 }, dice() {} })
  await deleteInscripcion(site.services, id, 'solicitud', autor)
  // Another process took the ledger as it was to a data folder of its own.
  const other = { ...site.services, settings: { ...site.services.settings, dataDir: join(lugar, 'otra') } }
  await llevaSupresiones(db, other.settings)
  const old = await readSupresiones(other.settings.dataDir)
  const { lineas } = await reuneSupresiones(almacen, [], [sitio.dataDir])
  const asked = { folio, lineas, aunque: true, libros: [], migrations: 'db/migrations', dice() {} }
  await devolverInscripcion(await openCopia(almacen), sitio, asked)
  expect(await repiteSupresiones(other, old, lugar)).toMatchObject({ inscripciones: 0 })
  expect(await row(id)).toBeDefined()
  await deleteInscripcion(site.services, id, 'solicitud', autor)
  await llevaSupresiones(db, other.settings)
  expect(vigentes(await readSupresiones(other.settings.dataDir)).length).toBe(vigentes(old).length)
  // While the deletion of somebody has not come to its end, nobody brings her back into it.
  await db
    .insertInto('borrados')
    .values({ inscripcion_id: id, acuse: 'B-X', bucket: 'registro', carpeta: 'x', motivo: 'solicitud', quien: null })
    .execute()
  await expect(devolverInscripcion(await openCopia(almacen), sitio, asked)).rejects.toThrow('todavía no termina')
  await db.deleteFrom('borrados').execute()
})

test('a restore finds the ledger that was put aside with the old data folder, and says what it found', async () => {
  const data = join(lugar, 'certamen')
  await noteSupresiones(join(lugar, 'certamen.antes'), [{ huella: huella('a'), at: AT }])
  await noteSupresiones(join(lugar, 'certamen-otro'), [{ huella: huella('b'), at: AT }])
  await noteSupresiones(join(lugar, 'certamenes'), [{ huella: huella('c'), at: AT }])
  const almacen = await openAlmacen(join(lugar, 'copias'), undefined)
  const libros = await reuneSupresiones(almacen, [join(lugar, 'no-es/\0carpeta')], [data])
  expect(libros.lineas.map((line) => line.huella).toSorted()).toEqual([huella('a'), huella('b')])
  expect(librosEnPalabras(libros).join(' ')).toMatch(/2 renglones, el más nuevo del 2026-03-01 a las 10:00 UTC/)
  expect(librosEnPalabras(libros)[0]).toContain('No se pudo leer el libro de borrados de BACKUP_URL')
  const none = await reuneSupresiones(almacen, [], [join(lugar, 'vacia')])
  expect(librosEnPalabras(none).join(' ')).toContain('No se encontró ningún libro de borrados')
  expect(
    await readFile(join(lugar, 'certamen.antes/supresiones', `${huella('a')}.${Date.parse(AT)}.json`), 'utf8'),
  ).toBe(JSON.stringify({ huella: huella('a'), at: AT }))
})
