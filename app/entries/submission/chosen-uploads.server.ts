import { isUuid } from '#app/core/text/uuid.ts'
import { listChecksums } from '#app/entries/data.server.ts'
import { DOCUMENT_KINDS, type DocumentKind, kindOf } from '#app/entries/definitions/document-kinds.ts'
import { hashTypedValues, kindNamed, type PostedForm } from './posted-form.server.ts'
import type { StoredSubmission } from './recovery.server.ts'
import { RegistrationRefusalError } from './refusal.server.ts'
import { REGISTRATION_MESSAGES, type RefusalReason } from './schema.ts'
import type { IntakeContext, ReceivedUpload, Staging } from './staging.server.ts'
import type { ReceivedDocuments } from './store.server.ts'

/** Picks the uploads that count for each kind: the latest complete ones, as many as the kind takes. */
export function uploadsByKind(uploads: readonly ReceivedUpload[]): Partial<Record<DocumentKind, ReceivedUpload[]>> {
  const completeUploads = uploads.filter((upload) => upload.size !== null && upload.offset === upload.size)
  return Object.fromEntries(
    DOCUMENT_KINDS.map((kind) => [
      kind,
      completeUploads.filter((upload) => upload.clase === kind).slice(-kindOf(kind).fileCount),
    ]).filter(([, uploadsOfKind]) => uploadsOfKind!.length > 0),
  )
}

/** Returns whether a form repeats a stored submission: it has the same values, and no other document. */
export async function isRepetitionOf(
  form: PostedForm,
  key: string,
  { entryId, fingerprint }: StoredSubmission,
  { services, staging }: IntakeContext,
): Promise<boolean> {
  if (fingerprint !== hashTypedValues(form)) return false
  const checksums = new Set(form.checksums)
  // Skipped are unsealed uploads, and those that were stored, swept, or removed by a concurrent copy of this form.
  for (const id of Object.values(parseDocuments(form)).flat()) {
    const sealedUpload = (await staging.find(key, id))?.sealed
    if (sealedUpload) checksums.add(sealedUpload.sha256)
  }
  const storedChecksums = entryId === undefined ? [] : await listChecksums(services.db, entryId)
  return [...checksums].every((checksum) => storedChecksums.includes(checksum))
}

interface Refusal {
  campo: DocumentKind
  reason: RefusalReason
  message: string
}

/**
 * Seals a form's uploads (`findChosenIds`); an upload that is lost, incomplete, unreadable or of a wrong type becomes a refusal,
 * and still counts.
 * @throws RegistrationRefusalError peticion for an upload of another kind, and like `parseDocuments`; OverloadedError
 */
export async function sealChosenUploads(
  form: PostedForm,
  key: string,
  staging: Staging,
): Promise<{ counts: Partial<Record<DocumentKind, number>>; documents: ReceivedDocuments; refusals: Refusal[] }> {
  const counts: Partial<Record<DocumentKind, number>> = {}
  const documents: ReceivedDocuments = {}
  const refusals: Refusal[] = []
  const ids = await findChosenIds(form, key, staging)
  for (const kind of form.expectedParts.kinds) {
    const chosenIds = ids[kind] ?? []
    counts[kind] = chosenIds.length
    for (const id of chosenIds) {
      try {
        const upload = await staging.find(key, id)
        if (upload === undefined)
          throw new RegistrationRefusalError('documentoInvalido', REGISTRATION_MESSAGES.archivoPerdido)
        if (upload.clase !== kind) throw new RegistrationRefusalError('peticion', REGISTRATION_MESSAGES.peticion)
        documents[kind] = [...(documents[kind] ?? []), await staging.seal(key, id)]
      } catch (error) {
        if (!(error instanceof RegistrationRefusalError) || error.reason === 'peticion') throw error
        refusals.push({ campo: kind, reason: error.reason, message: error.message })
      }
    }
  }
  return { counts, documents, refusals }
}

