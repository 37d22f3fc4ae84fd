import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { vigentes } from '#app/core/db/erasure-log.server.ts'
import { openFolderStorage } from '#app/core/storage/folder-adapter.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { deleteInscripcion } from '#app/entries/retention/deletion.server.ts'
import { createVotacion } from '#app/voting/ballot/mutations.server.ts'
import { recountTodas } from '#app/voting/chain/recount.server.ts'
import { dumpOf, emptyDatabase, type TestDatabase } from '../../../tests/database.ts'
import { sembrarInscripcion } from '../../../tests/inscripciones.ts'
import { openTestSite, type TestSite } from '../../../tests/registro.ts'
import { OPEN, sealAll, vote } from '../../../tests/votos.ts'
import { cerradoEnPalabras, cierraLoDeAntes } from './after-restore.server.ts'
import { type OpcionesDeRespaldo, respaldar, type SitioPorCopiar } from './create.server.ts'
import { countCuentas } from './load-database.server.ts'
import { hacerCopia } from './mutations.server.ts'
import { ensayar } from './rehearsal.server.ts'
import { devolverInscripcion } from './reinstate-entry.server.ts'
import { repiteSupresiones, reuneSupresiones } from './replay-erasures.server.ts'
import { assertVacio, openCopia, restoreBase, restoreObjetos } from './restore.server.ts'
import { openAlmacen } from './store.server.ts'

const MIGRATIONS = 'db/migrations'
const CLAVE = 'una frase larga que nadie adivina'
const SECRETO = 's'.repeat(40)
const opciones: OpcionesDeRespaldo = { conservar: { cuantas: 3 }, dice() {} }
const autor = { quien: null, desde: 'prueba' }

let site: TestSite
let destino: string
let sitio: SitioPorCopiar
const made: TestDatabase[] = []

beforeAll(async () => {
  site = await openTestSite()
  const { db, storage, settings } = site.services
  sitio = {
    ...{ pool: site.database.pool, storage, dataDir: settings.dataDir, publicUrl: 'http://x', version: '1.0.0' },
    secreto: SECRETO,
  }
  for (let n = 0; n < 3; n++) await sembrarInscripcion(site.services, { titular: `Ana "la ${n}"\\ Ñandú\n\tde allá` })
  await sembrarInscripcion(site.services, { tipo: 'traje', titular: 'Luz Biznaga' })
  const services = { ...site.services, clock: { now: () => OPEN } }
  const votacion = createVotacion(services)
  for (let n = 0; n < 12; n++) expect(await vote(votacion, (n % 3) + 1)).toMatchObject({ ok: true })
  await sealAll(services)
  await sql`insert into correos (idempotency_key, kind, priority, recipient, subject, body_text, body_html, expires_at)
    values ('x', 'inscripcion', 1, 'a@correo.example', 'Á', 'x', 'x', 'infinity')`.execute(db)
})
afterAll(async () => {
  for (const database of made) await database.drop()
  await site.close()
})
beforeEach(async () => {
  destino = await mkdtemp(join(tmpdir(), 'certamen-copia-'))
  return () => rm(destino, { recursive: true })
})

async function emptyPlace(): Promise<{ database: TestDatabase; storage: ObjectStorage; dataDir: string }> {
  const database = await emptyDatabase()
  made.push(database)
  const dataDir = join(destino, randomUUID())
  return { database, storage: await openFolderStorage(dataDir), dataDir }
}

async function restored(clave?: string) {
  const dicho: string[] = []
  const abierta = await openCopia(await openAlmacen(destino, clave), undefined, (line) => dicho.push(line))
  const place = await emptyPlace()
  const { difieren } = await restoreBase(place.database.pool, abierta, MIGRATIONS, () => {})
  const bad = await restoreObjetos(abierta, place, () => {})
  return { dicho, ...place, abierta, difieren, bad }
}

/** Everything that stands in a database, whatever the order in which it lies there. */
const rowsOf = async ({ pool }: TestDatabase, ...except: string[]) =>
  (await dumpOf(pool, ['migraciones', ...except])).split('\n').toSorted()

