import { randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import pLimit from 'p-limit'
import type pg from 'pg'
import * as v from 'valibot'
import { listObjetosDeEdicion } from '#app/edicion/objetos.server.ts'
import { listObjetosDeInscripciones } from '#app/inscripciones/objetos.server.ts'
import { CANDADOS } from '#app/platform/candados.ts'
import {
  copyOut,
  fixText,
  readMigraciones,
  readSecuencias,
  readTablas,
  type Secuencia,
  summing,
} from '#app/platform/copia-de-base.server.ts'
import { openDatabase } from '#app/platform/database.server.ts'
import type { ObjetoPorCopiar } from '#app/platform/objetos.server.ts'
import { StartError } from '#app/platform/start-error.server.ts'
import type { ObjectStorage } from '#app/platform/storage.server.ts'
import {
  keepSupresiones,
  readClaveDeSupresiones,
  readSupresiones,
  readSupresionesOf,
} from '#app/platform/supresiones.server.ts'
import { type Almacen, pipeThrough, SumaAjena, sinCifra, streamOf } from './almacen.server.ts'
import { quedan, type Regla } from './conservar.ts'
import {
  type Caratula,
  CaratulaSchema,
  type Cuentas,
  cuentasDe,
  FORMATO,
  type Manifiesto,
  ManifiestoSchema,
} from './schema.ts'

const COPIAS = 'copias'
const OBJETOS = 'objetos'
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
  /** Older copies that went. */
  quitadas: number
}

export interface OpcionesDeRespaldo {
  conservar: Regla
  dice(avance: string): void
}

/**
 * Copies a site while it runs: the database as of one moment, and every object that it names then. What is written is
 * read back. Objects that an earlier copy brought are not sent again.
 * @throws StartError when another copy is being made
 */
export async function respaldar(
  sitio: SitioPorCopiar,
  almacen: Almacen,
  opciones: OpcionesDeRespaldo,
): Promise<CopiaHecha> {
  const lock = await sitio.pool.connect()
  try {
    await lock.query('begin')
    await lock.query('set local idle_in_transaction_session_timeout = 0')
    const { rows } = await lock.query('select pg_try_advisory_xact_lock($1) as ours', [CANDADOS.copiar])
    if (!rows[0].ours) throw new StartError('Ya se está haciendo otro respaldo: espera a que termine.')
    return await copy(sitio, almacen, opciones)
  } finally {
    await lock.query('rollback').catch(() => {})
    lock.release()
  }
}

async function copy(
  sitio: SitioPorCopiar,
  almacen: Almacen,
  { conservar, dice }: OpcionesDeRespaldo,
): Promise<CopiaHecha> {
  const id = `${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}-${randomUUID().slice(0, 8)}`
  const base = await copyBase(sitio, almacen, id, dice)
  const { objetos, perdidos, nuevos, escritos } = await copyObjetos(sitio, almacen, base.objetos, dice)
  const manifiesto: Manifiesto = {
    ...{ formato: FORMATO, id, momento: base.momento, publicUrl: sitio.publicUrl, postgres: base.postgres },
    ...{ migraciones: base.migraciones, tablas: base.tablas, secuencias: base.secuencias, objetos, perdidos },
    ...(almacen.cifra && sitio.secreto !== undefined && { secreto: sitio.secreto }),
  }
  const kept = await almacen.guarda(COPIAS, `${id}/manifiesto`, streamOf(JSON.stringify(manifiesto)), {
    comprime: true,
  })
  const caratula: Caratula = {
    ...{ formato: FORMATO, id, momento: base.momento, cifrada: almacen.cifra !== undefined, version: sitio.version },
    ...{ migracion: base.migraciones.at(-1) ?? '', manifiesto: { sha256: kept.sellado } },
  }
  await keepSupresiones(almacen.storage, await readSupresiones(sitio.dataDir))
  // A copy is there once its front page is: what was cut before is no copy.
  const page = { contentType: 'application/json', cacheControlSeconds: 0 }
  await almacen.storage.putBytes(COPIAS, `${id}/caratula.json`, Buffer.from(JSON.stringify(caratula)), page)
  const tablas = base.tablas.reduce((sum, { guardado }) => sum + guardado.bytes, 0)
  const quitadas = await clean(almacen, conservar, dice)
  return {
    ...{ id, momento: base.momento, cifrada: caratula.cifrada, cuentas: cuentasDe(base.tablas) },
    ...{ objetos: objetos.length, nuevos, perdidos, quitadas, escritos: escritos + tablas + kept.bytes },
    bytes: objetos.reduce((sum, { guardado }) => sum + guardado.bytes, tablas + kept.bytes),
  }
}

interface BaseCopiada {
  momento: string
  postgres: string
  migraciones: string[]
  tablas: Manifiesto['tablas']
  secuencias: Secuencia[]
  objetos: ObjetoPorCopiar[]
}

