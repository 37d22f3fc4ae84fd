import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { sql, type Transaction } from 'kysely'
import { loadFicha } from '#app/contenido/contenido.server.ts'
import { errorCode } from '#app/platform/durable-files.server.ts'
import type { Services } from '#app/platform/services.server.ts'
import { ObjectExistsError } from '#app/platform/storage.server.ts'
import type { Tables } from '#app/platform/tables.ts'
import { newFolio } from './folio.server.ts'
import { ALMACENES, type Almacen } from './formas.server.ts'
import { FORMAS } from './formas.ts'
import { Rechazo } from './rechazo.server.ts'
import { documentPath, folderName, metadataPath, objectUrl } from './rules.ts'
import { type ClaseDocumento, DOCUMENTOS, type LadoCredencial, MENSAJES, type TipoInscripcion } from './schema.ts'
import { hashFile, type Staging, type Subida, stagingOf } from './staging.server.ts'

/** @source specification §9 */
const CACHE_CONTROL_SECONDS = 3600
/** Storing takes seconds; after so long, who wrote that plan is gone for good. */
const ABANDONED = sql<Date>`now() - interval '10 minutes'`
const RETRY_SECONDS = 60
const LADOS: readonly LadoCredencial[] = ['anverso', 'reverso']

/** Everything that storing one submission will do, written down before any of it is done. */
type Plan = {
  tipo: TipoInscripcion
  folio: string
  folder: string
  /** Milliseconds since 1970, by the site's clock. */
  timestamp: number
  documentos: DocumentoPlaneado[]
  /** Body of metadata_{timestamp}.json, whose address may depend on a setting that changes. */
  metadata: string
} & (Alta | Reposicion)

/** A new entry. */
interface Alta {
  que: 'alta'
  id: number
  /** Year of the edition that it is for. */
  edicion: number
  datos: unknown
}

/** One document of an entry anew, as a solicitud asked for it. */
interface Reposicion {
  que: 'reposicion'
  inscripcion: number
  solicitud: number
  /** What it takes the place of; whoever changed that meanwhile was first. */
  antes: { documento: string; metadata: string }
}

interface DocumentoPlaneado {
  subida: string
  clase: ClaseDocumento
  lado: LadoCredencial | null
  path: string
  filename: string
  contentType: string
  size: number
  sha256: string
}

export type Documentos = Partial<Record<ClaseDocumento, Subida[]>>

/** A submission that is stored. */
export interface Guardada {
  huella: string
  /** undefined once the entry was deleted. */
  folio: string | undefined
}

/** Reserves the id and every path of a new entry and writes the plan into the journal; nothing is stored yet. */
export async function planAlta<Datos>(
  clave: string,
  huella: string,
  { forma, tabla, resumen }: Almacen<Datos>,
  datos: Datos,
  found: Documentos,
  services: Services,
): Promise<Plan> {
  const { db, clock, settings } = services
  const reserved = await sql<{ id: number }>`select nextval(pg_get_serial_sequence(${tabla}, 'id')) as id`.execute(db)
  const id = reserved.rows[0]!.id
  const folder = folderName(id, resumen(datos).titular)
  const timestamp = clock.now().getTime()
  const documentos = forma.clases.flatMap((clase) =>
    (found[clase] ?? []).map((upload, at) => {
      const lado = DOCUMENTOS[clase].archivos === 2 ? LADOS[at]! : null
      return planDocumento(upload, clase, lado, folder, timestamp)
    }),
  )
  const metadata = metadataOf(forma.tipo, { id, ...datos }, documentos, settings.publicUrl)
  const { anio: edicion } = await loadFicha()
  return begin(clave, huella, services, {
    que: 'alta',
    tipo: forma.tipo,
    id,
    edicion,
    datos,
    folio: newFolio(),
    folder,
    timestamp,
    documentos,
    metadata,
  })
}

export function planDocumento(
  upload: Subida,
  clase: ClaseDocumento,
  lado: LadoCredencial | null,
  folder: string,
  timestamp: number,
): DocumentoPlaneado {
  const { id: subida, filename } = upload
  const { sha256, contentType } = upload.sealed!
  const path = documentPath({ folder, clase, lado, timestamp, fileName: filename })
  return { subida, clase, lado, path, filename, contentType, size: upload.size!, sha256 }
}