const objectsOf = async (storage: ObjectStorage) => {
  const found: Record<string, unknown> = {}
  for (const bucket of ['registro', 'registrotrajes', 'edicion'])
    for await (const path of storage.list(bucket, '')) found[`${bucket}/${path}`] = await storage.head(bucket, path)
  return found
}

test.each([
  undefined,
  CLAVE,
])('what is restored is, row by row and file by file, what was copied (key: %s)', async (clave) => {
  const before = await rowsOf(site.database)
  const hecha = await respaldar(sitio, await openAlmacen(destino, clave), opciones)
  expect(hecha).toMatchObject({ cifrada: clave !== undefined, perdidos: [], cuentas: { entradas: 4, votos: 12 } })
  const { database, storage, difieren, bad, abierta, dicho } = await restored(clave)
  expect(dicho).toEqual(clave ? [] : [expect.stringMatching(/no está cifrado: no se puede saber si lo cambió alguien/)])
  expect([difieren, bad]).toEqual([[], []])
  expect(await rowsOf(database)).toEqual(before)
  expect(await objectsOf(storage)).toEqual(await objectsOf(sitio.storage))
  expect(await countCuentas(database.pool)).toEqual(hecha.cuentas)
  expect(await recountTodas(database.db, site.services.keyed)).toEqual([])
  // What comes next gets numbers of its own.
  const { rows } = await database.pool.query(`insert into correos
    (idempotency_key, kind, priority, recipient, subject, body_text, body_html, expires_at)
    values ('y', 'x', 1, 'a@correo.example', 'x', 'x', 'x', now()) returning id > (select max(id) from correos) as newer`)
  expect(rows).toEqual([{ newer: true }])
  // The secret goes along only where nobody else can read it.
  expect(abierta.manifiesto.secreto).toBe(clave && SECRETO)
  await expect(assertVacio(database.pool, storage, abierta)).rejects.toThrow('no está vacía')
  // What was under way then does not go on now: the queued message may have gone out since.
  const cerrado = await cierraLoDeAntes(database.db)
  expect(cerrado).toMatchObject({ correos: 2, cuentas: [] })
  const waiting = await database.pool.query('select 1 from correos where failed_at is null and sent_at is null')
  expect([waiting.rowCount, cerradoEnPalabras(cerrado).length]).toEqual([0, 1])
})

test('what is on its way in goes into no copy, and hinders no restore', async () => {
  const { staging } = site.mesa
  const nueva = { clase: 'fotoRostro' as const, lado: null, filename: 'cara-de-paso.jpg', size: 9 }
  const { id } = await staging.create('a'.repeat(64), nueva, 'red')
  await staging.append('a'.repeat(64), id, Readable.from([Buffer.from('abc')]), 0)
  expect((await rowsOf(site.database)).join()).toContain('cara-de-paso')
  await respaldar(sitio, await openAlmacen(destino, undefined), opciones)
  const { database, difieren, bad, abierta, storage } = await restored()
  expect([difieren, bad]).toEqual([[], []])
  expect(abierta.manifiesto.tablas.map(({ nombre }) => nombre)).not.toContain('subidas')
  expect((await rowsOf(database)).join()).not.toContain('cara-de-paso')
  for await (const path of storage.list('subidas', '')) expect(path).toBe('nothing')
  await staging.removeAll('a'.repeat(64))
  await sql`truncate llegadas_por_red`.execute(site.services.db)
})

