import { createHash, randomUUID } from 'node:crypto'
import { noteRefusal } from '#app/core/http/refusal-events.server.ts'
import type { RequestFacts } from '#app/core/http/services.server.ts'
import { isUuid } from '#app/core/text/uuid.ts'
import { keyOf } from '#app/core/uploads/staging-area.server.ts'
import { listChecksums } from '#app/entries/data.server.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { type DocumentKind, type EntryType, kindOf } from '#app/entries/definitions/document-kinds.ts'
import type { FormDescriptor } from '#app/entries/definitions/form.ts'
import { fileError, inOrder } from '#app/entries/document-viewing/file-rules.ts'
import { checkForm, type FieldError } from '#app/entries/rules.ts'
import { refuseClosed } from './data.server.ts'
import { carryOut, type StoredSubmission, settle } from './journal.server.ts'
import { type Desk, planNewEntry, type ReceivedDocuments } from './plan.server.ts'
import { emptyForm, type PostedForm, readPostedForm, uploadsByKind } from './posted-form.server.ts'
import { asRefusalError, RefusalError } from './refusal.server.ts'
import { MESSAGES, type RefusalReason, type RegistrationResult } from './schema.ts'
import type { ReceivedUpload, Staging } from './staging.server.ts'

/**
 * Receives a registration, as its form is posted with JavaScript (fields and the ids of uploads) or without (one form with its
 * files). A registration is confirmed only when rows, objects and metadata are all stored. The same submission sent again, at
 * once or later, gets the same folio and registers nothing more (§3, §5, §7, §8; D9–D18).
 */
export async function receiveRegistration(
  type: EntryType,
  request: Request,
  desk: Desk,
  facts: RequestFacts,
): Promise<RegistrationResult> {
  const { services, staging } = desk
  const descriptor = FORMS[type]
  const form = emptyForm(expectedPartsOf(descriptor))
  try {
    // A closed form takes no files, but still answers for a submission stored before.
    const closed = await refuseClosed(services, descriptor)
    form.takesFiles = closed === undefined
    await admit(request, form, staging, facts.client)
    return await storeRegistration(descriptor, form, closed, desk)
  } catch (error) {
    const refusal = asRefusalError(error)
    if (refusal) return refused(refusal, form, staging)
    services.log.error({ id: facts.id, err: error }, 'a registration could not be stored')
    const answer = await refused(new RefusalError('falla', MESSAGES.falla(facts.id)), form, staging)
    return answer.ok ? answer : { ...answer, errorId: facts.id }
  }
}

const expectedPartsOf = ({ fields, kinds }: FormDescriptor) => ({ fields: fields.map(({ name }) => name), kinds })

/** Reads a form, and counts the submission only afterwards, so that a refusal by the quota can give back all values. */
export async function admit(request: Request, form: PostedForm, staging: Staging, client: string): Promise<void> {
  try {
    await readPostedForm(request, form, staging, client)
    await staging.quota.countSubmission(client)
  } catch (error) {
    const submission = form.fields.get('entrega')
    if (isUuid(submission)) {
      const key = keyOf(submission)
      // A failure here must not hide the reason of the refusal from the person.
      await staging.exclusively(key, () => supersedeUploads(form, key, staging)).catch(() => {})
    }
    throw error
  }
}

