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
import { refuseContent, refuseFile, sniffContentType } from '#app/entries/document-viewing/file-rules.ts'
import { findOpeningRefusal } from '#app/entries/document-viewing/viewing.server.ts'
import { RefusalError } from './refusal.server.ts'
import { MAX_FILE_NAME_CHARACTERS, MESSAGES } from './schema.ts'

/** A submission may choose its six documents ten times. */
const MAX_UPLOADS_PER_SUBMISSION = 60

/**
 * The quotas are generous to a town behind one address (mobile networks share addresses), and far from a full disk. A day's
 * bytes are those of a school that registers thirty candidates with the largest files, and half as many again.
 */
const LIMITS: UploadLimits = {
  maxStagedBytes: 20 * 1024 ** 3,
  maxStagedBytesPerClient: 1.5 * 1024 ** 3,
  maxDayBytes: 4 * 1024 ** 3,
  maxCreations: 900,
  maxSubmissions: 300,
  reservationMs: 5 * 60_000,
}

/** A registration keeps this data about an upload. */
interface UploadData {
  clase: DocumentKind
  lado: VoterCardSide | null
  /** The upload answers a document request, so it is taken even while the form is closed. */
  pedida?: boolean
}

export type StagedUpload = StagedUploadOf<UploadData>
export type ReceivedUpload = ReceivedUploadOf<UploadData>
export type NewUpload = NewUploadOf<UploadData>
/** A Staging holds files that are received and not yet registered. */
export type Staging = StagingArea<UploadData>

/** An IntakeContext has the services and the staging area with which a running site receives registrations. */
export interface IntakeContext {
  services: Services
  staging: Staging
}

export interface StagingOptions {
  limits?: Partial<UploadLimits>
  idleMs?: number
}

const RETRY_SECONDS = 60

/** Opens the staging area of the public forms; a process opens it once. */
export const openStaging = (services: Services, { limits, idleMs }: StagingOptions = {}): Promise<Staging> =>
  openStagingArea<UploadData>(services, {
    area: 'registros',
    limits: { ...LIMITS, ...limits },
    maxBytes: MAX_FILE_BYTES,
    maxUploads: MAX_UPLOADS_PER_SUBMISSION,
    maxSilenceMs: idleMs,
    busyError: () => new RefusalError('guardando', MESSAGES.guardando, RETRY_SECONDS),
    checkedFileName: checkFileName,
    checkedContent: checkContent,
  })

/**
 * Detects the type of a whole file by its first bytes, and checks that it can be opened; a picture is decoded for that.
 * @param from the network that sent the file
 * @returns the type, or (not thrown) a RefusalError for a file that is refused for good
 * @throws OverloadedError when too many files are being checked
 */
async function checkContent(
  file: string,
  { clase, filename, size }: NewUpload & { size: number },
  from: string,
): Promise<string | RefusalError> {
  const contentType = sniffContentType(await readHead(file, SNIFF_BYTES)) ?? null
  const refusal = refuseFile(clase, { name: filename, size, contentType })
  if (refusal) return new RefusalError(refusal.reason, refusal.message)
  const contentRefusal = refuseContent(filename, contentType!, await findOpeningRefusal(file, contentType!, from))
  return contentRefusal ? new RefusalError(contentRefusal.reason, contentRefusal.message) : contentType!
}

/**
 * Returns the name without control and direction marks; `archivo` where nothing is left.
 * @throws RefusalError for a forbidden character or a size, with §5's message; for a NUL, or a name too long to keep
 */
function checkFileName({ clase, filename: name, size }: NewUpload): string {
  if (name.includes('\0')) throw new RefusalError('peticion', MESSAGES.peticion)
  // Direction marks go, since a name that reads backwards would mislead the readers of a list of files.
  const cleanName = withoutInvisible(name.toWellFormed().replace(/\p{Cc}/gu, '')) || 'archivo'
  // An unknown size passes here, and is checked once the file is whole.
  const refusal = refuseFile(clase, { name: cleanName, size: size ?? 1 })
  if (refusal) throw new RefusalError(refusal.reason, refusal.message)
  if (cleanName.length > MAX_FILE_NAME_CHARACTERS)
    throw new RefusalError('nombreArchivo', MESSAGES.archivoNombreLargo(cleanName))
  return cleanName
}
