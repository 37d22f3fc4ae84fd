import { createHash, randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { sql } from 'kysely'
import { loadFicha } from '#app/contenido/contenido.server.ts'
import { errorCode } from '#app/platform/durable-files.server.ts'
import type { RequestFacts, Services } from '#app/platform/services.server.ts'
import { ObjectExistsError } from '#app/platform/storage.server.ts'
import { newFolio } from './folio.server.ts'
import { byClase, emptyForm, type Formulario, readFormulario } from './formulario.server.ts'
import { asRechazo, faultForLog, Rechazo } from './rechazo.server.ts'
import {
  BUCKET_REGISTRO,
  documentPath,
  folderName,
  isUuid,
  metadataPath,
  objectUrl,
  validateRegistro,
} from './rules.ts'
import {
  ARCHIVOS_POR_CLASE,
  CAMPOS_TEXTO,
  CLASES_DOCUMENTO,
  type ClaseDocumento,
  type DatosRegistro,
  type ErrorCampo,
  type LadoCredencial,
  MENSAJES,
  type MotivoRechazo,
  type ResultadoRegistro,
} from './schema.ts'
import { claveOf, hashFile, type Staging, type Subida, type SubidaRecibida, stagingOf } from './staging.server.ts'

/** @source specification §9 */
const CACHE_CONTROL_SECONDS = 3600
const LADOS: readonly LadoCredencial[] = ['anverso', 'reverso']

/** Everything that storing one registration will do, written down before any of it is done. */
interface Plan {
  id: number
  folio: string
  /** Year of the edition that it is for. */
  edicion: number
  folder: string
  timestamp: number
  datos: DatosRegistro
  documentos: DocumentoPlaneado[]
  /** Body of metadata_{timestamp}.json, whose address may depend on a setting that changes. */
  metadata: string
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

type Documentos = Partial<Record<ClaseDocumento, Subida[]>>

/**
 * Receives a candidate's registration, as POST /registro sends it with JavaScript (fields and the ids of uploads) or
 * without (one form with its files). It is confirmed only when row, objects and metadata are all stored.
 * The same submission sent again, at once or later, answers the same and registers nothing more.
 * @source specification §3, §5, §7, §8; decisions 9–18
 */
export async function receiveRegistro(
  request: Request,
  services: Services,
  facts: RequestFacts,
): Promise<ResultadoRegistro> {
  const staging = await stagingOf(services)
  const form = emptyForm()
  try {
    await admit(request, form, staging, facts.client)
    return await registrar(form, staging, services)
  } catch (error) {
    const refusal = asRechazo(error)
    if (refusal) return refused(refusal, form, staging)
    services.log.error({ id: facts.id, fault: faultForLog(error) }, 'a registration could not be stored')
    const answer = await refused(new Rechazo('falla', MENSAJES.falla(facts.id)), form, staging)
    return answer.ok ? answer : { ...answer, errorId: facts.id }
  }
}

/** Counted after it was read (what it may bring is bounded by the staging area): a refusal gives back all of it. */
async function admit(request: Request, form: Formulario, staging: Staging, client: string): Promise<void> {
  try {
    await readFormulario(request, form, staging, client)
    await staging.presupuesto.countSubmission(client)
  } catch (error) {
    const entrega = form.fields.get('entrega')
    if (isUuid(entrega)) {
      const clave = claveOf(entrega)
      // Why it was refused is what the person has to hear, whatever else fails.
      await staging.exclusively(clave, () => supersede(form, clave, staging)).catch(() => {})
    }
    throw error
  }
}

async function registrar(form: Formulario, staging: Staging, services: Services): Promise<ResultadoRegistro> {
  const entrega = form.fields.get('entrega')
  if (!isUuid(entrega)) throw new Rechazo('entrega', MENSAJES.peticion)
  if (form.unknown) throw new Rechazo('camposDesconocidos', MENSAJES.camposDesconocidos)
  const clave = claveOf(entrega)
  // A double click, two tabs or a repeated request wait here for one another.
  return staging.exclusively(clave, async () => {
    const huella = fingerprint(form)
    const before = await settle(clave, staging, services)
    if (before !== undefined) {
      const same = before === huella && !(await bringsOthers(form, clave, staging, services))
      await staging.removeAll(clave)
      if (same) return { ok: true }
      const answer = await refused(new Rechazo('yaRecibido', MENSAJES.yaRecibido), form, staging)
      return answer.ok ? answer : { ...answer, entrega: randomUUID() }
    }

    const documentos = await chosenDocuments(form, clave, staging)
    const faulty = [...form.refused, ...documentos.refused]
    // A document that came and was refused is not missing: its own message says what to do.
    const counts = { ...documentos.counts }
    for (const { campo } of faulty) counts[campo] = ARCHIVOS_POR_CLASE[campo]
    const checked = validateRegistro(Object.fromEntries(form.fields), counts)
    if (!checked.ok) {
      const { reason, message } = checked.reason === 'incompleto' ? checked : (faulty[0] ?? checked)
      await supersede(form, clave, staging)
      return refused(new Rechazo(reason, message), form, staging, [...checked.campos, ...faulty])
    }
    const first = faulty[0] ?? sameSides(documentos.found)
    if (first) {
      await supersede(form, clave, staging)
      return refused(new Rechazo(first.reason, first.message), form, staging, faulty[0] ? faulty : [first])
    }

    const plan = await reserve(clave, huella, checked.datos, documentos.found, services)
    try {
      await store(clave, plan, staging, services)
    } catch (error) {
      // When not even that can be done now, the journal keeps the plan for the next attempt or the sweep.
      const undone = await undo(clave, plan, services).catch(() => true)
      if (undone) throw error
    }
    await staging.removeAll(clave).catch((error) => {
      services.log.warn({ fault: faultForLog(error) }, 'staged files of a stored registration are left to the sweep')
    })
    services.log.info({ registro: plan.id }, 'registration stored')
    return { ok: true }
  })
}

/** Tells a repetition from a correction: the values, however they were spaced. */
function fingerprint(form: Formulario): string {
  const values = CAMPOS_TEXTO.map((campo) => (form.fields.get(campo) ?? '').trim())
  return createHash('sha256').update(JSON.stringify(values)).digest('hex')
}

/** Whether a form brings or names a document that is not one of those stored under its key. */
async function bringsOthers(form: Formulario, clave: string, staging: Staging, { db }: Services): Promise<boolean> {
  const sums = new Set(form.sums)
  // Those that were stored, or fell to a twin of this form, are not staged any more.
  for (const id of Object.values(parseDocumentos(form.fields.get('documentos') ?? '{}')).flat()) {
    const sealed = (await staging.find(clave, id))?.sealed
    if (sealed) sums.add(sealed.sha256)
  }
  const stored = await db
    .selectFrom('entregas')
    .innerJoin('documentos', 'documentos.inscripcion_id', 'entregas.inscripcion_id')
    .select('documentos.sha256')
    .where('entregas.clave', '=', clave)
    .execute()
  return [...sums].some((sum) => !stored.some(({ sha256 }) => sha256 === sum))
}

type Refusal = ErrorCampo & { campo: ClaseDocumento; reason: MotivoRechazo }

/** The uploads that this form means, each whole and of an accepted type, or why not. */
async function chosenDocuments(
  form: Formulario,
  clave: string,
  staging: Staging,
): Promise<{ counts: Partial<Record<ClaseDocumento, number>>; found: Documentos; refused: Refusal[] }> {
  const counts: Partial<Record<ClaseDocumento, number>> = {}
  const found: Documentos = {}
  const refused: Refusal[] = []
  const ids = await chosenIds(form, clave, staging)
  for (const clase of CLASES_DOCUMENTO) {
    const chosen = ids[clase] ?? []
    counts[clase] = chosen.length
    for (const id of chosen) {
      try {
        const upload = await staging.find(clave, id)
        if (upload === undefined) throw new Rechazo('documentoInvalido', MENSAJES.archivoPerdido)
        if (upload.clase !== clase) throw new Rechazo('peticion', MENSAJES.peticion)
        found[clase] = [...(found[clase] ?? []), await staging.seal(clave, id)]
      } catch (error) {
        if (!(error instanceof Rechazo) || error.reason === 'peticion') throw error
        refused.push({ campo: clase, reason: error.reason, message: error.message })
      }
    }
  }
  return { counts, found, refused }
}

async function chosenIds(
  form: Formulario,
  clave: string,
  staging: Staging,
): Promise<Partial<Record<ClaseDocumento, string[]>>> {
  const listed = form.fields.get('documentos')
  // The script names what it sent; of the other documents, what came before it was there (without JavaScript) counts.
  const named = listed === undefined ? {} : parseDocumentos(listed)
  const staged = (await staging.list(clave)).filter((upload) => upload.sealed !== null)
  const ids: Partial<Record<ClaseDocumento, string[]>> = {}
  for (const clase of CLASES_DOCUMENTO) {
    if (named[clase]) {
      ids[clase] = named[clase]
      continue
    }
    const own = form.arrived.get(clase) ?? []
    const earlier = staged.filter((upload) => upload.clase === clase && !own.includes(upload.id))
    // A lone side of the credential completes one that came alone before it; else what comes now is what counts.
    const completes = own.length > 0 && own.length + earlier.length === ARCHIVOS_POR_CLASE[clase]
    if (own.length > 0 && !completes) ids[clase] = own
    else ids[clase] = [...earlier.map((upload) => upload.id).slice(-ARCHIVOS_POR_CLASE[clase]), ...own]
  }
  return ids
}

/**
 * Before a form without JavaScript is shown again: what this form brought takes the place of what earlier ones brought
 * for the same document. Too many for one document are all asked for again: none can be told to be the wrong one.
 */
async function supersede(form: Formulario, clave: string, staging: Staging): Promise<void> {
  if (form.arrived.size === 0) return
  const chosen = await chosenIds(form, clave, staging)
  const staged = await staging.list(clave)
  for (const [clase, own] of form.arrived) {
    const kept = (chosen[clase]?.length ?? 0) <= ARCHIVOS_POR_CLASE[clase] ? (chosen[clase] ?? []) : []
    const first = staged.find((upload) => own.includes(upload.id))
    for (const { id, clase: other, createdAt } of staged) {
      const replaced = other === clase && !kept.includes(id)
      // Younger ones belong to the same form sent twice at once.
      if (replaced && (own.includes(id) || (first !== undefined && createdAt < first.createdAt)))
        await staging.remove(clave, id)
    }
  }
}

/** @throws Rechazo peticion for anything but `{ kind: [upload id, …] }` */
function parseDocumentos(json: string): Partial<Record<ClaseDocumento, string[]>> {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    throw new Rechazo('peticion', MENSAJES.peticion)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Rechazo('peticion', MENSAJES.peticion)
  const ids: Partial<Record<ClaseDocumento, string[]>> = {}
  for (const [name, list] of Object.entries(value)) {
    const clase = CLASES_DOCUMENTO.find((one) => one === name)
    if (clase === undefined) throw new Rechazo('camposDesconocidos', MENSAJES.camposDesconocidos)
    if (!Array.isArray(list) || list.length > 10 || !list.every(isUuid))
      throw new Rechazo('peticion', MENSAJES.peticion)
    ids[clase] = list
  }
  return ids
}

function sameSides(found: Documentos): Refusal | undefined {
  const [front, back] = found.credencialElector ?? []
  if (!front?.sealed || front.sealed.sha256 !== back?.sealed?.sha256) return undefined
  return { campo: 'credencialElector', reason: 'documentoInvalido', message: MENSAJES.credencialRepetida }
}

/** Reserves the id and every path and writes the plan into the journal; nothing is stored yet. */
async function reserve(
  clave: string,
  huella: string,
  datos: DatosRegistro,
  found: Documentos,
  { db, clock, settings }: Services,
): Promise<Plan> {
  const reserved = await sql<{ id: number }>`select nextval(pg_get_serial_sequence('registros', 'id')) as id`.execute(
    db,
  )
  const id = reserved.rows[0]!.id
  const folder = folderName(id, datos.nombre)
  const timestamp = clock.now().getTime()
  const documentos = CLASES_DOCUMENTO.flatMap((clase) =>
    (found[clase] ?? []).map((upload, at): DocumentoPlaneado => {
      const lado = clase === 'credencialElector' ? LADOS[at]! : null
      const { filename } = upload
      const { sha256, contentType } = upload.sealed!
      const path = documentPath({ folder, clase, lado, timestamp, fileName: filename })
      return { subida: upload.id, clase, lado, path, filename, contentType, size: upload.size!, sha256 }
    }),
  )
  const urls = CLASES_DOCUMENTO.map((clase) => [
    clase,
    documentos
      .filter((documento) => documento.clase === clase)
      .map(({ path }) => objectUrl(settings.publicUrl, BUCKET_REGISTRO, path)),
  ])
  const metadata = JSON.stringify({ id, ...datos, documentos: Object.fromEntries(urls) }, null, 2)
  const { anio: edicion } = await loadFicha()
  const plan: Plan = { id, folio: newFolio(), edicion, folder, timestamp, datos, documentos, metadata }
  await db
    .insertInto('entregas')
    .values({ clave, estado: 'guardando', huella, plan: JSON.stringify(plan), tipo: 'candidata' })
    .execute()
  return plan
}

/** Objects, metadata, row: in this order, so that the row vouches for all of it. Repeating it is harmless. */
async function store(clave: string, plan: Plan, staging: Staging, { db, storage }: Services): Promise<void> {
  const { id, folio, edicion, folder, timestamp, datos, documentos } = plan
  const files = await Promise.allSettled(
    documentos.map(({ subida, path, contentType, sha256, size }) => {
      const metadata = { contentType, cacheControlSeconds: CACHE_CONTROL_SECONDS, sha256 }
      const put = () => storage.putFile(BUCKET_REGISTRO, path, staging.fileOf(clave, subida), metadata)
      return putOnce(put, path, { sha256, size }, storage)
    }),
  )
  // Waited for all of them: none may still be writing when an undo begins.
  for (const file of files) if (file.status === 'rejected') throw file.reason

  const body = Buffer.from(plan.metadata)
  const metadataAt = metadataPath(folder, timestamp)
  const put = () =>
    storage.putBytes(BUCKET_REGISTRO, metadataAt, body, {
      contentType: 'application/json',
      cacheControlSeconds: CACHE_CONTROL_SECONDS,
    })
  const sum = createHash('sha256').update(body).digest('hex')
  await putOnce(put, metadataAt, { sha256: sum, size: body.byteLength }, storage)

  await db.transaction().execute(async (transaction) => {
    const { nombre, edad, estatura, gradoEstudio, celular } = datos
    const inscripcion = await transaction
      .insertInto('inscripciones')
      .values({ tipo: 'candidata', edicion, folio, titular: nombre, edad, celular, created_at: new Date(timestamp) })
      .returning('id')
      .executeTakeFirstOrThrow()
    await transaction
      .insertInto('registros')
      .values({
        id,
        inscripcion_id: inscripcion.id,
        nombre,
        edad,
        estatura,
        grado_estudio: gradoEstudio,
        celular,
        carpeta: folder,
        metadata_path: metadataAt,
        created_at: new Date(timestamp),
      })
      .execute()
    await transaction
      .insertInto('documentos')
      .values(
        documentos.map(({ clase, lado, path, filename, contentType, size, sha256 }) => ({
          inscripcion_id: inscripcion.id,
          clase,
          lado,
          path,
          nombre_archivo: filename,
          content_type: contentType,
          size_bytes: size,
          sha256,
        })),
      )
      .execute()
    const journal = await transaction
      .updateTable('entregas')
      .set({ estado: 'guardada', plan: null, inscripcion_id: inscripcion.id })
      .where('clave', '=', clave)
      .where('estado', '=', 'guardando')
      .executeTakeFirstOrThrow()
    if (journal.numUpdatedRows !== 1n) throw new Error(`The journal of registration ${id} is gone`)
  })
}

/** Paths are reserved for this submission alone, so an object that is already there is one of its own, put before a crash. */
async function putOnce(
  put: () => Promise<void>,
  path: string,
  expected: { sha256: string; size: number },
  storage: Services['storage'],
): Promise<void> {
  try {
    await put()
  } catch (error) {
    if (!(error instanceof ObjectExistsError)) throw error
    const there = await storage.head(BUCKET_REGISTRO, path)
    if (there?.sha256 !== expected.sha256 || there.size !== expected.size) throw error
  }
}

/**
 * Takes back what `store` put. The staged files stay, so that the person can send it again.
 * @returns false when the registration turned out to be stored after all (the answer to the commit was lost)
 */
async function undo(clave: string, plan: Plan, { db, storage }: Services): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    // Waits for a commit that is still under way: after this, the state is certain.
    const journal = await transaction
      .selectFrom('entregas')
      .select('estado')
      .where('clave', '=', clave)
      .forUpdate()
      .executeTakeFirst()
    if (journal?.estado === 'guardada') return false
    const paths: string[] = []
    for await (const path of storage.list(BUCKET_REGISTRO, `${plan.folder}/`)) paths.push(path)
    for (const path of paths) await storage.remove(BUCKET_REGISTRO, path)
    await transaction.deleteFrom('entregas').where('clave', '=', clave).execute()
    return true
  })
}

