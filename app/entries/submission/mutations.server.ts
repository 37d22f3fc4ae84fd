import { createHash, randomUUID } from 'node:crypto'
import type { RequestFacts } from '#app/core/http/services.server.ts'
import { isUuid } from '#app/core/text/uuid.ts'
import { keyOf } from '#app/core/uploads/staging-area.server.ts'
import { listSumas } from '#app/entries/data.server.ts'
import { FORMAS } from '#app/entries/definitions/both-forms.ts'
import { type ClaseDocumento, claseOf, type TipoInscripcion } from '#app/entries/definitions/document-kinds.ts'
import type { Forma } from '#app/entries/definitions/form.ts'
import { errorDeArchivo, inOrder } from '#app/entries/documents/file-rules.ts'
import { type ErrorCampo, revisarForma } from '#app/entries/rules.ts'
import { refuseCerrado } from './data.server.ts'
import { carryOut, type Guardada, settle } from './journal.server.ts'
import { type DocumentosRecibidos, type Mesa, planAlta } from './plan.server.ts'
import { byClase, emptyForm, type Formulario, readFormulario } from './posted-form.server.ts'
import { asRechazo, Rechazo } from './refusal.server.ts'
import { MENSAJES, type MotivoRechazo, type ResultadoRegistro } from './schema.ts'
import type { Staging, SubidaRecibida } from './staging.server.ts'

/**
 * Receives a registration, as its form is posted with JavaScript (fields and the ids of uploads) or without (one form
 * with its files). It is confirmed only when rows, objects and metadata are all stored.
 * The same submission sent again, at once or later, answers the same and registers nothing more.
 * @source §3, §5, §7, §8; D9–D18
 */
export async function receiveRegistro(
  tipo: TipoInscripcion,
  request: Request,
  mesa: Mesa,
  facts: RequestFacts,
): Promise<ResultadoRegistro> {
  const { services, staging } = mesa
  const forma = FORMAS[tipo]
  const form = emptyForm(pedidoDe(forma))
  try {
    // A closed form takes no files, but still says what became of a submission from before.
    const closed = await refuseCerrado(services, forma)
    form.takesFiles = closed === undefined
    await admit(request, form, staging, facts.client)
    return await registrar(forma, form, closed, mesa)
  } catch (error) {
    const refusal = asRechazo(error)
    if (refusal) return refused(refusal, form, staging)
    services.log.error({ id: facts.id, err: error }, 'a registration could not be stored')
    const answer = await refused(new Rechazo('falla', MENSAJES.falla(facts.id)), form, staging)
    return answer.ok ? answer : { ...answer, errorId: facts.id }
  }
}

/** What a form asks for, by name. */
const pedidoDe = ({ campos, clases }: Forma) => ({ campos: campos.map(({ nombre }) => nombre), clases })

/** Counted after it was read (what it may bring is bounded by the staging area): a refusal gives back all of it. */
export async function admit(request: Request, form: Formulario, staging: Staging, client: string): Promise<void> {
  try {
    await readFormulario(request, form, staging, client)
    await staging.presupuesto.countSubmission(client)
  } catch (error) {
    const entrega = form.fields.get('entrega')
    if (isUuid(entrega)) {
      const key = keyOf(entrega)
      // Why it was refused is what the person has to hear, whatever else fails.
      await staging.exclusively(key, () => supersede(form, key, staging)).catch(() => {})
    }
    throw error
  }
}

async function registrar(
  forma: Forma,
  form: Formulario,
  closed: Rechazo | undefined,
  mesa: Mesa,
): Promise<ResultadoRegistro> {
  const { services, staging } = mesa
  const key = keyOfForm(form)
  // A double click, two tabs or a repeated request wait here for one another.
  return staging.exclusively(key, async () => {
    const huella = fingerprint(form)
    const before = await settle(key, mesa)
    if (before !== undefined) {
      const same = before.huella === huella && !(await bringsOthers(form, key, before, mesa))
      await staging.removeAll(key)
      if (same && before.folio !== undefined) return { ok: true, folio: before.folio }
      const answer = await refused(new Rechazo('yaRecibido', MENSAJES.yaRecibido), form, staging)
      return answer.ok ? answer : { ...answer, entrega: randomUUID() }
    }
    if (closed) throw closed

    const documentos = await chosenDocuments(form, key, staging)
    const faulty = inOrder([...form.refused, ...documentos.refused])
    // A document that came and was refused is not missing: its own message says what to do.
    const counts = { ...documentos.counts }
    for (const { campo } of faulty) counts[campo] = claseOf(campo).archivos
    const checked = revisarForma(forma, Object.fromEntries(form.fields), counts)
    if (!checked.ok) {
      await supersede(form, key, staging)
      return refused(new Rechazo(checked.reason, checked.message), form, staging, [
        ...checked.campos,
        ...faulty.map(errorDeArchivo),
      ])
    }
    if (faulty[0]) {
      await supersede(form, key, staging)
      return refused(new Rechazo(faulty[0].reason, faulty[0].message), form, staging, faulty.map(errorDeArchivo))
    }

    const plan = await planAlta({ key, huella }, forma.tipo, checked.datos, documentos.found, mesa)
    await carryOut(key, plan, mesa)
    services.log.info({ tipo: forma.tipo, registro: plan.folder.split('_')[0] }, 'registration stored')
    return { ok: true, folio: plan.folio }
  })
}