async function storeRegistration(
  descriptor: FormDescriptor,
  form: PostedForm,
  closed: RefusalError | undefined,
  desk: Desk,
): Promise<RegistrationResult> {
  const { services, staging } = desk
  const key = keyOfForm(form)
  // A double click, two tabs or a repeated request wait here for one another.
  return staging.exclusively(key, async () => {
    const ownFingerprint = hashTypedValues(form)
    const before = await settle(key, desk)
    if (before !== undefined) {
      const isRepetition = await repeats(form, key, before, desk)
      await staging.removeAll(key)
      if (isRepetition && before.folio !== undefined) return { ok: true, folio: before.folio }
      const answer = await refused(new RefusalError('yaRecibido', MESSAGES.yaRecibido), form, staging)
      return answer.ok ? answer : { ...answer, entrega: randomUUID() }
    }
    if (closed) throw closed

    const documents = await sealChosenUploads(form, key, staging)
    const fileRefusals = inOrder([...form.refusals, ...documents.refused])
    // A document that came and was refused is not missing: its own message explains the refusal.
    const counts = { ...documents.counts }
    for (const { campo } of fileRefusals) counts[campo] = kindOf(campo).fileCount
    const checked = checkForm(descriptor, Object.fromEntries(form.fields), counts)
    if (!checked.ok) {
      await supersedeUploads(form, key, staging)
      return refused(new RefusalError(checked.reason, checked.message), form, staging, [
        ...checked.campos,
        ...fileRefusals.map(fileError),
      ])
    }
    if (fileRefusals[0]) {
      await supersedeUploads(form, key, staging)
      return refused(
        new RefusalError(fileRefusals[0].reason, fileRefusals[0].message),
        form,
        staging,
        fileRefusals.map(fileError),
      )
    }

    const plan = await planNewEntry(
      { key, fingerprint: ownFingerprint },
      descriptor.type,
      checked.data,
      documents.found,
      desk,
    )
    await carryOut(key, plan, desk)
    services.log.info({ tipo: descriptor.type, registro: plan.folder.split('_')[0] }, 'registration stored')
    return { ok: true, folio: plan.folio }
  })
}

/** Returns a form's key in the journal. @throws RefusalError without a valid submission id, or with a field of no form */
export function keyOfForm({ fields, hasUnknownField }: PostedForm): string {
  const submission = fields.get('entrega')
  if (!isUuid(submission)) throw new RefusalError('entrega', MESSAGES.peticion)
  if (hasUnknownField) throw new RefusalError('camposDesconocidos', MESSAGES.camposDesconocidos)
  return keyOf(submission)
}

/** Hashes the trimmed values; another hash under the same key is a correction, not a repetition. */
export function hashTypedValues(form: PostedForm): string {
  const values = form.expected.fields.map((field) => (form.fields.get(field) ?? '').trim())
  return createHash('sha256').update(JSON.stringify(values)).digest('hex')
}

/** Says whether a form repeats a stored submission: it has the same values, and neither brings nor names another document. */
export async function repeats(
  form: PostedForm,
  key: string,
  { entryId, fingerprint }: StoredSubmission,
  { services, staging }: Desk,
): Promise<boolean> {
  if (fingerprint !== hashTypedValues(form)) return false
  const sums = new Set(form.checksums)
  // An upload that is not staged any more was stored, or removed by a concurrent copy of this form, and is passed over.
  for (const id of Object.values(parseDocuments(form)).flat()) {
    const sealed = (await staging.find(key, id))?.sealed
    if (sealed) sums.add(sealed.sha256)
  }
  const stored = entryId === undefined ? [] : await listChecksums(services.db, entryId)
  return [...sums].every((sum) => stored.includes(sum))
}

interface Refusal {
  campo: DocumentKind
  reason: RefusalReason
  message: string
}

/** Seals the uploads to which a form refers; an upload that is lost, not whole or of a wrong type becomes a refusal. */
export async function sealChosenUploads(
  form: PostedForm,
  key: string,
  staging: Staging,
): Promise<{ counts: Partial<Record<DocumentKind, number>>; found: ReceivedDocuments; refused: Refusal[] }> {
  const counts: Partial<Record<DocumentKind, number>> = {}
  const found: ReceivedDocuments = {}
  const refused: Refusal[] = []
  const ids = await findChosenIds(form, key, staging)
  for (const kind of form.expected.kinds) {
    const chosen = ids[kind] ?? []
    counts[kind] = chosen.length
    for (const id of chosen) {
      try {
        const upload = await staging.find(key, id)
        if (upload === undefined) throw new RefusalError('documentoInvalido', MESSAGES.archivoPerdido)
        if (upload.clase !== kind) throw new RefusalError('peticion', MESSAGES.peticion)
        found[kind] = [...(found[kind] ?? []), await staging.seal(key, id)]
      } catch (error) {
        if (!(error instanceof RefusalError) || error.reason === 'peticion') throw error
        refused.push({ campo: kind, reason: error.reason, message: error.message })
      }
    }
  }
  return { counts, found, refused }
}