/**
 * Ends what an interrupted attempt began: forward when every file is still whole, else back to nothing.
 * @returns the fingerprint of the registration that exists under this key afterwards; undefined when there is none
 */
async function settle(clave: string, staging: Staging, services: Services): Promise<string | undefined> {
  const journal = await services.db
    .selectFrom('entregas')
    .select(['estado', 'huella', 'plan'])
    .where('clave', '=', clave)
    .executeTakeFirst()
  if (journal === undefined) return undefined
  if (journal.estado === 'guardada') return journal.huella
  const plan = journal.plan as Plan
  if (await allWhole(clave, plan, staging, services)) {
    await store(clave, plan, staging, services)
    services.log.info({ registro: plan.id }, 'an interrupted registration was finished')
    return journal.huella
  }
  if (!(await undo(clave, plan, services))) return journal.huella
  services.log.warn({ registro: plan.id }, 'an interrupted registration was undone: its files were no longer whole')
  return undefined
}

async function allWhole(clave: string, plan: Plan, staging: Staging, { storage }: Services): Promise<boolean> {
  for (const { subida, path, sha256, size } of plan.documentos) {
    const stored = await storage.head(BUCKET_REGISTRO, path)
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
 * Finishes or undoes every registration whose storing was interrupted, by a crash or a fault. One that cannot be
 * settled now (the storage does not answer, say) is left for the next time.
 * @returns keys still unsettled
 */
export async function recoverEntregas(services: Services): Promise<ReadonlySet<string>> {
  const staging = await stagingOf(services)
  const open = await services.db.selectFrom('entregas').select('clave').where('estado', '=', 'guardando').execute()
  const unsettled = new Set<string>()
  for (const { clave } of open) {
    await staging.exclusively(clave, async () => {
      try {
        if ((await settle(clave, staging, services)) !== undefined) await staging.removeAll(clave)
      } catch (error) {
        unsettled.add(clave)
        services.log.error({ fault: faultForLog(error) }, 'an interrupted registration could not be settled yet')
      }
    })
  }
  return unsettled
}

/** What the person gets back with a refusal: why, what was typed, and which files need not be sent again. */
async function refused(
  { reason, message, retryAfterSeconds }: Rechazo,
  form: Formulario,
  staging: Staging,
  campos: readonly ErrorCampo[] = [],
): Promise<ResultadoRegistro> {
  const sent = form.fields.get('entrega')
  const entrega = isUuid(sent) ? sent : randomUUID()
  const uploads = isUuid(sent) ? await staging.list(claveOf(sent)).catch((): SubidaRecibida[] => []) : []
  const recibidos = Object.fromEntries(
    Object.entries(byClase(uploads)).map(([clase, found]) => [clase, found.map(({ filename }) => filename)]),
  )
  return {
    ok: false,
    reason,
    message,
    campos: campos.map(({ campo, message }) => ({ campo, message })),
    valores: Object.fromEntries(CAMPOS_TEXTO.map((campo) => [campo, form.fields.get(campo) ?? ''])),
    recibidos,
    entrega,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }
}