async function findChosenIds(
  form: PostedForm,
  key: string,
  staging: Staging,
): Promise<Partial<Record<DocumentKind, string[]>>> {
  // The page's script lists its uploads by id. Documents that are not listed may have arrived earlier, without JavaScript.
  const listedIds = parseDocuments(form)
  const sealedUploads = (await staging.list(key)).filter((upload) => upload.sealed !== null)
  const ids: Partial<Record<DocumentKind, string[]>> = {}
  for (const kind of form.expectedParts.kinds) {
    if (listedIds[kind]) {
      ids[kind] = listedIds[kind]
      continue
    }
    const arrivedIds = form.arrivedIds.get(kind) ?? []
    const earlierUploads = sealedUploads.filter((upload) => upload.clase === kind && !arrivedIds.includes(upload.id))
    // One side of the voter card completes an earlier single side; otherwise new files replace the earlier ones.
    const isCompletion = arrivedIds.length > 0 && arrivedIds.length + earlierUploads.length === kindOf(kind).fileCount
    if (arrivedIds.length > 0 && !isCompletion) ids[kind] = arrivedIds
    else ids[kind] = [...earlierUploads.map((upload) => upload.id).slice(-kindOf(kind).fileCount), ...arrivedIds]
  }
  return ids
}

/**
 * Prepares a form with files for being shown again: its files replace earlier files of the same document. If a document
 * has too many files, all of them are removed and asked for again, since the site cannot tell which file is wrong.
 */
export async function supersedeUploads(form: PostedForm, key: string, staging: Staging): Promise<void> {
  if (form.arrivedIds.size === 0) return
  const chosenIds = await findChosenIds(form, key, staging)
  const stagedUploads = await staging.list(key)
  for (const [kind, arrivedIds] of form.arrivedIds) {
    const keptIds = (chosenIds[kind]?.length ?? 0) <= kindOf(kind).fileCount ? (chosenIds[kind] ?? []) : []
    const firstArrived = stagedUploads.find((upload) => arrivedIds.includes(upload.id))
    for (const { id, clase, createdAt } of stagedUploads) {
      const isReplaced = clase === kind && !keptIds.includes(id)
      // Later uploads belong to a concurrent copy of the same form.
      if (isReplaced && (arrivedIds.includes(id) || (firstArrived !== undefined && createdAt < firstArrived.createdAt)))
        await staging.remove(key, id)
    }
  }
}

/** This limit exceeds the files of every kind, so that surplus files get their own message. */
const MAX_IDS_PER_KIND = 10

/**
 * Parses the ids of uploads by kind.
 * @throws RegistrationRefusalError peticion for another shape, camposDesconocidos for another kind
 */
function parseDocuments({ fields, expectedParts }: PostedForm): Partial<Record<DocumentKind, string[]>> {
  const json = fields.get('documentos') ?? '{}'
  let parsedJson: unknown
  try {
    parsedJson = JSON.parse(json)
  } catch {
    throw new RegistrationRefusalError('peticion', REGISTRATION_MESSAGES.peticion)
  }
  if (typeof parsedJson !== 'object' || parsedJson === null || Array.isArray(parsedJson))
    throw new RegistrationRefusalError('peticion', REGISTRATION_MESSAGES.peticion)
  const ids: Partial<Record<DocumentKind, string[]>> = {}
  for (const [name, uploadIds] of Object.entries(parsedJson)) {
    const kind = kindNamed({ expectedParts }, name)
    if (kind === undefined)
      throw new RegistrationRefusalError('camposDesconocidos', REGISTRATION_MESSAGES.camposDesconocidos)
    if (!Array.isArray(uploadIds) || uploadIds.length > MAX_IDS_PER_KIND || !uploadIds.every(isUuid))
      throw new RegistrationRefusalError('peticion', REGISTRATION_MESSAGES.peticion)
    // An upload that is listed twice is one file; two uploads may have the same bytes.
    ids[kind] = [...new Set(uploadIds)]
  }
  return ids
}
