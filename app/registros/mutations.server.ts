import { createHash, randomUUID } from 'node:crypto'
import { countIntento, refundRitmos } from '#app/cuentas/intentos.server.ts'
import type { Ritmo } from '#app/cuentas/rules.ts'
import type { RequestFacts, Services } from '#app/platform/services.server.ts'
import { isUuid } from '#app/platform/uuid.ts'
import { findByFolio, refuseCerrado } from './data.server.ts'
import {
  begin,
  carryOut,
  type Documentos,
  isForgotten,
  metadataOf,
  planAlta,
  planDocumento,
  settle,
} from './entregas.server.ts'
import { ALMACENES } from './formas.server.ts'
import type { Forma } from './formas.ts'
import { byClase, emptyForm, type Formulario, readFormulario } from './formulario.server.ts'
import { asRechazo, Rechazo } from './rechazo.server.ts'
import { errorDeArchivo, inOrder, readFolio } from './rules.ts'
import {
  CLASES_DOCUMENTO,
  type ClaseDocumento,
  DOCUMENTOS,
  type ErrorCampo,
  MENSAJES,
  type MotivoRechazo,
  type ResultadoFolio,
  type ResultadoRegistro,
  type TipoInscripcion,
} from './schema.ts'
import { claveOf, type Staging, type SubidaRecibida, stagingOf } from './staging.server.ts'

/**
 * Receives a registration, as its form is posted with JavaScript (fields and the ids of uploads) or without (one form
 * with its files). It is confirmed only when rows, objects and metadata are all stored.
 * The same submission sent again, at once or later, answers the same and registers nothing more.
 * @source specification §3, §5, §7, §8; decisions 9–18
 */
