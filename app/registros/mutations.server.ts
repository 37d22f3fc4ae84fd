import { createHash, randomUUID } from 'node:crypto'
import type { RequestFacts, Services } from '#app/platform/services.server.ts'
import { refuseCerrado } from './data.server.ts'
import { carryOut, type Documentos, planAlta, settle } from './entregas.server.ts'
import { ALMACENES } from './formas.server.ts'
import { byClase, emptyForm, type Formulario, readFormulario } from './formulario.server.ts'
import { asRechazo, faultForLog, Rechazo } from './rechazo.server.ts'
import { inOrder, isUuid } from './rules.ts'
import {
  type ClaseDocumento,
  DOCUMENTOS,
  type ErrorCampo,
  MENSAJES,
  type MotivoRechazo,
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
    return await registrar(form, closed, staging, services)
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

async function registrar(
  form: Formulario,
  closed: Rechazo | undefined,
  staging: Staging,
  services: Services,
): Promise<ResultadoRegistro> {
  const { forma } = form
  const entrega = form.fields.get('entrega')
  if (!isUuid(entrega)) throw new Rechazo('entrega', MENSAJES.peticion)
  if (form.unknown) throw new Rechazo('camposDesconocidos', MENSAJES.camposDesconocidos)
  const clave = claveOf(entrega)
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
      return refused(new Rechazo(checked.reason, checked.message), form, staging, [...checked.campos, ...faulty])
    }
    const first = faulty[0] ?? sameSides(documentos.found)
    if (first) {
      await supersede(form, clave, staging)
      return refused(new Rechazo(first.reason, first.message), form, staging, faulty[0] ? faulty : [first])
    }

    const plan = await planAlta(clave, huella, ALMACENES[forma.tipo], checked.datos, documentos.found, services)
    await carryOut(clave, plan, staging, services)
    services.log.info({ tipo: forma.tipo, registro: plan.folder.split('_')[0] }, 'registration stored')
    return { ok: true, folio: plan.folio }
  })
}

/** Tells a repetition from a correction: the values, however they were spaced. */
function fingerprint(form: Formulario): string {
  const values = form.forma.campos.map((campo) => (form.fields.get(campo) ?? '').trim())
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
  for (const clase of form.forma.clases) {
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
  for (const clase of form.forma.clases) {
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
function parseDocumentos({ fields, forma }: Formulario): Partial<Record<ClaseDocumento, string[]>> {
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
    const clase = forma.clases.find((one) => one === name)
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
    valores: Object.fromEntries(form.forma.campos.map((campo) => [campo, form.fields.get(campo) ?? ''])),
    recibidos,
    entrega,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }
}
