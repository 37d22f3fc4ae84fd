import { randomUUID } from 'node:crypto'
import pLimit from 'p-limit'
import type pg from 'pg'
import { listObjetosDeEdicion } from '#app/cms/media/stored-objects.server.ts'
import { CANDADOS } from '#app/core/db/advisory-locks.ts'
import { readReloj } from '#app/core/db/clock-guard.server.ts'
import { openDatabase } from '#app/core/db/database.server.ts'
import {
  keepSupresiones,
  readClaveDeSupresiones,
  readSupresiones,
  readSupresionesDeBase,
  unidas,
} from '#app/core/db/erasure-log.server.ts'
import {
  copyOut,
  fixText,
  readMigraciones,
  readSecuencias,
  readTablas,
  type Secuencia,
  summing,
} from '#app/core/db/table-dump.server.ts'
import { bajoCandado } from '#app/core/db/with-advisory-lock.server.ts'
import type { ObjetoPorCopiar } from '#app/core/storage/backed-up-object.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { readSmall } from '#app/core/storage/read-small-object.server.ts'
import { listObjetosDeInscripciones } from '#app/entries/retention/stored-objects.server.ts'
import { CARATULA, COPIAS } from './catalog.server.ts'
import { FallaDeCopia, motivoDeFalla, OtraEnCurso } from './fault.server.ts'
import { distintivoDeSitio } from './identity.server.ts'
import { nameOf, openGuarda } from './object-writer.server.ts'
import { limpiar, OBJETOS } from './prune.server.ts'
import type { Regla } from './rotation.ts'
import { type Caratula, type Cuentas, cuentasDe, FORMATO, type Manifiesto } from './schema.ts'
import { type Almacen, pipeThrough, streamOf } from './store.server.ts'

/** Documents on their way at once. */
const AT_ONCE = 4
const EVERY_MS = 1_000

/** A site that is copied: its parts, open. */
export interface SitioPorCopiar {
  pool: pg.Pool
  storage: ObjectStorage
  dataDir: string
  publicUrl: string
  /** What signs votes and encrypts mail; undefined: it is not at hand. */
  secreto: string | undefined
  version: string
}

export interface CopiaHecha {
  id: string
  momento: string
  cifrada: boolean
  cuentas: Cuentas
  /** Of all documents, and how many of them were not there yet. */
  objetos: number
  nuevos: number
  /** Bytes written by this copy, and of everything that it is made of. */
  escritos: number
  bytes: number
  /** Objects that the database names and the storage does not have as they were received. */
  perdidos: string[]
  /** Objects that were there already, damaged, and were sent again. */
  repuestos: number
  /** Older copies that went. */
  quitadas: number
  /** Spanish sentences about the place, which keep no copy from being good. */
  avisos: string[]
}

export interface OpcionesDeRespaldo {
  conservar: Regla
  /** Whether every object that is there is read whole, not only this night's share. */
  repasar?: boolean
  dice(avance: string): void
}

/**
 * Copies a site while it runs: the database as of one moment, and every object that it names then. What is written is
 * read back. Objects that an earlier copy brought are looked at, and sent again only where they are damaged.
 * @throws OtraEnCurso when another copy is being made
 */
export async function respaldar(
  sitio: SitioPorCopiar,
  almacen: Almacen,
  opciones: OpcionesDeRespaldo,
): Promise<CopiaHecha> {
  const lock = await sitio.pool.connect()
  try {
    const copia = await bajoCandado(lock, CANDADOS.copiar, () => copy(sitio, almacen, opciones))
    if (!copia) throw new OtraEnCurso('Ya se está haciendo otro respaldo: espera a que termine.')
    return copia
  } finally {
    lock.release()
  }
}

