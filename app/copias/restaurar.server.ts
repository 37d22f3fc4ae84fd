import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { copyFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import pLimit from 'p-limit'
import type pg from 'pg'
import { BUCKET as EDICION } from '#app/edicion/archivos.server.ts'
import { BUCKET as ACTAS } from '#app/escrutinio/acta.server.ts'
import { FORMAS } from '#app/inscripciones/formas.ts'
import { fixText, load, readMigraciones, readTablas, summing, sumOf } from '#app/platform/copia-de-base.server.ts'
import { hashFile } from '#app/platform/durable-files.server.ts'
import { migrate } from '#app/platform/migrate.server.ts'
import { StartError } from '#app/platform/start-error.server.ts'
import type { ObjectStorage } from '#app/platform/storage.server.ts'
import { withTemporal } from '#app/platform/temporales.server.ts'
import { type Almacen, pipeThrough, sinCifra } from './almacen.server.ts'
import { listCopias, readManifiesto } from './respaldar.server.ts'
import { CUENTAS, type Cuentas, cuentasDe, type Manifiesto, type Portada } from './schema.ts'

/** Buckets that a site has; where one of them has an object, the storage is not empty. */
const BUCKETS = [...Object.values(FORMAS).map(({ bucket }) => bucket), EDICION, ACTAS]
const AT_ONCE = 4
const EVERY_MS = 1_000

type Dice = (avance: string) => void

/** A copy that was chosen and opened. */
export interface CopiaAbierta {
  almacen: Almacen
  portada: Portada
  manifiesto: Manifiesto
}

/** @param id one of the copies; undefined: the newest */
export async function openCopia(almacen: Almacen, id?: string): Promise<CopiaAbierta> {
  const copias = await listCopias(almacen)
  const portada = id === undefined ? copias[0] : copias.find((una) => una.id === id)
  if (!portada)
    throw new StartError(
      id === undefined
        ? `En ${almacen.nombre} no hay ningún respaldo entero.`
        : `En ${almacen.nombre} no está el respaldo ${id}. Hay: ${copias.map((una) => una.id).join(', ') || 'ninguno'}.`,
    )
  const manifiesto = await readManifiesto(almacen, portada)
  return { almacen: portada.cifrada ? almacen : sinCifra(almacen), portada, manifiesto }
}

/** @throws StartError when something is there already, which a restore never touches */
export async function assertVacio(pool: pg.Pool, storage: ObjectStorage): Promise<void> {
  const client = await pool.connect()
  try {
    if ((await readTablas(client)).length > 0 || (await readMigraciones(client)).length > 0)
      throw new StartError(
        'La base de datos de destino no está vacía: restaurar nunca escribe encima. Elige otra carpeta con --en, o una base de datos nueva.',
      )
  } finally {
    client.release()
  }
  for (const bucket of BUCKETS)
    for await (const _ of storage.list(bucket, ''))
      throw new StartError(
        'El almacenamiento de destino no está vacío: restaurar nunca escribe encima. Elige otra carpeta con --en, o una cubeta nueva.',
      )
}

/**
 * Puts a copy's database into an empty one, in one transaction, and brings it to this version.
 * @param migrations folder of the SQL files
 * @returns tables whose rows are not, one by one, those of the copy
 * @throws StartError when this version is older than the copy, or the copy is damaged
 */
export async function restoreBase(
  pool: pg.Pool,
  { almacen, manifiesto }: CopiaAbierta,
  migrations: string,
  dice: Dice,
): Promise<{ difieren: string[] }> {
  const known = new Set(await readdir(migrations))
  const unknown = manifiesto.migraciones.filter((name) => !known.has(name))
  if (unknown.length > 0)
    throw new StartError(
      `Este respaldo es de una versión más nueva del sitio (${unknown.at(-1)}): actualiza el sitio primero, y restaura después.`,
    )
  await withTemporal(tmpdir(), async (folder) => {
    for (const name of manifiesto.migraciones) await copyFile(join(migrations, name), join(folder, name))
    await migrate(pool, folder)
  })
  const client = await pool.connect()
  const difieren: string[] = []
  try {
    await client.query('begin')
    await fixText(client)
    const bad: string[] = []
    await load(client, manifiesto.tablas, manifiesto.secuencias, async ({ nombre }) => {
      const wanted = manifiesto.tablas.find((una) => una.nombre === nombre)!
      const { through, suma } = summing()
      through.once('end', () => {
        if (suma().sha256 !== wanted.sha256) bad.push(nombre)
      })
      return pipeThrough(await almacen.abre('copias', wanted.guardado.nombre, { comprime: true }), through)
    }).catch((error: unknown) => {
      throw new StartError(`El respaldo está dañado o no es de este sitio: ${(error as Error).message}`)
    })
    if (bad.length > 0) throw new StartError(`El respaldo está dañado: no coincide la suma de ${bad.join(', ')}.`)
    // Read again from the database, in the order of the key: the same sum is the same rows.
    for (const tabla of manifiesto.tablas)
      if ((await sumOf(client, tabla)).sha256 !== tabla.sha256) difieren.push(tabla.nombre)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    client.release()
  }
  await pool.query('analyze')
  await migrate(pool, migrations)
  const cuentas = cuentasDe(manifiesto.tablas)
  dice(`Base de datos: ${manifiesto.tablas.length} tablas, ${cuentas.votos} votos.`)
  return { difieren }
}

type Objeto = Manifiesto['objetos'][number]

/**
 * Reads every object of a copy and checks its sum; with a storage, puts it there. What is there already is left, so that
 * a restore that was cut goes on.
 * @returns those that are damaged or missing, `bucket/path`
 */
export async function restoreObjetos(
  { almacen, manifiesto }: CopiaAbierta,
  destino: { storage: ObjectStorage; dataDir: string } | undefined,
  dice: Dice,
): Promise<string[]> {
  const bad: string[] = []
  const said = { at: Date.now() }
  let done = 0
  const one = async (objeto: Objeto) => {
    const isGood = destino ? await place(almacen, destino, objeto) : await isWhole(almacen, objeto)
    if (!isGood) bad.push(`${objeto.bucket}/${objeto.path}`)
    done++
    if (Date.now() - said.at < EVERY_MS) return
    said.at = Date.now()
    dice(`Documentos: ${done} de ${manifiesto.objetos.length}.`)
  }
  const limit = pLimit(AT_ONCE)
  await Promise.all(manifiesto.objetos.map((objeto) => limit(one, objeto)))
  dice(`Documentos: ${manifiesto.objetos.length - bad.length} de ${manifiesto.objetos.length}.`)
  return bad
}

async function isWhole(almacen: Almacen, { guardado, sha256 }: Objeto): Promise<boolean> {
  try {
    const hash = createHash('sha256')
    for await (const chunk of await almacen.abre('objetos', guardado.nombre)) hash.update(chunk)
    return hash.digest('hex') === sha256
  } catch {
    return false
  }
}

async function place(
  almacen: Almacen,
  { storage, dataDir }: { storage: ObjectStorage; dataDir: string },
  objeto: Objeto,
): Promise<boolean> {
  const { bucket, path, sha256, contentType, cacheControlSeconds, guardado } = objeto
  if ((await storage.head(bucket, path))?.sha256 === sha256) return true
  return withTemporal(dataDir, async (folder) => {
    const file = join(folder, 'objeto')
    try {
      const opened = await almacen.abre('objetos', guardado.nombre)
      await pipeline(opened, createWriteStream(file, { mode: 0o600 }))
    } catch {
      return false
    }
    if ((await hashFile(file)) !== sha256) return false
    await storage.putFile(bucket, path, file, { contentType, cacheControlSeconds, sha256 })
    await rm(file)
    return true
  })
}

/** The table at the end: what the copy has, what is here now. */
export const tablaDe = (copia: Cuentas, aqui: Cuentas): string =>
  [
    ['', 'en el respaldo', 'aquí'],
    ...CUENTAS.map(({ nombre }) => [nombre, String(copia[nombre]), String(aqui[nombre])]),
  ]
    .map(([name, before, now]) => `${name!.padEnd(15)}${before!.padStart(16)}${now!.padStart(12)}`)
    .join('\n')
