import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import pLimit from 'p-limit'
import type pg from 'pg'
import { BUCKET as EDICION } from '#app/edicion/archivos.server.ts'
import { BUCKET as ACTAS } from '#app/escrutinio/acta.server.ts'
import { FORMAS } from '#app/inscripciones/formas.ts'
import { hashFile } from '#app/platform/durable-files.server.ts'
import { StartError } from '#app/platform/start-error.server.ts'
import type { ObjectStorage } from '#app/platform/storage.server.ts'
import { withTemporal } from '#app/platform/temporales.server.ts'
import type { Almacen } from './almacen.server.ts'
import { assertBaseVacia, loadBase } from './base.server.ts'
import { listCopias, readManifiesto } from './respaldar.server.ts'
import { type Caratula, CUENTAS, type Cuentas, type Manifiesto } from './schema.ts'

/** Buckets that a site has; where one of them has an object, the storage is not empty. */
const BUCKETS = [...Object.values(FORMAS).map(({ bucket }) => bucket), EDICION, ACTAS]
const AT_ONCE = 4
const EVERY_MS = 1_000

type Dice = (avance: string) => void

/** A copy that was chosen and opened. */
export interface CopiaAbierta {
  almacen: Almacen
  caratula: Caratula
  manifiesto: Manifiesto
}

/** @param id one of the copies; undefined: the newest */
export async function openCopia(almacen: Almacen, id?: string): Promise<CopiaAbierta> {
  const copias = await listCopias(almacen)
  const caratula = id === undefined ? copias[0] : copias.find((una) => una.id === id)
  if (!caratula)
    throw new StartError(
      id === undefined
        ? `En ${almacen.nombre} no hay ningún respaldo entero.`
        : `En ${almacen.nombre} no está el respaldo ${id}. Hay: ${copias.map((una) => una.id).join(', ') || 'ninguno'}.`,
    )
  // Whoever can write there, but has no key, could put a copy of the own making in front of the real ones.
  if (almacen.cifra && !caratula.cifrada)
    throw new StartError(
      `El respaldo ${caratula.id} no está cifrado, y se dio BACKUP_KEY: pudo ponerlo ahí otra persona. Elige otro con --copia; si es tuyo, repite la orden sin BACKUP_KEY.`,
    )
  const manifiesto = await readManifiesto(almacen, caratula)
  return { almacen, caratula, manifiesto }
}

/**
 * @throws StartError when something is there already that is not of this copy: a restore never touches it. What a restore
 * of the same copy left when it was cut is no hindrance.
 */
export async function assertVacio(pool: pg.Pool, storage: ObjectStorage, { manifiesto }: CopiaAbierta): Promise<void> {
  await assertBaseVacia(pool)
  const own = new Set(manifiesto.objetos.map(({ bucket, path }) => `${bucket}/${path}`))
  for (const bucket of BUCKETS)
    for await (const path of storage.list(bucket, ''))
      if (!own.has(`${bucket}/${path}`))
        throw new StartError(
          'El almacenamiento de destino no está vacío: restaurar nunca escribe encima. Elige otra carpeta con --en, o una cubeta nueva.',
        )
}

/**
 * Puts a copy's database into an empty one, and brings it to this version.
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
  const guardados = new Map(manifiesto.tablas.map(({ nombre, guardado }) => [nombre, guardado.nombre]))
  return loadBase(pool, manifiesto, migrations, dice, ({ nombre }) =>
    almacen.abre('copias', guardados.get(nombre)!, { comprime: true }),
  )
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
export const tablaDe = (copia: Cuentas, aqui: Cuentas, donde = 'en el respaldo'): string =>
  [
    ['', donde, donde === 'antes' ? 'ahora' : 'aquí'],
    ...CUENTAS.map(({ nombre }) => [nombre, String(copia[nombre]), String(aqui[nombre])]),
  ]
    .map(([name, before, now]) => `${name!.padEnd(15)}${before!.padStart(16)}${now!.padStart(12)}`)
    .join('\n')