async function copy(sitio: SitioPorCopiar, almacen: Almacen, opciones: OpcionesDeRespaldo): Promise<CopiaHecha> {
  const { conservar, dice } = opciones
  const ahora = new Date()
  const id = `${ahora.toISOString().replace(/[-:]|\.\d+/g, '')}-${randomUUID().slice(0, 8)}`
  const base = await copyBase(sitio, almacen, id, dice)
  const { objetos, perdidos, nuevos, repuestos, escritos } = await copyObjetos(sitio, almacen, base.objetos, opciones)
  const manifiesto: Manifiesto = {
    ...{ formato: FORMATO, id, momento: base.momento, publicUrl: sitio.publicUrl, postgres: base.postgres },
    ...{ migraciones: base.migraciones, tablas: base.tablas, secuencias: base.secuencias, objetos, perdidos },
    ...(base.sitio !== undefined && { sitio: base.sitio }),
    ...(almacen.cifra && sitio.secreto !== undefined && { secreto: sitio.secreto }),
  }
  const kept = await almacen.guarda(COPIAS, `${id}/manifiesto`, streamOf(JSON.stringify(manifiesto)), {
    comprime: true,
  })
  const caratula: Caratula = {
    ...{ formato: FORMATO, id, momento: base.momento, cifrada: almacen.cifra !== undefined, version: sitio.version },
    ...{ migracion: base.migraciones.at(-1) ?? '', manifiesto: { sha256: kept.sellado } },
  }
  const libro = unidas(await readSupresionesDeBase(openDatabase(sitio.pool)), await readSupresiones(sitio.dataDir))
  await keepSupresiones(almacen.storage, libro)
  await presentar(almacen, caratula, manifiesto)
  const tablas = base.tablas.reduce((sum, { guardado }) => sum + guardado.bytes, 0)
  const necesarios = new Set(objetos.map(({ guardado }) => guardado.nombre))
  for (const { sha256 } of base.objetos) if (sha256 !== undefined) necesarios.add(nameOf(almacen, sha256))
  const limpiador = { id, sitio: base.sitio, publicUrl: sitio.publicUrl, necesarios, ahora }
  // A copy that lacks something is no reason to let go of older ones, nor is a clock that may be wrong.
  const { adelantado } = await readReloj(openDatabase(sitio.pool))
  const { quitadas, avisos } =
    perdidos.length > 0 || adelantado
      ? { quitadas: 0, avisos: [] as string[] }
      : await limpiar(almacen, limpiador, conservar).catch((error: unknown) => ({
          // The copy is whole; a place that lets nothing go fills up, and keeps what somebody asked to have removed.
          quitadas: 0,
          avisos: [`Lo que ya no hace falta ahí no se pudo quitar. ${motivoDeFalla(error)}`],
        }))
  if (perdidos.length > 0) avisos.push('No se quitó ninguna copia de antes.')
  if (adelantado) avisos.push('El reloj del servidor va adelantado: corrígelo. No se quitó ninguna copia de antes.')
  return {
    ...{ id, momento: base.momento, cifrada: caratula.cifrada, cuentas: cuentasDe(base.tablas), avisos },
    ...{ objetos: objetos.length, nuevos, repuestos, perdidos, quitadas, escritos: escritos + tablas + kept.bytes },
    bytes: objetos.reduce((sum, { guardado }) => sum + guardado.bytes, tablas + kept.bytes),
  }
}

/**
 * A copy is there once its front page is: what was cut before is no copy. Everything that it names is looked for first,
 * and what came is read back.
 */
async function presentar(almacen: Almacen, caratula: Caratula, { tablas, objetos }: Manifiesto): Promise<void> {
  const { storage, cifra } = almacen
  const { id } = caratula
  const metadata = { contentType: 'application/json', cacheControlSeconds: 0 }
  // What opens the copy lies beside it as well: without that file nothing in the place can be read.
  const clave = `${id}/clave.age`
  if (cifra) await storage.putBytes(COPIAS, clave, cifra.sellada, metadata)
  const page = Buffer.from(JSON.stringify(caratula))
  const path = `${id}/${CARATULA}`
  await storage.putBytes(COPIAS, path, page, metadata)
  try {
    const there = new Set<string>()
    for await (const one of storage.list(COPIAS, `${id}/`)) there.add(one)
    const wanted = [
      path,
      `${id}/manifiesto`,
      ...(cifra ? [clave] : []),
      ...tablas.map(({ guardado }) => guardado.nombre),
    ]
    const own = new Set(objetos.map(({ guardado }) => guardado.nombre))
    for await (const one of storage.list(OBJETOS, '')) own.delete(one)
    const missing = wanted.filter((one) => !there.has(one)).length + own.size
    if (missing > 0)
      throw new FallaDeCopia(
        `${almacen.nombre} no muestra ${missing} archivos que se acaban de guardar ahí: no se puede confiar en ese lugar.`,
        `Donde se guarda faltan ${missing} archivos recién guardados.`,
      )
    const again = await readSmall(storage, COPIAS, path, page.byteLength)
    if (!again || !page.equals(again))
      throw new FallaDeCopia(
        `La carátula en ${almacen.nombre} no es la que se escribió.`,
        'La carátula no es la que se escribió.',
      )
  } catch (error) {
    await storage.remove(COPIAS, path).catch(() => {})
    throw error
  }
}