export async function receiveRegistro(
  tipo: TipoInscripcion,
  request: Request,
  services: Services,
  facts: RequestFacts,
): Promise<ResultadoRegistro> {
  const { forma } = ALMACENES[tipo]
  const staging = await stagingOf(services)
  const form = emptyForm(forma)
  try {
    // A closed form takes no files, but still says what became of a submission from before.
    const closed = await refuseCerrado(services, forma)
    form.takesFiles = closed === undefined
    await admit(request, form, staging, facts.client)
    return await registrar(forma, form, closed, staging, services)
  } catch (error) {
    const refusal = asRechazo(error)
    if (refusal) return refused(refusal, form, staging)
    services.log.error({ id: facts.id, err: error }, 'a registration could not be stored')
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

async function registrar(
  forma: Forma,
  form: Formulario,
  closed: Rechazo | undefined,
  staging: Staging,
  services: Services,
): Promise<ResultadoRegistro> {
  const clave = claveOfForm(form)
  // A double click, two tabs or a repeated request wait here for one another.
  return staging.exclusively(clave, async () => {
    const huella = fingerprint(form)
    const before = await settle(clave, staging, services)
    if (before !== undefined) {
      const same = before.huella === huella && !(await bringsOthers(form, clave, staging, services))
      await staging.removeAll(clave)
      if (same && before.folio !== undefined) return { ok: true, folio: before.folio }
      const answer = await refused(new Rechazo('yaRecibido', MENSAJES.yaRecibido), form, staging)
      return answer.ok ? answer : { ...answer, entrega: randomUUID() }
    }
    if (closed) throw closed

    const documentos = await chosenDocuments(form, clave, staging)
    const faulty = inOrder([...form.refused, ...documentos.refused])
    // A document that came and was refused is not missing: its own message says what to do.
    const counts = { ...documentos.counts }
    for (const { campo } of faulty) counts[campo] = DOCUMENTOS[campo].archivos
    const checked = forma.validate(Object.fromEntries(form.fields), counts)
    if (!checked.ok) {
      await supersede(form, clave, staging)
      return refused(new Rechazo(checked.reason, checked.message), form, staging, [
        ...checked.campos,
        ...faulty.map(errorDeArchivo),
      ])
    }
    if (faulty[0]) {
      await supersede(form, clave, staging)
      return refused(new Rechazo(faulty[0].reason, faulty[0].message), form, staging, faulty.map(errorDeArchivo))
    }

    const plan = await planAlta(clave, huella, ALMACENES[forma.tipo], checked.datos, documentos.found, services)
    await carryOut(clave, plan, staging, services)
    services.log.info({ tipo: forma.tipo, registro: plan.folder.split('_')[0] }, 'registration stored')
    return { ok: true, folio: plan.folio }
  })
}

/** @throws Rechazo for a form without a key of its own, or with what no form of ours has */
function claveOfForm({ fields, unknown }: Formulario): string {
  const entrega = fields.get('entrega')
  if (!isUuid(entrega)) throw new Rechazo('entrega', MENSAJES.peticion)
  if (unknown) throw new Rechazo('camposDesconocidos', MENSAJES.camposDesconocidos)
  return claveOf(entrega)
}

/** Tells a repetition from a correction: the values, however they were spaced. */
function fingerprint(form: Formulario): string {
  const values = form.pide.campos.map((campo) => (form.fields.get(campo) ?? '').trim())
  return createHash('sha256').update(JSON.stringify(values)).digest('hex')
}

/** Whether a form brings or names a document that is not one of those stored under its key. */
async function bringsOthers(form: Formulario, clave: string, staging: Staging, { db }: Services): Promise<boolean> {
  const sums = new Set(form.sums)
  // Those that were stored, or fell to a twin of this form, are not staged any more.
  for (const id of Object.values(parseDocumentos(form)).flat()) {
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
  for (const clase of form.pide.clases) {
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
  // The script names what it sent; of the other documents, what came before it was there (without JavaScript) counts.
  const named = parseDocumentos(form)
  const staged = (await staging.list(clave)).filter((upload) => upload.sealed !== null)
  const ids: Partial<Record<ClaseDocumento, string[]>> = {}
  for (const clase of form.pide.clases) {
    if (named[clase]) {
      ids[clase] = named[clase]
      continue
    }
    const own = form.arrived.get(clase) ?? []
    const earlier = staged.filter((upload) => upload.clase === clase && !own.includes(upload.id))
    // A lone side of the credential completes one that came alone before it; else what comes now is what counts.
    const completes = own.length > 0 && own.length + earlier.length === DOCUMENTOS[clase].archivos
    if (own.length > 0 && !completes) ids[clase] = own
    else ids[clase] = [...earlier.map((upload) => upload.id).slice(-DOCUMENTOS[clase].archivos), ...own]
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
    const kept = (chosen[clase]?.length ?? 0) <= DOCUMENTOS[clase].archivos ? (chosen[clase] ?? []) : []
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
function parseDocumentos({ fields, pide }: Formulario): Partial<Record<ClaseDocumento, string[]>> {
  const json = fields.get('documentos') ?? '{}'
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
    const clase = pide.clases.find((one) => one === name)
    if (clase === undefined) throw new Rechazo('camposDesconocidos', MENSAJES.camposDesconocidos)
    if (!Array.isArray(list) || list.length > 10 || !list.every(isUuid))
      throw new Rechazo('peticion', MENSAJES.peticion)
    // One upload named twice is one file; two uploads may well hold the same bytes.
    ids[clase] = [...new Set(list)]
  }
  return ids
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
    campos: [...campos],
    valores: Object.fromEntries(form.pide.campos.map((campo) => [campo, form.fields.get(campo) ?? ''])),
    recibidos,
    entrega,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }
}

/** Folios tried from one network; who has a right one is not counted. */
const LIMITE_FOLIOS: Ritmo = { rafaga: 20, porSegundo: 1 / 30 }

/**
 * What became of an entry, for whoever has its folio. A wrong one is answered alike whatever is wrong with it.
 * @param traza keyed hash of the network that asks: its attempts are counted
 */
export async function consultFolio({ db }: Services, traza: string, typed: string): Promise<ResultadoFolio> {
  const seconds = await countIntento(db, traza, LIMITE_FOLIOS)
  const refuse = (reason: MotivoRechazo, message: string): ResultadoFolio => ({
    ok: false,
    reason,
    message,
    folio: typed,
    ...(seconds > 0 ? { retryAfterSeconds: seconds } : {}),
  })
  if (seconds > 0) return refuse('limite', MENSAJES.folioEspera(seconds))
  const found = await findByFolio(db, readFolio(typed) ?? '')
  if (!found) return refuse('folioDesconocido', MENSAJES.folioDesconocido)
  await refundRitmos(db, [traza], LIMITE_FOLIOS)
  return { ok: true, vista: found.vista }
}

/**
 * Receives one document that the organisers asked for again: the form of the folio's page, with its file. Like a
 * registration it is stored whole or not at all, and sent twice it is stored once.
 */
export async function receiveReposicion(
  request: Request,
  services: Services,
  facts: RequestFacts,
  traza: string,
): Promise<ResultadoFolio> {
  const staging = await stagingOf(services)
  const form = emptyForm({ campos: ['folio', 'solicitud'], clases: CLASES_DOCUMENTO })
  const folio = () => form.fields.get('folio') ?? ''
  const refuse = async ({ reason, message, retryAfterSeconds }: Rechazo): Promise<ResultadoFolio> => {
    const consulta = await consultFolio(services, traza, folio())
    return {
      ok: false,
      reason,
      message,
      folio: folio(),
      ...(consulta.ok ? { vista: consulta.vista, solicitud: Number(form.fields.get('solicitud')) } : {}),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    }
  }
  try {
    await admit(request, form, staging, facts.client)
    const clave = claveOfForm(form)
    const consulta = await consultFolio(services, traza, folio())
    if (!consulta.ok) {
      await staging.removeAll(clave)
      return consulta
    }
    await staging.exclusively(`folio:${consulta.vista.folio}`, () => reponer(form, clave, staging, services))
    const after = await consultFolio(services, traza, folio())
    return after.ok ? { ...after, mensaje: MENSAJES.documentoRecibido } : after
  } catch (error) {
    const refusal = asRechazo(error)
    if (refusal) return refuse(refusal)
    services.log.error({ id: facts.id, err: error }, 'a document asked for again could not be stored')
    return refuse(new Rechazo('falla', MENSAJES.falla(facts.id)))
  }
}

/** @throws Rechazo, and everything is as it was */
async function reponer(form: Formulario, clave: string, staging: Staging, services: Services): Promise<void> {
  const { db, clock, settings } = services
  const found = await findByFolio(db, readFolio(form.fields.get('folio') ?? '') ?? '')
  if (!found) throw new Rechazo('folioDesconocido', MENSAJES.folioDesconocido)
  await staging.exclusively(clave, async () => {
    const huella = fingerprint(form)
    const before = await settle(clave, staging, services)
    if (before !== undefined) {
      const same = before.huella === huella && !(await bringsOthers(form, clave, staging, services))
      await staging.removeAll(clave)
      if (same) return
      throw new Rechazo('yaRecibido', MENSAJES.solicitudCerrada)
    }
    try {
      const solicitud = found.vista.solicitudes.find(({ id }) => String(id) === form.fields.get('solicitud'))
      if (!solicitud) throw new Rechazo('solicitudCerrada', MENSAJES.solicitudCerrada)
      const { clase, lado } = solicitud
      const chosen = await chosenDocuments(form, clave, staging)
      const [faulty] = inOrder([...form.refused, ...chosen.refused])
      if (faulty) throw new Rechazo(faulty.reason, faulty.message)
      const [upload, ...more] = chosen.found[clase] ?? []
      if (!upload) throw new Rechazo('incompleto', MENSAJES.faltaDocumento)
      if (more.length > 0) throw new Rechazo('datosInvalidos', MENSAJES.sobraDocumento)

      const { tipo, folio } = found.vista
      const { carpeta: folder, metadata_path, values } = await ALMACENES[tipo].read(db, found.id)
      const current = await db
        .selectFrom('documentos')
        .select(['clase', 'lado', 'path'])
        .where('inscripcion_id', '=', found.id)
        .where('reemplazado_at', 'is', null)
        .orderBy('lado')
        .execute()
      const replaced = current.find((one) => one.clase === clase && one.lado === lado)
      if (!replaced) throw new Error(`Entry ${found.id} lacks the document that is asked for again`)
      const timestamp = clock.now().getTime()
      const documento = planDocumento(upload, clase, lado, folder, timestamp)
      const documentos = current.map((one) => (one === replaced ? documento : one))
      const plan = await begin(clave, huella, services, {
        que: 'reposicion',
        tipo,
        folio,
        folder,
        timestamp,
        inscripcion: found.id,
        solicitud: solicitud.id,
        antes: { documento: replaced.path, metadata: metadata_path },
        documentos: [documento],
        metadata: metadataOf(tipo, values, documentos, settings.publicUrl),
      })
      await carryOut(clave, plan, staging, services)
      services.log.info({ inscripcion: found.id, clase }, 'a document asked for again was stored')
    } catch (error) {
      // The next try brings its own file; a plan that could not be taken back still needs this one.
      if (await isForgotten(clave, services).catch(() => false)) await staging.removeAll(clave).catch(() => {})
      throw error
    }
  })
}