/** @throws Rechazo for a form without a key of its own, or with what no form of ours has */
export function keyOfForm({ fields, unknown }: Formulario): string {
  const entrega = fields.get('entrega')
  if (!isUuid(entrega)) throw new Rechazo('entrega', MENSAJES.peticion)
  if (unknown) throw new Rechazo('camposDesconocidos', MENSAJES.camposDesconocidos)
  return keyOf(entrega)
}

/** Tells a repetition from a correction: the values, however they were spaced. */
export function fingerprint(form: Formulario): string {
  const values = form.pide.campos.map((campo) => (form.fields.get(campo) ?? '').trim())
  return createHash('sha256').update(JSON.stringify(values)).digest('hex')
}

/** Whether a form brings or names a document that is not one of those stored under its key. */
export async function bringsOthers(
  form: Formulario,
  key: string,
  { inscripcion }: Guardada,
  { services, staging }: Mesa,
): Promise<boolean> {
  const sums = new Set(form.sums)
  // Those that were stored, or fell to a twin of this form, are not staged any more.
  for (const id of Object.values(parseDocumentos(form)).flat()) {
    const sealed = (await staging.find(key, id))?.sealed
    if (sealed) sums.add(sealed.sha256)
  }
  const stored = inscripcion === undefined ? [] : await listSumas(services.db, inscripcion)
  return [...sums].some((sum) => !stored.includes(sum))
}

interface Refusal {
  campo: ClaseDocumento
  reason: MotivoRechazo
  message: string
}

/** The uploads that this form means, each whole and of an accepted type, or why not. */
export async function chosenDocuments(
  form: Formulario,
  key: string,
  staging: Staging,
): Promise<{ counts: Partial<Record<ClaseDocumento, number>>; found: DocumentosRecibidos; refused: Refusal[] }> {
  const counts: Partial<Record<ClaseDocumento, number>> = {}
  const found: DocumentosRecibidos = {}
  const refused: Refusal[] = []
  const ids = await chosenIds(form, key, staging)
  for (const clase of form.pide.clases) {
    const chosen = ids[clase] ?? []
    counts[clase] = chosen.length
    for (const id of chosen) {
      try {
        const upload = await staging.find(key, id)
        if (upload === undefined) throw new Rechazo('documentoInvalido', MENSAJES.archivoPerdido)
        if (upload.clase !== clase) throw new Rechazo('peticion', MENSAJES.peticion)
        found[clase] = [...(found[clase] ?? []), await staging.seal(key, id)]
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
  key: string,
  staging: Staging,
): Promise<Partial<Record<ClaseDocumento, string[]>>> {
  // The script names what it sent; of the other documents, what came before it was there (without JavaScript) counts.
  const named = parseDocumentos(form)
  const staged = (await staging.list(key)).filter((upload) => upload.sealed !== null)
  const ids: Partial<Record<ClaseDocumento, string[]>> = {}
  for (const clase of form.pide.clases) {
    if (named[clase]) {
      ids[clase] = named[clase]
      continue
    }
    const own = form.arrived.get(clase) ?? []
    const earlier = staged.filter((upload) => upload.clase === clase && !own.includes(upload.id))
    // A lone side of the credential completes one that came alone before it; else what comes now is what counts.
    const completes = own.length > 0 && own.length + earlier.length === claseOf(clase).archivos
    if (own.length > 0 && !completes) ids[clase] = own
    else ids[clase] = [...earlier.map((upload) => upload.id).slice(-claseOf(clase).archivos), ...own]
  }
  return ids
}

/**
 * Before a form without JavaScript is shown again: what this form brought takes the place of what earlier ones brought
 * for the same document. Too many for one document are all asked for again: none can be told to be the wrong one.
 */
async function supersede(form: Formulario, key: string, staging: Staging): Promise<void> {
  if (form.arrived.size === 0) return
  const chosen = await chosenIds(form, key, staging)
  const staged = await staging.list(key)
  for (const [clase, own] of form.arrived) {
    const kept = (chosen[clase]?.length ?? 0) <= claseOf(clase).archivos ? (chosen[clase] ?? []) : []
    const first = staged.find((upload) => own.includes(upload.id))
    for (const { id, clase: other, createdAt } of staged) {
      const replaced = other === clase && !kept.includes(id)
      // Younger ones belong to the same form sent twice at once.
      if (replaced && (own.includes(id) || (first !== undefined && createdAt < first.createdAt)))
        await staging.remove(key, id)
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
  const uploads = isUuid(sent) ? await staging.list(keyOf(sent)).catch((): SubidaRecibida[] => []) : []
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
