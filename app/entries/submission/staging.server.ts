import type { Services } from '#app/core/http/services.server.ts'
import type { Limits } from '#app/core/uploads/quota.server.ts'
import {
  type NewUploadOf,
  openStagingArea,
  type ReceivedUploadOf,
  type StagedUploadOf,
  type StagingArea,
} from '#app/core/uploads/staging-area.server.ts'
import {
  type DocumentKind,
  type DocumentMediaType,
  MAX_FILE_BYTES,
  type VoterCardSide,
} from '#app/entries/definitions/document-kinds.ts'
import { checkContent, checkFileName } from './file-check.server.ts'
import { RefusalError } from './refusal.server.ts'
import { MESSAGES } from './schema.ts'

/** A submission may choose its six documents ten times. */
const MAX_UPLOADS_PER_SUBMISSION = 60

/**
 * The quotas are generous to a town behind one address (mobile networks share addresses), and far from a full disk. A day's
 * bytes are those of a school that registers thirty candidates with the largest files, and half as many again.
 */
const LIMITS: Limits = {
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

export type StagedUpload = StagedUploadOf<UploadData, DocumentMediaType>
export type ReceivedUpload = ReceivedUploadOf<UploadData, DocumentMediaType>
export type NewUpload = NewUploadOf<UploadData>
/** A Staging holds files that are received and not yet registered. */
export type Staging = StagingArea<UploadData, DocumentMediaType>

export interface StagingOptions {
  limits?: Partial<Limits>
  idleMs?: number
}

const RETRY_SECONDS = 60

/** Opens the staging area of the public forms; a process opens it once. */
export const openStaging = (services: Services, { limits, idleMs }: StagingOptions = {}): Promise<Staging> =>
  openStagingArea<UploadData, DocumentMediaType>(services, {
    area: 'registros',
    limits: { ...LIMITS, ...limits },
    maxBytes: MAX_FILE_BYTES,
    maxUploads: MAX_UPLOADS_PER_SUBMISSION,
    idleMs,
    busyError: () => new RefusalError('guardando', MESSAGES.guardando, RETRY_SECONDS),
    checkedFileName: checkFileName,
    checkedContent: checkContent,
  })
