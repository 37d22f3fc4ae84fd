import { randomUUID } from 'node:crypto'
import type { EarlyRoute } from '#app/core/http/early-route.server.ts'
import { noteRefusal } from '#app/core/http/refusal-events.server.ts'
import { CROSS_ORIGIN_FORM_MESSAGE, isSameOriginForm, textResponse } from '#app/core/http/same-origin.server.ts'
import { type RequestFacts, servicesOf } from '#app/core/http/services.server.ts'
import { isUuid } from '#app/core/text/uuid.ts'
import { submissionKeyOf } from '#app/core/uploads/staging-area.server.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { type EntryType, kindOf } from '#app/entries/definitions/document-kinds.ts'
import type { FormDescriptor } from '#app/entries/definitions/form.ts'
import { rowErrorOf, sortByCheckOrder } from '#app/entries/document-viewing/file-rules.ts'
import { checkForm, type FieldError } from '#app/entries/rules.ts'
import { isRepetitionOf, sealChosenUploads, supersedeUploads, uploadsByKind } from './chosen-uploads.server.ts'
import { emptyForm, hashTypedValues, keyOfForm, type PostedForm, readPostedForm } from './posted-form.server.ts'
import { settleSubmission } from './recovery.server.ts'
import { asRegistrationRefusal, findClosedRefusal, RegistrationRefusalError } from './refusal.server.ts'
import { answerInit, REGISTRATION_MESSAGES, type RegistrationResult } from './schema.ts'
import type { IntakeContext, ReceivedUpload, Staging } from './staging.server.ts'
import { carryOutPlan, formRowIdOf, planNewEntry } from './store.server.ts'
import { registrationsOf } from './uploads.early.server.ts'

/** Receives a form from the page's script, and answers with JSON. */
export const registrations: EarlyRoute = {
  paths: Object.values(FORMS).map(({ path }) => `${path}/envio`),
  methods: ['ANY'],
  takesFiles: true,
  async answer(request, context) {
    const { services, facts } = servicesOf(context)
    if (request.method !== 'POST') return textResponse('Esta dirección no se usa así.', 405, { allow: 'POST' })
    if (!isSameOriginForm(request, services.settings.publicUrl)) return textResponse(CROSS_ORIGIN_FORM_MESSAGE, 403)
    const { pathname } = new URL(request.url)
    const { type } = Object.values(FORMS).find(({ path }) => pathname === `${path}/envio`)!
    const result = await receiveRegistration(type, request, registrationsOf(context), facts)
    const { status, headers } = answerInit(result)
    return Response.json(result, { status, headers: { ...headers, 'cache-control': 'no-store' } })
  },
}

/**
 * Receives a registration. Its form has the ids of uploads or, without JavaScript or if a network filter stops the uploads, the
 * files themselves. A registration is confirmed only once rows, objects and metadata are all stored. The same submission, sent
 * again while the entry exists, gets the same folio and stores nothing more (§3, §5, §7, §8; D9–D18).
 */
export async function receiveRegistration(
  type: EntryType,
  request: Request,
  intake: IntakeContext,
  facts: RequestFacts,
): Promise<RegistrationResult> {
  const { services, staging } = intake
  const descriptor = FORMS[type]
  const form = emptyForm(expectedPartsOf(descriptor))
  try {
    // A closed form takes no files, but a submission that is stored already still gets its folio.
    const closedRefusal = await findClosedRefusal(services, descriptor)
    form.takesFiles = closedRefusal === undefined
    await admitForm(request, form, staging, facts.client)
    return await storeRegistration(descriptor, form, closedRefusal, intake)
  } catch (error) {
    const refusal = asRegistrationRefusal(error)
    if (refusal) return refusedResult(refusal, form, staging)
    services.log.error({ id: facts.id, err: error }, 'a registration could not be stored')
    const refusalResult = await refusedResult(
      new RegistrationRefusalError('falla', REGISTRATION_MESSAGES.falla(facts.id)),
      form,
      staging,
    )
    return refusalResult.ok ? refusalResult : { ...refusalResult, errorId: facts.id }
  }
}

const expectedPartsOf = ({ fields, kinds }: FormDescriptor) => ({ fields: fields.map(({ name }) => name), kinds })