interface BaseCopiada {
  momento: string
  postgres: string
  migraciones: string[]
  tablas: Manifiesto['tablas']
  secuencias: Secuencia[]
  objetos: ObjetoPorCopiar[]
  sitio: string | undefined
}

/** Everything that the database says, in one transaction, so that all of it is of one moment. */
async function copyBase(
  { pool, publicUrl }: SitioPorCopiar,
  almacen: Almacen,
  id: string,
  dice: OpcionesDeRespaldo['dice'],
): Promise<BaseCopiada> {
  const clave = await readClaveDeSupresiones(openDatabase(pool))
  const client = await pool.connect()
  try {
    await client.query('begin isolation level repeatable read read only')
    await fixText(client)
    const { rows } = await client.query<{ momento: Date; postgres: string }>(
      `select clock_timestamp() as momento, current_setting('server_version') as postgres`,
    )
    const tablas: Manifiesto['tablas'] = []
    for (const tabla of await readTablas(client)) {
      const { through, suma } = summing()
      const path = `${id}/tablas/${tabla.nombre}`
      const { bytes } = await almacen.guarda(COPIAS, path, pipeThrough(copyOut(client, tabla), through), {
        comprime: true,
      })
      tablas.push({ ...tabla, ...suma(), guardado: { nombre: path, bytes } })
    }
    const copied: BaseCopiada = {
      ...{ momento: rows[0]!.momento.toISOString(), postgres: rows[0]!.postgres, tablas },
      migraciones: await readMigraciones(client),
      secuencias: await readSecuencias(client),
      objetos: await objetosDe(client, clave),
      sitio: clave && distintivoDeSitio(clave, publicUrl),
    }
    const { votos, entradas } = cuentasDe(tablas)
    dice(`Base de datos: ${tablas.length} tablas (${entradas} inscripciones, ${votos} votos).`)
    return copied
  } finally {
    await client.query('rollback').catch(() => {})
    client.release()
  }
}

/** Everything that the storage has to have, as the transaction that is open sees it. */
export async function objetosDe(client: pg.ClientBase, clave: Uint8Array | undefined): Promise<ObjetoPorCopiar[]> {
  return [...(await listObjetosDeInscripciones(client, clave)), ...(await listObjetosDeEdicion(client))]
}

async function copyObjetos(
  sitio: SitioPorCopiar,
  almacen: Almacen,
  wanted: readonly ObjetoPorCopiar[],
  { dice, repasar = false }: OpcionesDeRespaldo,
) {
  const guarda = await openGuarda(sitio.storage, almacen, repasar)
  const objetos: Manifiesto['objetos'] = []
  const missing: ObjetoPorCopiar[] = []
  const [limit, said] = [pLimit(AT_ONCE), { at: Date.now() }]
  const one = async (objeto: ObjetoPorCopiar) => {
    const head = await sitio.storage.head(objeto.bucket, objeto.path)
    const sha256 = objeto.sha256 ?? head?.sha256
    const nombre = sha256 && nameOf(almacen, sha256)
    const bytes = head && nombre && (await guarda.take(nombre, objeto, { size: head.size, sha256 }))
    // Not there, or not what was received any more: as good as gone.
    if (!bytes) return missing.push(objeto)
    const { contentType, cacheControlSeconds } = head
    objetos.push({
      ...{ bucket: objeto.bucket, path: objeto.path, sha256, contentType, cacheControlSeconds },
      ...{ ...(objeto.de !== undefined && { de: objeto.de }), guardado: { nombre, bytes } },
    })
    if (Date.now() - said.at < EVERY_MS) return
    said.at = Date.now()
    dice(`Documentos: ${objetos.length} de ${wanted.length}.`)
  }
  await Promise.all(wanted.map((objeto) => limit(one, objeto)))
  const { nuevos, repuestos, escritos } = guarda.cuentas
  dice(`Documentos: ${objetos.length}, ${nuevos} nuevos${repuestos > 0 ? `, ${repuestos} repuestos` : ''}.`)
  return { objetos, nuevos, repuestos, escritos, perdidos: await stillWanted(sitio, missing) }
}

/** Of objects that were not there those that the site still names: the others went with a deletion meanwhile. */
async function stillWanted({ pool }: SitioPorCopiar, missing: readonly ObjetoPorCopiar[]): Promise<string[]> {
  if (missing.length === 0) return []
  const client = await pool.connect()
  try {
    const now = new Set((await objetosDe(client, undefined)).map(({ bucket, path }) => `${bucket}/${path}`))
    return missing.map(({ bucket, path }) => `${bucket}/${path}`).filter((name) => now.has(name))
  } finally {
    client.release()
  }
}
