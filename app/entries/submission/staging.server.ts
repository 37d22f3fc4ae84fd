import type { Services } from '#app/core/http/services.server.ts'
import { readHead } from '#app/core/process/durable-files.server.ts'
import { withoutInvisible } from '#app/core/text/typed-text.ts'
import type { UploadLimits } from '#app/core/uploads/quota.server.ts'
import { SNIFF_BYTES } from '#app/core/uploads/sniff-file-type.ts'
import {
  type NewUploadOf,
  openStagingArea,
  type ReceivedUploadOf,
  type StagedUploadOf,
  type StagingArea,
} from '#app/core/uploads/staging-area.server.ts'
import { type DocumentKind, MAX_FILE_BYTES, type VoterCardSide } from '#app/entries/definitions/document-kinds.ts'
import { contentRefusalOf, findFileRefusal, sniffContentType } from '#app/entries/document-viewing/file-rules.ts'
import { findOpeningRefusal } from '#app/entries/document-viewing/viewing.server.ts'
import { RegistrationRefusalError } from './refusal.server.ts'
import { MAX_FILE_NAME_CHARACTERS, REGISTRATION_MESSAGES } from './schema.ts'

/** This limit suffices to choose the six files of a submission ten times. */
const MAX_UPLOADS_PER_SUBMISSION = 60

/**
 * These limits are generous for a town behind one network address, as in mobile networks. `maxDayBytes` is half as much again as a
 * school needs that registers thirty candidates with the largest files.
 */
const LIMITS: UploadLimits = {
  maxStagedBytes: 20 * 1024 ** 3,
  maxStagedBytesPerClient: 1.5 * 1024 ** 3,
  maxDayBytes: 4 * 1024 ** 3,
  maxCreations: 900,
  maxSubmissions: 300,
  reservationMs: 5 * 60_000,
}

/** Data of an upload that a registration stores. */
interface UploadData {
  clase: DocumentKind
  lado: VoterCardSide | null
  /** Whether the upload answers a document request, so that it is accepted even while the form is closed. */
  pedida?: boolean
}

export type StagedUpload = StagedUploadOf<UploadData>
export type ReceivedUpload = ReceivedUploadOf<UploadData>
export type NewUpload = NewUploadOf<UploadData>
/** Holds received files until they belong to a stored entry. */
export type Staging = StagingArea<UploadData>

/** Services with which a running site receives registrations. */
export interface IntakeContext {
  services: Services
  staging: Staging
}

export interface StagingOptions {
  limits?: Partial<UploadLimits>
  /** Time without new bytes after which the body of a request is aborted. */
  idleMs?: number
}

/** A form may be sent again after this time while the same submission is being stored. */
const BUSY_RETRY_SECONDS = 60

/** Opens the staging area of both forms; a process opens it once. */
export const openStaging = (services: Services, { limits, idleMs }: StagingOptions = {}): Promise<Staging> =>
  openStagingArea<UploadData>(services, {
    area: 'registros',
    limits: { ...LIMITS, ...limits },
    maxBytes: MAX_FILE_BYTES,
    maxUploads: MAX_UPLOADS_PER_SUBMISSION,
    maxSilenceMs: idleMs,
    busyError: () => new RegistrationRefusalError('guardando', REGISTRATION_MESSAGES.guardando, BUSY_RETRY_SECONDS),
    checkedFileName: checkFileName,
    checkedContent: checkContent,
  })

/**
 * Detects the type of a complete file by its first bytes, and checks that it can be opened, for which a picture is decoded.
 * @param network keyed hash of the sender's network, or the submission's key if the network is unknown
 * @returns the type, or a RegistrationRefusalError, which is not thrown, for a file that is refused for good
 * @throws OverloadedError as `findOpeningRefusal` does
 */
async function checkContent(
  filePath: string,
  { clase, filename, size }: NewUpload & { size: number },
  network: string,
): Promise<string | RegistrationRefusalError> {
  const contentType = sniffContentType(await readHead(filePath, SNIFF_BYTES)) ?? null
  const refusal = findFileRefusal(clase, { name: filename, size, contentType })
  if (refusal) return new RegistrationRefusalError(refusal.reason, refusal.message)
  const contentRefusal = contentRefusalOf(
    filename,
    contentType!,
    await findOpeningRefusal(filePath, contentType!, network),
  )
  return contentRefusal ? new RegistrationRefusalError(contentRefusal.reason, contentRefusal.message) : contentType!
}

/**
 * Returns the name without control and invisible characters; `archivo` for an empty name.
 * @throws RegistrationRefusalError for a forbidden character, a size that is not accepted, a NUL, or a name too long to store
 */
function checkFileName({ clase, filename: name, size }: NewUpload): string {
  if (name.includes('\0')) throw new RegistrationRefusalError('peticion', REGISTRATION_MESSAGES.peticion)
  // Direction marks are removed, since a name that reads backwards could hide a file's extension.
  const cleanName = withoutInvisible(name.toWellFormed().replace(/\p{Cc}/gu, '')) || 'archivo'
  // An unknown size passes here, and is checked once the file is complete.
  const refusal = findFileRefusal(clase, { name: cleanName, size: size ?? 1 })
  if (refusal) throw new RegistrationRefusalError(refusal.reason, refusal.message)
  if (cleanName.length > MAX_FILE_NAME_CHARACTERS)
    throw new RegistrationRefusalError('nombreArchivo', REGISTRATION_MESSAGES.archivoNombreLargo(cleanName))
  return cleanName
}