/**
 * Reads a form, and counts the submission only afterwards, so that a refusal by the quota can return all values. The staged files
 * of a refused form replace earlier ones.
 */
export async function admitForm(request: Request, form: PostedForm, staging: Staging, client: string): Promise<void> {
  try {
    await readPostedForm(request, form, staging, client)
    await staging.quota.countSubmission(client)
  } catch (error) {
    const submissionId = form.fields.get('entrega')
    if (isUuid(submissionId)) {
      const key = submissionKeyOf(submissionId)
      // A failure here must not hide the reason of the refusal from the entrant.
      await staging.exclusively(key, () => supersedeUploads(form, key, staging)).catch(() => {})
    }
    throw error
  }
}

async function storeRegistration(
  descriptor: FormDescriptor,
  form: PostedForm,
  closedRefusal: RegistrationRefusalError | undefined,
  intake: IntakeContext,
): Promise<RegistrationResult> {
  const { services, staging } = intake
  const key = keyOfForm(form)
  // Concurrent copies of a submission, as by a double click or two tabs, run one after another.
  return staging.exclusively(key, async () => {
    const valuesHash = hashTypedValues(form)
    const storedSubmission = await settleSubmission(key, intake)
    if (storedSubmission !== undefined) {
      const isRepetition = await isRepetitionOf(form, key, storedSubmission, intake)
      await staging.removeAll(key)
      if (isRepetition && storedSubmission.folio !== undefined) return { ok: true, folio: storedSubmission.folio }
      const refusalResult = await refusedResult(
        new RegistrationRefusalError('yaRecibido', REGISTRATION_MESSAGES.yaRecibido),
        form,
        staging,
      )
      return refusalResult.ok ? refusalResult : { ...refusalResult, entrega: randomUUID() }
    }
    if (closedRefusal) throw closedRefusal

    const uploads = await sealChosenUploads(form, key, staging)
    const fileRefusals = sortByCheckOrder([...form.refusals, ...uploads.refusals])
    // A document that arrived and was refused does not count as missing.
    const counts = { ...uploads.counts }
    for (const { campo } of fileRefusals) counts[campo] = kindOf(campo).fileCount
    const validation = checkForm(descriptor, Object.fromEntries(form.fields), counts)
    if (!validation.ok) {
      await supersedeUploads(form, key, staging)
      return refusedResult(new RegistrationRefusalError(validation.reason, validation.message), form, staging, [
        ...validation.campos,
        ...fileRefusals.map(rowErrorOf),
      ])
    }
    if (fileRefusals[0]) {
      await supersedeUploads(form, key, staging)
      return refusedResult(
        new RegistrationRefusalError(fileRefusals[0].reason, fileRefusals[0].message),
        form,
        staging,
        fileRefusals.map(rowErrorOf),
      )
    }

    const plan = await planNewEntry(
      { key, fingerprint: valuesHash },
      descriptor.type,
      validation.values,
      uploads.documents,
      intake,
    )
    await carryOutPlan(key, plan, intake)
    services.log.info({ type: descriptor.type, entry: formRowIdOf(plan) }, 'registration stored')
    return { ok: true, folio: plan.folio }
  })
}

/**
 * Counts a refusal, and builds the result of the refused form: the reason, the typed values, and the files that need not be sent
 * again.
 */
async function refusedResult(
  { reason, message, retryAfterSeconds }: RegistrationRefusalError,
  form: PostedForm,
  staging: Staging,
  fieldErrors: readonly FieldError[] = [],
): Promise<RegistrationResult> {
  noteRefusal({ area: 'registro', reason })
  const postedId = form.fields.get('entrega')
  const submissionId = isUuid(postedId) ? postedId : randomUUID()
  const uploads = isUuid(postedId)
    ? await staging.list(submissionKeyOf(postedId)).catch((): ReceivedUpload[] => [])
    : []
  const receivedNames = Object.fromEntries(
    Object.entries(uploadsByKind(uploads)).map(([kind, uploadsOfKind]) => [
      kind,
      uploadsOfKind.map(({ filename }) => filename),
    ]),
  )
  return {
    ok: false,
    reason,
    message,
    campos: [...fieldErrors],
    valores: Object.fromEntries(form.expectedParts.fields.map((field) => [field, form.fields.get(field) ?? ''])),
    recibidos: receivedNames,
    entrega: submissionId,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }
}
