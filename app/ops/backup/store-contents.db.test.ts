import { randomUUID } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { keepSupresiones, readSupresionesDeBase } from '#app/core/db/erasure-log.server.ts'
import { deleteInscripcion } from '#app/entries/retention/deletion.server.ts'
import { sembrarInscripcion } from '../../../tests/inscripciones.ts'
import { openTestSite, type TestSite } from '../../../tests/registro.ts'
import { type OpcionesDeRespaldo, respaldar, type SitioPorCopiar } from './create.server.ts'
import { ensayar } from './rehearsal.server.ts'
import { openCopia, restoreObjetos } from './restore.server.ts'
import { avisoDeDisco } from './same-disk-notice.server.ts'
import { openAlmacen } from './store.server.ts'

// What may stand in a place of copies, and what may go out of it.

const CLAVE = 'una frase larga que nadie adivina'
const UNA: OpcionesDeRespaldo = { conservar: { cuantas: 1 }, dice() {} }
const DAY_MS = 86_400_000
const autor = { quien: null, desde: 'prueba' }

let site: TestSite
let otro: TestSite
let destino: string
const sitioOf = ({ services: { storage, settings }, database }: TestSite, publicUrl: string): SitioPorCopiar => ({
  ...{ pool: database.pool, storage, dataDir: settings.dataDir, publicUrl, version: '1.0.0', secreto: 's'.repeat(40) },
})
let sitio: SitioPorCopiar

/** What these tests copy: each further table takes as long as a document does, and those are empty here. */
const COPIADAS = [
  ...['inscripciones', 'registros', 'trajes_tipicos', 'documentos', 'archivos_de_edicion'],
  ...['migraciones', 'borrados', 'supresiones', 'clave_de_supresiones', 'reloj_visto'],
]
async function dropOthers({ database: { pool } }: TestSite): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `select quote_ident(table_name) as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> all($1)`,
    [COPIADAS],
  )
  for (const { name } of rows) expect([name, (await pool.query(`select from ${name}`)).rowCount]).toEqual([name, 0])
  await pool.query(`drop table ${rows.map(({ name }) => name).join(', ')} cascade`)
}

beforeAll(async () => {
  ;[site, otro] = [await openTestSite(), await openTestSite()]
  for (const one of [site, otro]) await dropOthers(one)
  sitio = sitioOf(site, 'http://x')
  await sembrarInscripcion(site.services, { titular: 'Ana Lirio' })
  await sembrarInscripcion(otro.services, { titular: 'Eva Nardo' })
})
afterAll(async () => {
  await site.close()
  await otro.close()
})
beforeEach(async () => {
  destino = await mkdtemp(join(tmpdir(), 'certamen-lugar-'))
  return () => rm(destino, { recursive: true })
})

