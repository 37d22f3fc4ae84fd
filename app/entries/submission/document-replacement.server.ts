import type { Rate } from '#app/accounts/rules.ts'
import { countAttempt, refundByRate } from '#app/accounts/throttling/rate-limit.server.ts'
import type { RequestFacts, Services } from '#app/core/http/services.server.ts'
import { typedText } from '#app/core/text/typed-text.ts'
import { listCurrentDocuments, readFormRow } from '#app/entries/data.server.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { DOCUMENT_KINDS, EXTRA_DOCUMENT, MISSING_DOCUMENT } from '#app/entries/definitions/document-kinds.ts'
import { inOrder } from '#app/entries/document-viewing/file-rules.ts'
import { findByFolio } from '#app/entries/folio.server.ts'
import { readFolio } from '#app/entries/folio.ts'
import { carryOut, isForgotten, settle } from './journal.server.ts'
import { admit, bringsOthers, chosenDocuments, fingerprint, keyOfForm } from './mutations.server.ts'
import { begin, type Desk, metadataOf, planDocument } from './plan.server.ts'
import { emptyForm, type PostedForm } from './posted-form.server.ts'
import { asRefusalError, RefusalError } from './refusal.server.ts'
import { type FolioResult, MESSAGES, type RefusalReason } from './schema.ts'

/** Rate limits of wrong folios, for the client's network and for the wider network around it. */
const FOLIO_RATE_LIMITS: readonly Rate[] = [
  { burst: 20, perSecond: 1 / 30 },
  { burst: 80, perSecond: 4 / 30 },
]

/**
 * Looks up an entry for the holder of its folio. Every wrong folio gets the same answer; a right one is not counted.
 * @param traces keyed hashes of the client's networks, the narrowest first: attempts are counted against them
 */
export async function consultFolio({ db }: Services, traces: readonly string[], typed: string): Promise<FolioResult> {
  if (typedText(typed) === '') return { ok: false, reason: 'datosInvalidos', message: MESSAGES.folioVacio, folio: '' }
  let seconds = 0
  // An attempt that the narrow network's limit refuses is not counted against the wider network.
  for (const [at, trace] of traces.entries()) seconds ||= await countAttempt(db, trace, FOLIO_RATE_LIMITS[at]!)
  const refuse = (reason: RefusalReason, message: string): FolioResult => ({
    ok: false,
    reason,
    message,
    folio: typed,
    ...(seconds > 0 ? { retryAfterSeconds: seconds } : {}),
  })
  if (seconds > 0) return refuse('limite', MESSAGES.folioEspera(seconds))
  const found = await findByFolio(db, readFolio(typed) ?? '')
  if (!found) return refuse('folioDesconocido', MESSAGES.folioDesconocido)
  for (const [at, trace] of traces.entries()) await refundByRate(db, [trace], FOLIO_RATE_LIMITS[at]!)
  return { ok: true, vista: found.view }
}

/**
 * Receives one requested document: the form of the folio's page, with its file. Like a registration, the document is stored
 * whole or not stored, and a repetition is stored once.
 */
export async function receiveReplacement(
  request: Request,
  desk: Desk,
  facts: RequestFacts,
  traces: readonly string[],
): Promise<FolioResult> {
  const { services, staging } = desk
  const form = emptyForm({ fields: ['folio', 'solicitud'], kinds: DOCUMENT_KINDS })
  const folio = () => form.fields.get('folio') ?? ''
  const refuse = async ({ reason, message, retryAfterSeconds }: RefusalError): Promise<FolioResult> => {
    const lookup = await consultFolio(services, traces, folio())
    return {
      ok: false,
      reason,
      message,
      folio: folio(),
      ...(lookup.ok ? { vista: lookup.vista, solicitud: Number(form.fields.get('solicitud')) } : {}),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    }
  }
  try {
    await admit(request, form, staging, facts.client)
    const key = keyOfForm(form)
    const lookup = await consultFolio(services, traces, folio())
    if (!lookup.ok) {
      await staging.removeAll(key)
      return lookup
    }
    await staging.exclusively(`folio:${lookup.vista.folio}`, () => storeReplacement(form, key, desk))
    const after = await consultFolio(services, traces, folio())
    return after.ok ? { ...after, mensaje: MESSAGES.documentoRecibido } : after
  } catch (error) {
    const refusal = asRefusalError(error)
    if (refusal) return refuse(refusal)
    services.log.error({ id: facts.id, err: error }, 'a document asked for again could not be stored')
    return refuse(new RefusalError('falla', MESSAGES.falla(facts.id)))
  }
}

/** @throws RefusalError, with nothing changed */
async function storeReplacement(form: PostedForm, key: string, desk: Desk): Promise<void> {
  const { services, staging } = desk
  const { db, clock, settings } = services
  const found = await findByFolio(db, readFolio(form.fields.get('folio') ?? '') ?? '')
  if (!found) throw new RefusalError('folioDesconocido', MESSAGES.folioDesconocido)
  await staging.exclusively(key, async () => {
    const ownFingerprint = fingerprint(form)
    const before = await settle(key, desk)
    if (before !== undefined) {
      const same = before.fingerprint === ownFingerprint && !(await bringsOthers(form, key, before, desk))
      await staging.removeAll(key)
      if (same) return
      throw new RefusalError('yaRecibido', MESSAGES.solicitudCerrada)
    }
    try {
      const documentRequest = found.view.solicitudes.find(({ id }) => String(id) === form.fields.get('solicitud'))
      if (!documentRequest) throw new RefusalError('solicitudCerrada', MESSAGES.solicitudCerrada)
      const { clase, lado } = documentRequest
      const chosen = await chosenDocuments(form, key, staging)
      const [faulty] = inOrder([...form.refused, ...chosen.refused])
      if (faulty) throw new RefusalError(faulty.reason, faulty.message)
      const [upload, ...more] = chosen.found[clase] ?? []
      if (!upload) throw new RefusalError('incompleto', MISSING_DOCUMENT)
      if (more.length > 0) throw new RefusalError('datosInvalidos', EXTRA_DOCUMENT)

      const { tipo, folio } = found.view
      const { id, folder, metadata_path, data } = await readFormRow(db, FORMS[tipo], found.id)
      const current = await listCurrentDocuments(db, found.id)
      const replaced = current.find((one) => one.clase === clase && one.lado === lado)
      if (!replaced) throw new Error(`Entry ${found.id} lacks the document that is asked for again`)
      const timestamp = clock.now().getTime()
      const document = planDocument(upload, clase, lado, folder, timestamp)
      const documents = current.map((one) => (one === replaced ? document : one))
      const plan = await begin({ key, fingerprint: ownFingerprint }, desk, {
        ...{ que: 'reposicion', tipo, folio, folder, timestamp, inscripcion: found.id, solicitud: documentRequest.id },
        antes: { documento: replaced.path, metadata: metadata_path },
        documentos: [document],
        metadata: metadataOf(tipo, { id, data }, documents, settings.publicUrl),
      })
      await carryOut(key, plan, desk)
      services.log.info({ inscripcion: found.id, clase }, 'a document asked for again was stored')
    } catch (error) {
      // The next try brings its own file; a plan that could not be undone still needs the staged one.
      if (await isForgotten(key, services).catch(() => false)) await staging.removeAll(key).catch(() => {})
      throw error
    }
  })
}