/** Body of an entry's metadata: its values under the keys of §3, and the address of each document by kind. */
export function metadataOf(
  tipo: TipoInscripcion,
  values: object,
  documentos: readonly { clase: ClaseDocumento; path: string }[],
  publicUrl: string,
): string {
  const { clases, bucket } = FORMAS[tipo]
  const urls = clases.map((clase) => [
    clase,
    documentos.filter((documento) => documento.clase === clase).map(({ path }) => objectUrl(publicUrl, bucket, path)),
  ])
  return JSON.stringify({ ...values, documentos: Object.fromEntries(urls) }, null, 2)
}

/** Writes a plan into the journal. */
export async function begin<P extends Plan>(clave: string, huella: string, services: Services, plan: P): Promise<P> {
  const { area } = await stagingOf(services)
  await services.db
    .insertInto('entregas')
    .values({ clave, estado: 'guardando', huella, plan: JSON.stringify(plan), tipo: plan.tipo, area })
    .execute()
  return plan
}

/**
 * Carries out a plan; if that fails, takes it back.
 * @throws what went wrong, and nothing is stored
 */
export async function carryOut(clave: string, plan: Plan, staging: Staging, services: Services): Promise<void> {
  try {
    await store(clave, plan, staging, services)
  } catch (error) {
    // When not even that can be done now, the journal keeps the plan for the next attempt or the sweep.
    const undone = await undo(clave, plan, services).catch(() => true)
    if (undone) throw error
  }
  await staging.removeAll(clave).catch((error) => {
    services.log.warn({ err: error }, 'staged files of a stored registration are left to the sweep')
  })
}

/** Objects, metadata, rows: in this order, so that the rows vouch for all of it. Repeating it is harmless. */
async function store(clave: string, plan: Plan, staging: Staging, { db, storage, settings }: Services): Promise<void> {
  const { bucket } = FORMAS[plan.tipo]
  const files = await Promise.allSettled(
    plan.documentos.map(({ subida, path, contentType, sha256, size }) => {
      const metadata = { contentType, cacheControlSeconds: CACHE_CONTROL_SECONDS, sha256 }
      const put = () => storage.putFile(bucket, path, staging.fileOf(clave, subida), metadata)
      return putOnce(put, bucket, path, { sha256, size }, storage)
    }),
  )
  // Waited for all of them: none may still be writing when an undo begins.
  for (const file of files) if (file.status === 'rejected') throw file.reason

  const body = Buffer.from(plan.metadata)
  const metadataAt = metadataPath(plan.folder, plan.timestamp)
  const put = () =>
    storage.putBytes(bucket, metadataAt, body, {
      contentType: 'application/json',
      cacheControlSeconds: CACHE_CONTROL_SECONDS,
    })
  const sum = createHash('sha256').update(body).digest('hex')
  await putOnce(put, bucket, metadataAt, { sha256: sum, size: body.byteLength }, storage)

  await db.transaction().execute(async (transaction) => {
    const inscripcion =
      plan.que === 'alta'
        ? await insertInscripcion(transaction, plan, metadataAt, settings.publicUrl)
        : await replaceDocumento(transaction, plan, metadataAt)
    await transaction
      .insertInto('documentos')
      .values(
        plan.documentos.map(({ clase, lado, path, filename, contentType, size, sha256 }) => ({
          inscripcion_id: inscripcion,
          clase,
          lado,
          path,
          nombre_archivo: filename,
          content_type: contentType,
          size_bytes: size,
          sha256,
          recibido_at: new Date(plan.timestamp),
        })),
      )
      .execute()
    const journal = await transaction
      .updateTable('entregas')
      .set({ estado: 'guardada', plan: null, inscripcion_id: inscripcion })
      .where('clave', '=', clave)
      .where('estado', '=', 'guardando')
      .executeTakeFirstOrThrow()
    if (journal.numUpdatedRows !== 1n) throw new Error(`The journal of entry ${inscripcion} is gone`)
  })
}