/** Everything that the database says, in one transaction, so that all of it is of one moment. */
async function copyBase(
  { pool }: SitioPorCopiar,
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
  dice: OpcionesDeRespaldo['dice'],
) {
  const there = new Set<string>()
  for await (const path of almacen.storage.list(OBJETOS, '')) there.add(path)
  const objetos: Manifiesto['objetos'] = []
  const missing: ObjetoPorCopiar[] = []
  const [limit, said] = [pLimit(AT_ONCE), { at: Date.now() }]
  let [nuevos, escritos] = [0, 0]
  const one = async (objeto: ObjetoPorCopiar) => {
    const head = await sitio.storage.head(objeto.bucket, objeto.path)
    const body = head && (await sitio.storage.get(objeto.bucket, objeto.path))
    if (!head || !body) return missing.push(objeto)
    const sha256 = objeto.sha256 ?? head.sha256
    const nombre = nameOf(almacen, sha256)
    let bytes = head.size
    if (there.has(nombre)) body.destroy()
    else {
      const kept = await almacen.guarda(OBJETOS, nombre, body, { sha256 }).catch((error: unknown) => {
        if (!(error instanceof SumaAjena)) throw error
      })
      // It is not what was received any more: as good as gone.
      if (!kept) return missing.push(objeto)
      ;[nuevos, escritos, bytes] = [nuevos + 1, escritos + kept.bytes, kept.bytes]
      there.add(nombre)
    }
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
  dice(`Documentos: ${objetos.length}, ${nuevos} nuevos.`)
  return { objetos, nuevos, escritos, perdidos: await stillWanted(sitio, missing) }
}

/** Two objects of the same bytes are kept once; those of an encrypted copy have a name that tells nothing. */
const nameOf = ({ cifra }: Almacen, sha256: string) => {
  const name = cifra ? `${cifra.nameOf(sha256)}.age` : sha256
  return `${name.slice(0, 2)}/${name}`
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

/** Copies that are whole, newest first. */
export async function listCopias({ storage }: Pick<Almacen, 'storage'>): Promise<Caratula[]> {
  const copias: Caratula[] = []
  for await (const path of storage.list(COPIAS, '')) {
    if (!path.endsWith('/caratula.json')) continue
    const body = await storage.get(COPIAS, path)
    if (!body) continue
    const read = v.safeParse(CaratulaSchema, JSON.parse((await buffer(body)).toString()))
    if (read.success) copias.push(read.output)
  }
  return copias.sort((a, b) => b.momento.localeCompare(a.momento))
}

/** @throws StartError when it is not as it was written, or encrypted and no key is given */
export async function readManifiesto(almacen: Almacen, { id, cifrada }: Caratula): Promise<Manifiesto> {
  if (cifrada && !almacen.cifra)
    throw new StartError('Este respaldo está cifrado: pon en BACKUP_KEY la clave con que se hizo.')
  const place = cifrada ? almacen : sinCifra(almacen)
  const text = await buffer(await place.abre(COPIAS, `${id}/manifiesto`, { comprime: true })).catch(
    (error: unknown) => {
      if (error instanceof StartError) throw error
      throw new StartError(`El respaldo ${id} está dañado: su lista no se puede leer.`)
    },
  )
  return v.parse(ManifiestoSchema, JSON.parse(text.toString()))
}

/**
 * Takes out the copies that need not stay, and the objects that none of those that stay needs: an object of whoever asked
 * to be gone is needed by none.
 */
async function clean(almacen: Almacen, regla: Regla, dice: OpcionesDeRespaldo['dice']): Promise<number> {
  const copias = await listCopias(almacen)
  const stay = quedan(
    copias.map(({ id, momento }) => ({ id, momento: new Date(momento) })),
    regla,
  )
  const gone = new Set((await readSupresionesOf(almacen.storage)).map(({ huella }) => huella))
  const needed = new Set<string>()
  for (const copia of copias.filter(({ id }) => stay.has(id))) {
    // Without the key of another time nobody can tell what a copy needs: nothing is taken out.
    const manifiesto = await readManifiesto(almacen, copia).catch(() => undefined)
    if (!manifiesto) {
      dice(`No se quitó nada de antes: el respaldo ${copia.id} no se puede leer con esta clave.`)
      return 0
    }
    for (const { guardado, de } of manifiesto.objetos)
      if (de === undefined || !gone.has(de)) needed.add(guardado.nombre)
  }
  const paths: string[] = []
  for await (const path of almacen.storage.list(COPIAS, '')) if (!stay.has(path.split('/')[0]!)) paths.push(path)
  // The front page goes first: half a copy is none.
  paths.sort((a, b) => Number(b.endsWith('/caratula.json')) - Number(a.endsWith('/caratula.json')))
  for (const path of paths) await almacen.storage.remove(COPIAS, path)
  const orphans: string[] = []
  for await (const path of almacen.storage.list(OBJETOS, '')) if (!needed.has(path)) orphans.push(path)
  for (const path of orphans) await almacen.storage.remove(OBJETOS, path)
  return copias.length - stay.size
}