test('an encrypted copy shows no name, no path and no secret to whoever finds it, and opens with its key alone', async () => {
  const real = await respaldar(sitio, await openAlmacen(destino, CLAVE), opciones)
  for (const path of await readdir(destino, { recursive: true })) {
    expect(path).not.toMatch(/Ana|Luz|fotoRostro|\.jpg/i)
    const bytes = await readFile(join(destino, path)).catch(() => Buffer.alloc(0))
    for (const secret of ['Luz Biznaga', SECRETO, 'votante'])
      expect(bytes.includes(secret), `${path}: ${secret}`).toBe(false)
  }
  await expect(openAlmacen(destino, `${CLAVE}.`)).rejects.toThrow('no abre estos respaldos')
  await expect(openCopia(await openAlmacen(destino, undefined))).rejects.toThrow('BACKUP_KEY')
  // Nor does anybody without the key put a copy of the own making in front of it.
  const planted = await respaldar(sitio, await openAlmacen(destino, undefined), opciones)
  const almacen = await openAlmacen(destino, CLAVE)
  const said: string[] = []
  expect((await openCopia(almacen, undefined, (line) => said.push(line))).caratula.id).toBe(real.id)
  expect(said.join()).toContain('pudo ponerlos ahí otra persona')
  await expect(openCopia(almacen, planted.id)).rejects.toThrow('pudo ponerlo ahí otra persona')
  const after = await respaldar(sitio, almacen, { ...opciones, conservar: { cuantas: 1 } })
  expect([after.quitadas, after.avisos]).toEqual([1, [expect.stringContaining('1 copias de ahí no están cifradas')]])
})

test('the second copy sends new objects alone; only so many copies stay, and what they need', async () => {
  const almacen = await openAlmacen(destino, undefined)
  const first = await respaldar(sitio, almacen, opciones)
  const id = await sembrarInscripcion(site.services, { titular: 'Nueva Palma' })
  const second = await respaldar(sitio, almacen, { ...opciones, conservar: { cuantas: 1 } })
  // Her six documents; what is kept of each entry beside them is the same few bytes in this test.
  expect([first.objetos, second.objetos - first.objetos, second.nuevos]).toEqual([25, 7, 6])
  expect(second).toMatchObject({ quitadas: 1 })
  expect((await restored()).bad).toEqual([])
  await expect(openCopia(almacen, first.id)).rejects.toThrow('no está el respaldo')
  await deleteInscripcion(site.services, id, 'solicitud', autor)
})

test('a copy that is damaged says so before anything is trusted', async () => {
  const { id } = await respaldar(sitio, await openAlmacen(destino, undefined), opciones)
  const abierta = await openCopia(await openAlmacen(destino, undefined))
  const [objeto] = abierta.manifiesto.objetos
  await writeFile(join(destino, 'objects/objetos', objeto!.guardado.nombre), 'otra cosa')
  const { fallas } = await ensayar(abierta, { migrations: MIGRATIONS, lugar: destino, secreto: undefined, dice() {} })
  expect(fallas).toEqual([`Falta o está dañado el archivo ${objeto!.bucket}/${objeto!.path}.`])
  await writeFile(join(destino, `objects/copias/${id}/tablas/inscripciones`), 'otra cosa')
  const { database } = await emptyPlace()
  await expect(restoreBase(database.pool, abierta, MIGRATIONS, () => {})).rejects.toThrow('están dañados')
  expect((await database.pool.query('select count(*)::int as n from profiles')).rows).toEqual([{ n: 0 }])
})