async function insertInscripcion(
  transaction: Transaction<Tables>,
  { tipo, id, edicion, folio, folder, timestamp, datos }: Plan & Alta,
  metadataAt: string,
  publicUrl: string,
): Promise<number> {
  const almacen = ALMACENES[tipo]
  const created_at = new Date(timestamp)
  const inscripcion = await transaction
    .insertInto('inscripciones')
    .values({ tipo, edicion, folio, ...almacen.resumen(datos), created_at })
    .returning('id')
    .executeTakeFirstOrThrow()
  const fila = { id, inscripcion_id: inscripcion.id, carpeta: folder, metadata_path: metadataAt, created_at }
  await almacen.insert(transaction, fila, datos)
  await almacen.notify?.(transaction, folio, datos, publicUrl, inscripcion.id)
  return inscripcion.id
}

/** The old document stays in the history; with the last one that was asked for, the entry goes back to whoever judges it. */
async function replaceDocumento(
  transaction: Transaction<Tables>,
  { tipo, inscripcion, solicitud, antes, timestamp }: Plan & Reposicion,
  metadataAt: string,
): Promise<number> {
  const at = new Date(timestamp)
  const overtaken = () => new Rechazo('solicitudCerrada', MENSAJES.solicitudCerrada)
  const entry = await transaction
    .selectFrom('inscripciones')
    .select(['estado', 'version'])
    .where('id', '=', inscripcion)
    .forUpdate()
    .executeTakeFirst()
  if (entry === undefined) throw overtaken()
  const answered = await transaction
    .updateTable('solicitudes')
    .set({ cumplida_at: at })
    .where('id', '=', solicitud)
    .where('cumplida_at', 'is', null)
    .where('retirada_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (answered.numUpdatedRows !== 1n) throw overtaken()
  const replaced = await transaction
    .updateTable('documentos')
    .set({ reemplazado_at: at })
    .where('inscripcion_id', '=', inscripcion)
    .where('path', '=', antes.documento)
    .where('reemplazado_at', 'is', null)
    .executeTakeFirstOrThrow()
  const moved = await transaction
    .updateTable(ALMACENES[tipo].tabla)
    .set({ metadata_path: metadataAt })
    .where('inscripcion_id', '=', inscripcion)
    .where('metadata_path', '=', antes.metadata)
    .executeTakeFirstOrThrow()
  if (replaced.numUpdatedRows !== 1n || moved.numUpdatedRows !== 1n) throw overtaken()
  const missing = await transaction
    .selectFrom('solicitudes')
    .select('id')
    .where('inscripcion_id', '=', inscripcion)
    .where('cumplida_at', 'is', null)
    .where('retirada_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  const a = missing ? entry.estado : 'en-revision'
  await transaction
    .updateTable('inscripciones')
    .set({ estado: a, version: entry.version + 1 })
    .where('id', '=', inscripcion)
    .execute()
  if (a !== entry.estado)
    await transaction
      .insertInto('cambios')
      .values({ inscripcion_id: inscripcion, at, de: entry.estado, a, nota: null, quien: null })
      .execute()
  return inscripcion
}

/**
 * Paths are reserved for this submission alone, so an object that is already there is one of its own, put before a crash;
 * the staged file may be gone since.
 */
async function putOnce(
  put: () => Promise<void>,
  bucket: string,
  path: string,
  expected: { sha256: string; size: number },
  storage: Services['storage'],
): Promise<void> {
  try {
    await put()
  } catch (error) {
    if (!(error instanceof ObjectExistsError) && errorCode(error) !== 'ENOENT') throw error
    const there = await storage.head(bucket, path)
    if (there?.sha256 !== expected.sha256 || there.size !== expected.size) throw error
  }
}

/**
 * Takes back what `store` put. The staged files stay, so that the person can send it again.
 * @returns false when the submission turned out to be stored after all (the answer to the commit was lost)
 */
async function undo(clave: string, plan: Plan, { db, storage }: Services): Promise<boolean> {
  const { bucket } = FORMAS[plan.tipo]
  return db.transaction().execute(async (transaction) => {
    // Waits for a commit that is still under way: after this, the state is certain.
    const journal = await transaction
      .selectFrom('entregas')
      .select('estado')
      .where('clave', '=', clave)
      .forUpdate()
      .executeTakeFirst()
    if (journal?.estado === 'guardada') return false
    const paths = [...plan.documentos.map(({ path }) => path), metadataPath(plan.folder, plan.timestamp)]
    for (const path of paths) await storage.remove(bucket, path)
    await transaction.deleteFrom('entregas').where('clave', '=', clave).execute()
    return true
  })
}

/**
 * Ends what an interrupted attempt began: forward when every file is still whole, else back to nothing.
 * @returns the submission that is stored under this key afterwards; undefined when there is none
 * @throws Rechazo guardando while another process may be at it
 */
export async function settle(clave: string, staging: Staging, services: Services): Promise<Guardada | undefined> {
  const journal = await services.db
    .selectFrom('entregas')
    .leftJoin('inscripciones', 'inscripciones.id', 'entregas.inscripcion_id')
    .select(['entregas.estado', 'huella', 'plan', 'folio', isOursToSettle(staging).as('isOurs')])
    .where('clave', '=', clave)
    .executeTakeFirst()
  if (journal === undefined) return undefined
  const { huella } = journal
  if (journal.estado === 'guardada') return { huella, folio: journal.folio ?? undefined }
  if (!journal.isOurs) throw new Rechazo('guardando', MENSAJES.guardando, RETRY_SECONDS)
  const plan = journal.plan as Plan
  if ((await allWhole(clave, plan, staging, services)) && (await isStored(clave, plan, staging, services))) {
    services.log.info({ entrada: plan.folder.split('_')[0] }, 'an interrupted registration was finished')
    return { huella, folio: plan.folio }
  }
  if (!(await undo(clave, plan, services))) return { huella, folio: plan.folio }
  services.log.warn({ entrada: plan.folder.split('_')[0] }, 'an interrupted registration was undone')
  return undefined
}

/** Whether an entrega that is being stored was begun over this very area, or by somebody who is gone. */
const isOursToSettle = ({ area }: Staging) =>
  sql<boolean>`(entregas.area is null or entregas.area = ${area} or entregas.created_at < ${ABANDONED})`

/** Goes forward, unless somebody else was first: then there is nothing left to go forward to. */
async function isStored(clave: string, plan: Plan, staging: Staging, services: Services): Promise<boolean> {
  try {
    await store(clave, plan, staging, services)
    return true
  } catch (error) {
    if (error instanceof Rechazo) return false
    throw error
  }
}

/** Whether nothing is known of an entrega. */
export async function isForgotten(clave: string, { db }: Services): Promise<boolean> {
  return !(await db.selectFrom('entregas').select('clave').where('clave', '=', clave).executeTakeFirst())
}

async function allWhole(clave: string, plan: Plan, staging: Staging, { storage }: Services): Promise<boolean> {
  const { bucket } = FORMAS[plan.tipo]
  for (const { subida, path, sha256, size } of plan.documentos) {
    const stored = await storage.head(bucket, path)
    if (stored !== undefined) {
      if (stored.sha256 !== sha256 || stored.size !== size) return false
      continue
    }
    const file = staging.fileOf(clave, subida)
    const staged = await stat(file).catch((error) => {
      if (errorCode(error) === 'ENOENT') return undefined
      throw error
    })
    if (staged?.size !== size || (await hashFile(file)) !== sha256) return false
  }
  return true
}

/**
 * Finishes or undoes every submission whose storing was interrupted, by a crash or a fault; those that another process
 * may still be storing are left to it. One that cannot be settled now (the storage does not answer, say) is left for
 * the next time.
 * @returns keys still unsettled
 */
export async function recoverEntregas(services: Services): Promise<ReadonlySet<string>> {
  const staging = await stagingOf(services)
  const open = await services.db
    .selectFrom('entregas')
    .select('clave')
    .where('estado', '=', 'guardando')
    .where(isOursToSettle(staging))
    .execute()
  const unsettled = new Set<string>()
  for (const { clave } of open) {
    await staging.exclusively(clave, async () => {
      try {
        if ((await settle(clave, staging, services)) !== undefined) await staging.removeAll(clave)
      } catch (error) {
        unsettled.add(clave)
        services.log.error({ err: error }, 'an interrupted registration could not be settled yet')
      }
    })
  }
  return unsettled
}
