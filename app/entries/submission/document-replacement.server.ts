import type { BucketLimit } from '#app/accounts/rules.ts'
import { countAttempt, refundTraces } from '#app/accounts/throttling/rate-limit.server.ts'
import { noteRefusal } from '#app/core/http/refusal-events.server.ts'
import type { RequestFacts, Services } from '#app/core/http/services.server.ts'
import { typedText } from '#app/core/text/typed-text.ts'
import { listCurrentDocuments, readFormRow } from '#app/entries/data.server.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import {
  DOCUMENT_KINDS,
  EXTRA_DOCUMENT_MESSAGE,
  MISSING_DOCUMENT_MESSAGE,
} from '#app/entries/definitions/document-kinds.ts'
import { sortByCheckOrder } from '#app/entries/document-viewing/file-rules.ts'
import { findByFolio } from '#app/entries/folio.server.ts'
import { parseFolio } from '#app/entries/folio.ts'
import { isRepetitionOf, sealChosenUploads } from './chosen-uploads.server.ts'
import { emptyForm, hashTypedValues, keyOfForm, type PostedForm } from './posted-form.server.ts'
import { admitForm } from './receive.early.server.ts'
import { hasJournalRow, settleSubmission } from './recovery.server.ts'
import { asRegistrationRefusal, RegistrationRefusalError } from './refusal.server.ts'
import { type FolioResult, REGISTRATION_MESSAGES, type RefusalReason } from './schema.ts'
import type { IntakeContext } from './staging.server.ts'
import { carryOutPlan, metadataOf, planDocument, recordPlan } from './store.server.ts'

/** Limits of wrong folios: first of the client's network, then of the network block around it. */
const FOLIO_RATE_LIMITS: readonly BucketLimit[] = [
  { burst: 20, perSecond: 1 / 30 },
  { burst: 80, perSecond: 4 / 30 },
]

/**
 * Looks up an entry for the holder of its folio. A malformed folio gets the answer of an unknown one. Every attempt is counted,
 * except with an empty folio, and refunded if the folio is right or a limit refuses the attempt.
 * @param traces keyed hashes of the client's networks, in the order of FOLIO_RATE_LIMITS; IPv4 has the first only
 */
export async function consultFolio(
  { db, clock }: Services,
  traces: readonly string[],
  typedFolio: string,
): Promise<FolioResult> {
  if (typedText(typedFolio) === '')
    return { ok: false, reason: 'datosInvalidos', message: REGISTRATION_MESSAGES.folioVacio, folio: '' }
  let waitSeconds = 0
  const countedTraces: string[] = []
  for (const [index, trace] of traces.entries()) {
    waitSeconds = await countAttempt(db, trace, FOLIO_RATE_LIMITS[index]!)
    if (waitSeconds > 0) break
    countedTraces.push(trace)
  }
  const refundAttempts = async () => {
    for (const [index, trace] of countedTraces.entries()) await refundTraces(db, [trace], FOLIO_RATE_LIMITS[index]!)
  }
  const refusal = (reason: RefusalReason, message: string): FolioResult => ({
    ok: false,
    reason,
    message,
    folio: typedFolio,
    ...(waitSeconds > 0 ? { retryAfterSeconds: waitSeconds } : {}),
  })
  if (waitSeconds > 0) {
    // An attempt that one limit refuses is not made, so it counts against no other limit either.
    await refundAttempts()
    return refusal('limite', REGISTRATION_MESSAGES.folioEspera(waitSeconds))
  }
  const entry = await findByFolio(db, parseFolio(typedFolio) ?? '', clock.now())
  if (!entry) return refusal('folioDesconocido', REGISTRATION_MESSAGES.folioDesconocido)
  await refundAttempts()
  return { ok: true, vista: entry.view }
}

/**
 * Receives a requested document: the form of the folio's page, with its file or the id of its upload. Like a registration, the
 * document is stored completely or not at all, and a repetition is stored once. It is accepted even while the form is closed.
 */