async function findChosenIds(
  form: PostedForm,
  key: string,
  staging: Staging,
): Promise<Partial<Record<DocumentKind, string[]>>> {
  // The script names its uploads; for documents that it does not name, files that came earlier without JavaScript count.
  const named = parseDocuments(form)
  const staged = (await staging.list(key)).filter((upload) => upload.sealed !== null)
  const ids: Partial<Record<DocumentKind, string[]>> = {}
  for (const kind of form.expected.kinds) {
    if (named[kind]) {
      ids[kind] = named[kind]
      continue
    }
    const arrivedIds = form.arrivedIds.get(kind) ?? []
    const earlier = staged.filter((upload) => upload.clase === kind && !arrivedIds.includes(upload.id))
    // A single side of the voter card completes an earlier single one; otherwise only the new files count.
    const completes = arrivedIds.length > 0 && arrivedIds.length + earlier.length === kindOf(kind).fileCount
    if (arrivedIds.length > 0 && !completes) ids[kind] = arrivedIds
    else ids[kind] = [...earlier.map((upload) => upload.id).slice(-kindOf(kind).fileCount), ...arrivedIds]
  }
  return ids
}

/**
 * Prepares a form without JavaScript to be shown again: its files replace earlier files of the same document. If a document
 * has too many files, all are removed and asked for again, since the site cannot tell which one is wrong.
 */
async function supersedeUploads(form: PostedForm, key: string, staging: Staging): Promise<void> {
  if (form.arrivedIds.size === 0) return
  const chosen = await findChosenIds(form, key, staging)
  const staged = await staging.list(key)
  for (const [kind, arrivedIds] of form.arrivedIds) {
    const keptIds = (chosen[kind]?.length ?? 0) <= kindOf(kind).fileCount ? (chosen[kind] ?? []) : []
    const first = staged.find((upload) => arrivedIds.includes(upload.id))
    for (const { id, clase: other, createdAt } of staged) {
      const replaced = other === kind && !keptIds.includes(id)
      // Younger uploads belong to a concurrent copy of the same form.
      if (replaced && (arrivedIds.includes(id) || (first !== undefined && createdAt < first.createdAt)))
        await staging.remove(key, id)
    }
  }
}

/** Reads the ids of uploads by kind. @throws RefusalError peticion for another shape, camposDesconocidos for another kind */
function parseDocuments({ fields, expected }: PostedForm): Partial<Record<DocumentKind, string[]>> {
  const json = fields.get('documentos') ?? '{}'
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    throw new RefusalError('peticion', MESSAGES.peticion)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RefusalError('peticion', MESSAGES.peticion)
  const ids: Partial<Record<DocumentKind, string[]>> = {}
  for (const [name, list] of Object.entries(value)) {
    const kind = expected.kinds.find((one) => one === name)
    if (kind === undefined) throw new RefusalError('camposDesconocidos', MESSAGES.camposDesconocidos)
    if (!Array.isArray(list) || list.length > 10 || !list.every(isUuid))
      throw new RefusalError('peticion', MESSAGES.peticion)
    // One upload named twice is one file; two uploads may well hold the same bytes.
    ids[kind] = [...new Set(list)]
  }
  return ids
}

/** Builds the answer to a refused form: the reason, the typed values, and the files that need not be sent again. */
async function refused(
  { reason, message, retryAfterSeconds }: RefusalError,
  form: PostedForm,
  staging: Staging,
  fields: readonly FieldError[] = [],
): Promise<RegistrationResult> {
  noteRefusal({ area: 'registro', reason: reason })
  const sent = form.fields.get('entrega')
  const submission = isUuid(sent) ? sent : randomUUID()
  const uploads = isUuid(sent) ? await staging.list(keyOf(sent)).catch((): ReceivedUpload[] => []) : []
  const received = Object.fromEntries(
    Object.entries(uploadsByKind(uploads)).map(([kind, found]) => [kind, found.map(({ filename }) => filename)]),
  )
  return {
    ok: false,
    reason,
    message,
    campos: [...fields],
    valores: Object.fromEntries(form.expected.fields.map((field) => [field, form.fields.get(field) ?? ''])),
    recibidos: received,
    entrega: submission,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }
}