const copias = () => readdir(join(destino, 'objects/copias')).catch((): string[] => [])
const objetos = async () =>
  (await readdir(join(destino, 'objects/objetos'), { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
const pathOf = async (caratula: string) => join(destino, 'objects/copias', caratula, 'caratula.json')
async function change(id: string, edit: (page: Record<string, unknown>) => void): Promise<void> {
  const page = JSON.parse(await readFile(await pathOf(id), 'utf8'))
  edit(page)
  await writeFile(await pathOf(id), JSON.stringify(page))
}
/** Everything in the place is as old as that. */
async function age(days: number): Promise<void> {
  const at = new Date(Date.now() - days * DAY_MS)
  for (const entry of await readdir(join(destino, 'objects'), { recursive: true, withFileTypes: true }))
    if (entry.isFile()) await utimes(join(entry.parentPath, entry.name), at, at)
}
const whole = async (clave?: string) =>
  restoreObjetos(await openCopia(await openAlmacen(destino, clave)), undefined, () => {})

test('a site that has lost its documents keeps every copy of them, and all objects', async () => {
  const almacen = await openAlmacen(destino, undefined)
  const first = await respaldar(sitio, almacen, UNA)
  const before = await objetos()
  await age(40)
  const away = { ...sitio, storage: (await openAlmacen(join(destino, 'vacio'), undefined)).storage }
  for (let night = 0; night < 3; night++) {
    const hecha = await respaldar(away, almacen, UNA)
    expect([hecha.perdidos.length, hecha.quitadas]).toEqual([first.objetos, 0])
    expect(hecha.avisos.join()).toContain('No se quitó ninguna copia')
  }
  expect(await objetos()).toEqual(before)
  expect(await restoreObjetos(await openCopia(almacen, first.id), undefined, () => {})).toEqual([])
})

test('a copy dated ahead neither counts nor takes the place of the one that was just made', async () => {
  const almacen = await openAlmacen(destino, undefined)
  const ahead = await respaldar(sitio, almacen, UNA)
  const manifiesto = join(destino, `objects/copias/${ahead.id}/manifiesto`)
  const next = new Date(Date.now() + 300 * DAY_MS).toISOString()
  const { gunzipSync } = await import('node:zlib')
  const list = gzipSync(
    JSON.stringify({ ...JSON.parse(gunzipSync(await readFile(manifiesto)).toString()), momento: next }),
  )
  await writeFile(manifiesto, list)
  const { createHash } = await import('node:crypto')
  const sha256 = createHash('sha256').update(list).digest('hex')
  await change(ahead.id, (page) => Object.assign(page, { momento: next, manifiesto: { sha256 } }))
  const hecha = await respaldar(sitio, almacen, UNA)
  expect((await copias()).sort()).toEqual([ahead.id, hecha.id].sort())
  expect(hecha.avisos.join()).toContain('1 copias de ahí tienen fecha futura')
  const said: string[] = []
  expect((await openCopia(almacen, undefined, (line) => said.push(line))).caratula.id).toBe(hecha.id)
  expect(said.join()).toContain('fecha futura')
  expect((await openCopia(almacen, ahead.id)).caratula.id).toBe(ahead.id)
})

test('while the clock runs ahead nothing goes', async () => {
  const almacen = await openAlmacen(destino, undefined)
  await respaldar(sitio, almacen, UNA)
  await site.database.pool.query(`update reloj_visto set visto_at = now() - interval '3 days'`)
  const hecha = await respaldar(sitio, almacen, UNA)
  await site.database.pool.query('update reloj_visto set visto_at = now()')
  expect([hecha.quitadas, (await copias()).length]).toEqual([0, 2])
  expect(hecha.avisos.join()).toContain('reloj')
})

test.each([
  undefined,
  CLAVE,
])('an object that is cut is sent again that night, one that rotted when it is read (key: %s)', async (clave) => {
  const almacen = await openAlmacen(destino, clave)
  await respaldar(sitio, almacen, UNA)
  const [cut, rotten] = (await objetos()) as [string, string]
  const { size } = await stat(cut)
  await truncate(cut, size - 5)
  expect((await respaldar(sitio, almacen, UNA)).repuestos).toBe(1)
  expect((await stat(cut)).size).toBe(size)
  const bytes = await readFile(rotten)
  bytes[bytes.length - 3]! ^= 1
  await writeFile(rotten, bytes)
  expect((await respaldar(sitio, almacen, { ...UNA, repasar: true })).repuestos).toBe(1)
  expect(await whole(clave)).toEqual([])
})

test('what the site has and is not what was received is told, and what the place has of it stays', async () => {
  const almacen = await openAlmacen(destino, undefined)
  await respaldar(sitio, almacen, UNA)
  const { path, sha256 } = await site.services.db
    .selectFrom('documentos')
    .select(['path', 'sha256'])
    .limit(1)
    .executeTakeFirstOrThrow()
  const file = join(sitio.dataDir, 'objects/registro', path)
  const good = await readFile(file)
  await rm(file)
  await writeFile(file, good.subarray(0, 7))
  const hecha = await respaldar(sitio, almacen, UNA)
  expect(hecha.perdidos).toEqual([`registro/${path}`])
  expect(await readFile(join(destino, 'objects/objetos', sha256!.slice(0, 2), sha256!))).toEqual(good)
  await writeFile(file, good)
})

test.each([
  [undefined, undefined],
  [CLAVE, CLAVE],
  [CLAVE, undefined],
])('two sites in one place: neither takes out what the other has (keys: %s, %s)', async (clave, suya) => {
  const [almacen, del] = [await openAlmacen(destino, clave), await openAlmacen(destino, suya)]
  const theirs = await respaldar(sitioOf(otro, 'http://y'), del, UNA)
  await age(10)
  for (let night = 0; night < 2; night++) await respaldar(sitio, almacen, UNA)
  const { quitadas, avisos } = await respaldar(sitio, almacen, UNA)
  expect(quitadas).toBe(1)
  expect(avisos.join()).toMatch(
    clave === suya ? /1 copias de ahí son de otro sitio/ : /1 copias de ahí no están cifradas/,
  )
  expect(await restoreObjetos(await openCopia(del, theirs.id), undefined, () => {})).toEqual([])
  expect(await whole(clave)).toEqual([])
})

test('what no copy names goes a day later, and half a copy after three', async () => {
  const almacen = await openAlmacen(destino, undefined)
  const orphan = join(destino, 'objects/objetos/ab', `ab${'0'.repeat(62)}`)
  const half = join(destino, 'objects/copias/20260101T000000Z-aaaaaaaa')
  await mkdir(join(orphan, '..'), { recursive: true })
  await mkdir(half, { recursive: true })
  await writeFile(orphan, 'x')
  await writeFile(join(half, 'manifiesto'), 'x')
  await respaldar(sitio, almacen, UNA)
  expect([(await objetos()).includes(orphan), (await copias()).length]).toEqual([true, 2])
  await age(2)
  await respaldar(sitio, almacen, UNA)
  expect([(await objetos()).includes(orphan), (await copias()).length]).toEqual([false, 2])
  await age(4)
  await respaldar(sitio, almacen, UNA)
  expect((await copias()).length).toBe(1)
})

test('an older copy under a new name is not taken for a newer one', async () => {
  const almacen = await openAlmacen(destino, CLAVE)
  const old = await respaldar(sitio, almacen, UNA)
  const put = `${old.id.slice(0, -8)}ffffffff`
  await cp(join(destino, 'objects/copias', old.id), join(destino, 'objects/copias', put), { recursive: true })
  await change(put, (page) => Object.assign(page, { id: put, momento: new Date(Date.now() + 60_000).toISOString() }))
  await expect(openCopia(almacen, put)).rejects.toThrow('lleva la lista de otro')
  const said: string[] = []
  expect((await openCopia(almacen, undefined, (line) => said.push(line))).caratula.id).toBe(old.id)
  expect(said.join()).toContain('alguien lo cambió')
  await change(old.id, (page) => Object.assign(page, { manifiesto: { sha256: '0'.repeat(64) } }))
  await expect(openCopia(almacen, old.id)).rejects.toThrow('su lista no se puede leer')
})

test('files that are none of ours are passed over, and one that fills a memory is not read', async () => {
  const almacen = await openAlmacen(destino, undefined)
  const { id } = await respaldar(sitio, almacen, UNA)
  const folder = join(destino, 'objects/copias')
  const bad = '20260102T000000Z-bbbbbbbb'
  const bomb = '20260103T000000Z-cccccccc'
  for (const name of [bad, bomb]) await mkdir(join(folder, name))
  await writeFile(join(folder, '.DS_Store'), 'x')
  await writeFile(join(folder, bad, 'caratula.json'), '')
  await writeFile(join(destino, 'objects/objetos/.DS_Store'), 'x')
  await mkdir(join(destino, 'objects/supresiones'), { recursive: true })
  await writeFile(join(destino, 'objects/supresiones/.DS_Store'), 'x')
  await writeFile(join(folder, bomb, 'manifiesto'), gzipSync(Buffer.alloc(60_000_000, ' ')))
  await cp(await pathOf(id), await pathOf(bomb))
  await change(bomb, (page) => Object.assign(page, { id: bomb, momento: '2026-01-03T00:00:00.000Z' }))
  expect((await openCopia(almacen)).caratula.id).toBe(id)
  expect((await openCopia(almacen, id)).caratula.id).toBe(id)
  await expect(openCopia(almacen, bomb)).rejects.toThrow('su lista no se puede leer')
  await expect(openCopia(almacen, bad)).rejects.toThrow('su carátula está dañada')
  const { avisos } = await respaldar(sitio, almacen, UNA)
  expect(avisos).toHaveLength(2)
  expect(await copias()).toEqual(expect.arrayContaining(['.DS_Store', bad, bomb]))
  expect(await whole()).toEqual([])
})

test('documents of whoever asked to be gone are neither wanted nor missed in older copies', async () => {
  const almacen = await openAlmacen(destino, undefined)
  const id = await sembrarInscripcion(site.services, { titular: 'Quien se va' })
  const old = await respaldar(sitio, almacen, UNA)
  await deleteInscripcion(site.services, id, 'solicitud', autor)
  const { quitadas } = await respaldar(sitio, almacen, { ...UNA, conservar: { cuantas: 3 } })
  expect(quitadas).toBe(0)
  const abierta = await openCopia(almacen, old.id)
  expect(await restoreObjetos(abierta, undefined, () => {})).toEqual([])
  expect(await restoreObjetos({ ...abierta, suprimidas: new Set() }, undefined, () => {})).toHaveLength(6)
  await keepSupresiones(almacen.storage, await readSupresionesDeBase(site.services.db))
})

test('the file with the key of a place is put back from beside a copy, and never made anew over copies', async () => {
  await respaldar(sitio, await openAlmacen(destino, CLAVE), UNA)
  const clave = join(destino, 'objects/clave/clave.age')
  const body = await readFile(clave)
  await rm(clave)
  await expect(openAlmacen(destino, `${CLAVE}.`)).rejects.toThrow('no abre estos respaldos')
  expect(await openCopia(await openAlmacen(destino, CLAVE, { soloLeer: true }))).toBeDefined()
  expect(await stat(clave).catch(() => undefined)).toBeUndefined()
  await openAlmacen(destino, CLAVE)
  expect(await readFile(clave)).toEqual(body)
  await rm(clave)
  for (const id of await copias()) await rm(join(destino, 'objects/copias', id, 'clave.age'))
  await expect(openAlmacen(destino, CLAVE)).rejects.toThrow('falta su llave')
  expect(await stat(clave).catch(() => undefined)).toBeUndefined()
})

test('what is only read is not written to, and a mistyped place is not made', async () => {
  const away = join(destino, randomUUID())
  await expect(openAlmacen(away, CLAVE, { soloLeer: true })).rejects.toThrow('no hay ningún respaldo')
  expect(await stat(away).catch(() => undefined)).toBeUndefined()
  await respaldar(sitio, await openAlmacen(destino, undefined), UNA)
  await rm(join(destino, 'objects/.tmp'), { recursive: true })
  await openCopia(await openAlmacen(destino, undefined, { soloLeer: true }))
  expect(await readdir(join(destino, 'objects'))).not.toContain('.tmp')
  await expect(openAlmacen(destino, CLAVE, { soloLeer: true })).rejects.toThrow('repite la orden sin BACKUP_KEY')
})

test.each([
  'sftp://nas/copias',
  'S3://cubeta',
  'nas:copias',
  'yo@nas-1:copias',
  's3:///x',
  '',
])('«%s» is no place', async (lugar) => {
  await expect(openAlmacen(lugar, undefined)).rejects.toMatchObject({ name: 'StartError' })
})

test('a place on the disk of the data is said', async () => {
  expect(await avisoDeDisco(join(destino, 'a/b'), destino)).toContain('en el mismo disco')
  expect(await avisoDeDisco('s3://cubeta', destino)).toBeUndefined()
  expect(await avisoDeDisco('/proc/x', destino)).toBeUndefined()
})

test('what a rehearsal says for the record names nobody', async () => {
  const almacen = await openAlmacen(destino, undefined)
  await respaldar(sitio, almacen, UNA)
  await rm((await objetos())[0]!)
  const { fallas, resumen } = await ensayar(await openCopia(almacen), {
    ...{ migrations: 'db/migrations', lugar: destino, secreto: undefined, dice() {} },
  })
  expect(fallas.join()).toMatch(/Ana|registro\//)
  expect(resumen).toMatch(/^\d archivos que faltan o están dañados\.$/)
})