export async function receiveReplacement(
  request: Request,
  intake: IntakeContext,
  facts: RequestFacts,
  traces: readonly string[],
): Promise<FolioResult> {
  const { services, staging } = intake
  const form = emptyForm({ fields: ['folio', 'solicitud'], kinds: DOCUMENT_KINDS })
  const typedFolio = () => form.fields.get('folio') ?? ''
  const refuse = async ({ reason, message, retryAfterSeconds }: RegistrationRefusalError): Promise<FolioResult> => {
    noteRefusal({ area: 'registro', reason })
    const lookup = await consultFolio(services, traces, typedFolio())
    return {
      ok: false,
      reason,
      message,
      folio: typedFolio(),
      ...(lookup.ok ? { vista: lookup.vista, solicitud: Number(form.fields.get('solicitud')) } : {}),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    }
  }
  try {
    await admitForm(request, form, staging, facts.client)
    const key = keyOfForm(form)
    const lookup = await consultFolio(services, traces, typedFolio())
    if (!lookup.ok) {
      await staging.removeAll(key)
      return lookup
    }
    await staging.exclusively(`folio:${lookup.vista.folio}`, () => storeReplacement(form, key, intake))
    const lookupAfter = await consultFolio(services, traces, typedFolio())
    return lookupAfter.ok ? { ...lookupAfter, mensaje: REGISTRATION_MESSAGES.documentoRecibido } : lookupAfter
  } catch (error) {
    const refusal = asRegistrationRefusal(error)
    if (refusal) return refuse(refusal)
    services.log.error({ id: facts.id, err: error }, 'a document asked for again could not be stored')
    return refuse(new RegistrationRefusalError('falla', REGISTRATION_MESSAGES.falla(facts.id)))
  }
}

/**
 * Stores the document of a posted form.
 * @throws RegistrationRefusalError or the fault; the document is not stored then, unless the journal keeps the plan for recovery
 */
async function storeReplacement(form: PostedForm, key: string, intake: IntakeContext): Promise<void> {
  const { services, staging } = intake
  const { db, clock, settings } = services
  const entry = await findByFolio(db, parseFolio(form.fields.get('folio') ?? '') ?? '', clock.now())
  if (!entry) throw new RegistrationRefusalError('folioDesconocido', REGISTRATION_MESSAGES.folioDesconocido)
  await staging.exclusively(key, async () => {
    const valuesHash = hashTypedValues(form)
    const storedSubmission = await settleSubmission(key, intake)
    if (storedSubmission !== undefined) {
      const isRepetition = await isRepetitionOf(form, key, storedSubmission, intake)
      await staging.removeAll(key)
      if (isRepetition) return
      throw new RegistrationRefusalError('yaRecibido', REGISTRATION_MESSAGES.solicitudCerrada)
    }
    try {
      const documentRequest = entry.view.solicitudes.find(({ id }) => String(id) === form.fields.get('solicitud'))
      if (!documentRequest)
        throw new RegistrationRefusalError('solicitudCerrada', REGISTRATION_MESSAGES.solicitudCerrada)
      const { clase, lado } = documentRequest
      const uploads = await sealChosenUploads(form, key, staging)
      const [firstRefusal] = sortByCheckOrder([...form.refusals, ...uploads.refusals])
      if (firstRefusal) throw new RegistrationRefusalError(firstRefusal.reason, firstRefusal.message)
      const [upload, ...extraUploads] = uploads.documents[clase] ?? []
      if (!upload) throw new RegistrationRefusalError('incompleto', MISSING_DOCUMENT_MESSAGE)
      if (extraUploads.length > 0) throw new RegistrationRefusalError('datosInvalidos', EXTRA_DOCUMENT_MESSAGE)

      const { tipo, folio } = entry.view
      const { id, folder, metadata_path, values } = await readFormRow(db, FORMS[tipo], entry.id)
      const currentDocuments = await listCurrentDocuments(db, entry.id)
      const replacedDocument = currentDocuments.find((current) => current.clase === clase && current.lado === lado)
      if (!replacedDocument) throw new Error(`Entry ${entry.id} lacks the document that is asked for again`)
      const timestamp = clock.now().getTime()
      const document = planDocument(upload, clase, lado, folder, timestamp)
      const documents = currentDocuments.map((current) => (current === replacedDocument ? document : current))
      const plan = await recordPlan({ key, fingerprint: valuesHash }, intake, {
        que: 'reposicion',
        tipo,
        folio,
        folder,
        timestamp,
        inscripcion: entry.id,
        solicitud: documentRequest.id,
        antes: { documento: replacedDocument.path, metadata: metadata_path },
        documentos: [document],
        metadata: metadataOf(tipo, { id, values }, documents, settings.publicUrl),
      })
      await carryOutPlan(key, plan, intake)
      services.log.info({ inscripcion: entry.id, clase }, 'a document asked for again was stored')
    } catch (error) {
      // The next attempt brings its own file, but a plan that could not be undone still needs the staged file.
      if (!(await hasJournalRow(key, services).catch(() => true))) await staging.removeAll(key).catch(() => {})
      throw error
    }
  })
}
