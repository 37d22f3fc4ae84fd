import type { Ritmo } from '#app/accounts/rules.ts'
import { countIntento, refundRitmos } from '#app/accounts/throttling/rate-limit.server.ts'
import type { RequestFacts, Services } from '#app/core/http/services.server.ts'
import { typedText } from '#app/core/text/typed-text.ts'
import { listVigentes, readFila } from '#app/entries/data.server.ts'
import { FORMAS } from '#app/entries/definitions/both-forms.ts'
import { CLASES_DOCUMENTO, FALTA_DOCUMENTO, SOBRA_DOCUMENTO } from '#app/entries/definitions/document-kinds.ts'
import { inOrder } from '#app/entries/documents/file-rules.ts'
import { findByFolio } from '#app/entries/folio.server.ts'
import { readFolio } from '#app/entries/folio.ts'
import { carryOut, isForgotten, settle } from './journal.server.ts'
import { admit, bringsOthers, chosenDocuments, fingerprint, keyOfForm } from './mutations.server.ts'
import { begin, type Mesa, metadataOf, planDocumento } from './plan.server.ts'
import { emptyForm, type Formulario } from './posted-form.server.ts'
import { asRechazo, Rechazo } from './refusal.server.ts'
import { MENSAJES, type MotivoRechazo, type ResultadoFolio } from './schema.ts'

/** Folios tried from one network, and from the one around it; who has a right one is not counted. */
const LIMITES_DE_FOLIOS: readonly Ritmo[] = [
  { rafaga: 20, porSegundo: 1 / 30 },
  { rafaga: 80, porSegundo: 4 / 30 },
]

/**
 * What became of an entry, for whoever has its folio. A wrong one is answered alike whatever is wrong with it.
 * @param trazas keyed hashes of the networks that ask, the narrowest first: their attempts are counted
 */
export async function consultFolio(
  { db }: Services,
  trazas: readonly string[],
  typed: string,
): Promise<ResultadoFolio> {
  if (typedText(typed) === '') return { ok: false, reason: 'datosInvalidos', message: MENSAJES.folioVacio, folio: '' }
  let seconds = 0
  // What the narrow network's own limit refuses is not counted for its neighbours.
  for (const [at, traza] of trazas.entries()) seconds ||= await countIntento(db, traza, LIMITES_DE_FOLIOS[at]!)
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
  for (const [at, traza] of trazas.entries()) await refundRitmos(db, [traza], LIMITES_DE_FOLIOS[at]!)
  return { ok: true, vista: found.vista }
}

/**
 * Receives one document that the organisers asked for again: the form of the folio's page, with its file. Like a
 * registration it is stored whole or not at all, and sent twice it is stored once.
 */
export async function receiveReposicion(
  request: Request,
  mesa: Mesa,
  facts: RequestFacts,
  trazas: readonly string[],
): Promise<ResultadoFolio> {
  const { services, staging } = mesa
  const form = emptyForm({ campos: ['folio', 'solicitud'], clases: CLASES_DOCUMENTO })
  const folio = () => form.fields.get('folio') ?? ''
  const refuse = async ({ reason, message, retryAfterSeconds }: Rechazo): Promise<ResultadoFolio> => {
    const consulta = await consultFolio(services, trazas, folio())
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
    const key = keyOfForm(form)
    const consulta = await consultFolio(services, trazas, folio())
    if (!consulta.ok) {
      await staging.removeAll(key)
      return consulta
    }
    await staging.exclusively(`folio:${consulta.vista.folio}`, () => reponer(form, key, mesa))
    const after = await consultFolio(services, trazas, folio())
    return after.ok ? { ...after, mensaje: MENSAJES.documentoRecibido } : after
  } catch (error) {
    const refusal = asRechazo(error)
    if (refusal) return refuse(refusal)
    services.log.error({ id: facts.id, err: error }, 'a document asked for again could not be stored')
    return refuse(new Rechazo('falla', MENSAJES.falla(facts.id)))
  }
}

/** @throws Rechazo, and everything is as it was */
async function reponer(form: Formulario, key: string, mesa: Mesa): Promise<void> {
  const { services, staging } = mesa
  const { db, clock, settings } = services
  const found = await findByFolio(db, readFolio(form.fields.get('folio') ?? '') ?? '')
  if (!found) throw new Rechazo('folioDesconocido', MENSAJES.folioDesconocido)
  await staging.exclusively(key, async () => {
    const huella = fingerprint(form)
    const before = await settle(key, mesa)
    if (before !== undefined) {
      const same = before.huella === huella && !(await bringsOthers(form, key, before, mesa))
      await staging.removeAll(key)
      if (same) return
      throw new Rechazo('yaRecibido', MENSAJES.solicitudCerrada)
    }
    try {
      const solicitud = found.vista.solicitudes.find(({ id }) => String(id) === form.fields.get('solicitud'))
      if (!solicitud) throw new Rechazo('solicitudCerrada', MENSAJES.solicitudCerrada)
      const { clase, lado } = solicitud
      const chosen = await chosenDocuments(form, key, staging)
      const [faulty] = inOrder([...form.refused, ...chosen.refused])
      if (faulty) throw new Rechazo(faulty.reason, faulty.message)
      const [upload, ...more] = chosen.found[clase] ?? []
      if (!upload) throw new Rechazo('incompleto', FALTA_DOCUMENTO)
      if (more.length > 0) throw new Rechazo('datosInvalidos', SOBRA_DOCUMENTO)

      const { tipo, folio } = found.vista
      const { id, carpeta: folder, metadata_path, datos } = await readFila(db, FORMAS[tipo], found.id)
      const current = await listVigentes(db, found.id)
      const replaced = current.find((one) => one.clase === clase && one.lado === lado)
      if (!replaced) throw new Error(`Entry ${found.id} lacks the document that is asked for again`)
      const timestamp = clock.now().getTime()
      const documento = planDocumento(upload, clase, lado, folder, timestamp)
      const documentos = current.map((one) => (one === replaced ? documento : one))
      const plan = await begin({ key, huella }, mesa, {
        ...{ que: 'reposicion', tipo, folio, folder, timestamp, inscripcion: found.id, solicitud: solicitud.id },
        antes: { documento: replaced.path, metadata: metadata_path },
        documentos: [documento],
        metadata: metadataOf(tipo, { id, datos }, documentos, settings.publicUrl),
      })
      await carryOut(key, plan, mesa)
      services.log.info({ inscripcion: found.id, clase }, 'a document asked for again was stored')
    } catch (error) {
      // The next try brings its own file; a plan that could not be taken back still needs this one.
      if (await isForgotten(key, services).catch(() => false)) await staging.removeAll(key).catch(() => {})
      throw error
    }
  })
}