test('whoever asked to be gone after the copy does not come back with it, nor do her documents stay in older copies', async () => {
  const almacen = await openAlmacen(destino, undefined)
  const id = await sembrarInscripcion(site.services, { titular: 'Quien se va' })
  const stays = await sembrarInscripcion(site.services, { titular: 'Quien vence' })
  const documents = site.services.db.selectFrom('documentos').select('path').where('inscripcion_id', '=', id)
  const hers = (await documents.execute()).map(({ path }) => `registro/${path}`)
  await respaldar(sitio, almacen, opciones)
  await deleteInscripcion(site.services, id, 'solicitud', autor)
  await deleteInscripcion(site.services, stays, 'plazo', autor)
  const { database, storage, dataDir } = await restored()
  const services = { ...site.services, db: database.db, storage, settings: { ...site.services.settings, dataDir } }
  const titulares = async () =>
    (await database.db.selectFrom('inscripciones').select('titular').execute()).map(({ titular }) => titular)
  expect(await titulares()).toContain('Quien se va')
  const { lineas } = await reuneSupresiones(almacen, [undefined], [sitio.dataDir])
  expect(lineas.length).toBeGreaterThan(0)
  for (const { huella, ...rest } of lineas) {
    expect(huella).toMatch(/^[0-9a-f]{64}$/)
    expect(Object.keys(rest)).toEqual(['at'])
  }
  expect(await repiteSupresiones(services, lineas, destino)).toEqual({
    inscripciones: 1,
    candidatas: 0,
    pendientes: [],
  })
  expect(await titulares()).not.toContain('Quien se va')
  expect(await titulares()).toContain('Quien vence')
  const there = Object.keys(await objectsOf(storage))
  expect([hers.length, hers.filter((path) => there.includes(path))]).toEqual([6, []])
  // The next copy clears the older one of her documents, which stays good for everybody else.
  const before = await openCopia(almacen)
  await respaldar(sitio, almacen, opciones)
  const left = await restoreObjetos(before, undefined, () => {})
  expect(left.toSorted()).toEqual(hers.toSorted())
})

test('one entry comes back whole out of a copy, with its line of the log, unless she asked to be gone', async () => {
  const almacen = await openAlmacen(destino, CLAVE)
  const id = await sembrarInscripcion(site.services, { titular: 'Vuelve Azucena' })
  const { folio } = await site.services.db
    .selectFrom('inscripciones')
    .select('folio')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await respaldar(sitio, almacen, opciones)
  const abierta = await openCopia(almacen)
  const [rows, objects] = [await rowsOf(site.database, 'bitacora', 'supresiones'), await objectsOf(sitio.storage)]
  const asked = { folio, aunque: false, libros: [], migrations: MIGRATIONS, dice() {} }
  await expect(devolverInscripcion(abierta, sitio, { ...asked, lineas: [] })).rejects.toThrow('sigue en el sitio')
  await deleteInscripcion(site.services, id, 'solicitud', autor)
  const { lineas } = await reuneSupresiones(almacen, [], [sitio.dataDir])
  await expect(devolverInscripcion(abierta, sitio, { ...asked, lineas })).rejects.toThrow('a solicitud de la persona')
  expect(await devolverInscripcion(abierta, sitio, { ...asked, lineas, aunque: true })).toEqual({ documentos: 7 })
  expect(await rowsOf(site.database, 'bitacora', 'supresiones')).toEqual(rows)
  expect(await objectsOf(sitio.storage)).toEqual(objects)
  const { rows: said } = await site.database.pool.query(
    'select que, inscripcion from bitacora order by id desc limit 1',
  )
  expect(said).toEqual([{ que: 'inscripcion.devuelta', inscripcion: id }])
  const after = await reuneSupresiones(almacen, [], [sitio.dataDir])
  expect(vigentes(after.lineas).length).toBe(vigentes(lineas).length - 1)
})

test('what the storage has lost is named, and the copy of the rest is made', async () => {
  const id = await sembrarInscripcion(site.services, { titular: 'Sin Acta' })
  const { path } = await site.services.db
    .selectFrom('documentos')
    .select('path')
    .where('inscripcion_id', '=', id)
    .limit(1)
    .executeTakeFirstOrThrow()
  await rm(join(sitio.dataDir, 'objects/registro', path))
  expect((await hacerCopia(sitio, { destino, clave: undefined }, opciones)).perdidos).toEqual([`registro/${path}`])
  const { rows } = await site.database.pool.query('select hecha_at is not null as hecha, falla from copias')
  expect(rows).toEqual([{ hecha: true, falla: 'Faltan 1 archivos que la base de datos nombra.' }])
  await deleteInscripcion(site.services, id, 'solicitud', autor)
})

test('two copies at once: the second is told to wait', async () => {
  const almacen = await openAlmacen(destino, undefined)
  const done = await Promise.allSettled([respaldar(sitio, almacen, opciones), respaldar(sitio, almacen, opciones)])
  expect(done.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
})
