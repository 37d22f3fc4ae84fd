import { createContext, type RouterContextProvider } from 'react-router'
import { FILE_KINDS, type FileKind, findSizeRefusal, isFileKind } from '#app/cms/media/file-rules.ts'
import { receiveFile } from '#app/cms/media/receive-file.server.ts'
import { asRefusalError, RefusalError } from '#app/core/http/refusal.server.ts'
import type { RequestFacts, Services } from '#app/core/http/services.server.ts'
import { withoutInvisible } from '#app/core/text/typed-text.ts'
import { isUuid } from '#app/core/text/uuid.ts'
import type { UploadLimits } from '#app/core/uploads/quota.server.ts'
import { openStagingArea, type StagingArea, submissionKeyOf } from '#app/core/uploads/staging-area.server.ts'
import { createTusHandler, type UploadAnnouncement } from '#app/core/uploads/tus-protocol.server.ts'
import { type IntakeResult, UPLOAD_MESSAGES, UPLOADS_PATH, uploadStatusOf } from './upload-protocol.ts'

/** Limits many times above the uploads of a committee in an afternoon; the disk reserve applies besides. */
const UPLOAD_LIMITS: UploadLimits = {
  maxStagedBytes: 4 * 1024 ** 3,
  maxStagedBytesPerClient: 2 * 1024 ** 3,
  maxDayBytes: 8 * 1024 ** 3,
  maxCreations: 600,
  maxSubmissions: 600,
  reservationMs: 5 * 60_000,
}
/** A submission has one file, and further uploads only as repetitions after a lost upload. */
const MAX_UPLOADS_PER_SUBMISSION = 24
const MAX_FILE_NAME_CHARACTERS = 255
const BUSY_RETRY_SECONDS = 60

interface UploadMetadata {
  clase: FileKind
}

/** Receives the organisers' files for the edition. A process has one intake. */
export interface FileIntake {
  /** Handles the requests under UPLOADS_PATH. @param accountId of the organiser, who has access to her own uploads only */
  handle(request: Request, facts: RequestFacts, accountId: string): Promise<Response>
  /**
   * Checks and stores a complete upload. The upload stays staged until the browser drops it or `sweep` removes it, so that a request
   * that is repeated after a lost answer or an outage of the storage needs no new upload; a refused file is removed.
   */
  receive(accountId: string, upload: { entrega: unknown; subida: unknown }, facts: RequestFacts): Promise<IntakeResult>
  /** Removes uploads that began too long ago (MAX_STAGED_MS, MAX_EMPTY_MS). */
  sweep(): Promise<unknown>
}

const openIntakeArea = (services: Services, idleMs: number | undefined): Promise<StagingArea<UploadMetadata>> =>
  openStagingArea<UploadMetadata>(services, {
    area: 'edicion',
    limits: UPLOAD_LIMITS,
    maxBytes: Math.max(...Object.values(FILE_KINDS).map(({ maxBytes }) => maxBytes)),
    maxUploads: MAX_UPLOADS_PER_SUBMISSION,
    maxSilenceMs: idleMs,
    busyError: () => new RefusalError('saturado', UPLOAD_MESSAGES.saturado, BUSY_RETRY_SECONDS),
    checkedFileName({ clase, filename, size }) {
      const name =
        withoutInvisible(filename.toWellFormed().replace(/\p{Cc}/gu, '')).slice(-MAX_FILE_NAME_CHARACTERS) || 'archivo'
      const message = findSizeRefusal(clase, name, size ?? 0)
      if (message) throw new RefusalError(size === 0 ? 'archivoVacio' : 'archivoGrande', message)
      return name
    },
    // `receiveFile` checks the content when it stores the file, so that the kind suffices here.
    checkedContent: async (_file, { clase }) => clase,
  })

/** @param idleMs silence after which the body of a request is given up; by default as `openStagingArea` says */
export async function createFileIntake(services: Services, idleMs?: number): Promise<FileIntake> {
  const staging = await openIntakeArea(services, idleMs)
  const submissionKeyFor = (accountId: string, submissionId: string) =>
    submissionKeyOf(`edicion:${accountId}:${submissionId}`)
  const handle = createTusHandler(services, {
    path: UPLOADS_PATH,
    area: 'edicion',
    staging,
    keyOf(request, accountId) {
      const submissionId = request.headers.get('x-entrega')
      if (!isUuid(submissionId) && request.method !== 'OPTIONS')
        throw new RefusalError('entrega', UPLOAD_MESSAGES.peticion)
      return submissionKeyFor(accountId, submissionId ?? '')
    },
    begin: async (announcement) => readMetadata(announcement),
    metadataOf: ({ clase }) => ({ clase }),
    statusOf: uploadStatusOf,
    messageOf: (reason) => ORGANISER_MESSAGES[reason],
    faultMessage: UPLOAD_MESSAGES.falla,
  })

  async function receive(
    accountId: string,
    { entrega, subida }: { entrega: unknown; subida: unknown },
    { id: errorId }: RequestFacts,
  ): Promise<IntakeResult> {
    const refusalOf = (reason: string, message: string): IntakeResult => ({ ok: false, reason, message })
    if (!isUuid(entrega) || !isUuid(subida)) return refusalOf('peticion', UPLOAD_MESSAGES.peticion)
    const key = submissionKeyFor(accountId, entrega)
    try {
      return await staging.exclusively(key, async () => {
        const { clase, filename } = await staging.seal(key, subida)
        const storeResult = await staging.withWholeFile(key, subida, (file) =>
          receiveFile(services, { kind: clase, file, name: filename }),
        )
        if (storeResult.ok) return { ok: true, archivo: storeResult.file }
        // A refusal is about the file itself, so its upload is not kept.
        await staging.remove(key, subida)
        return storeResult
      })
    } catch (error) {
      const refusal = asRefusalError(error)
      if (refusal) return refusalOf(refusal.reason, ORGANISER_MESSAGES[refusal.reason] ?? refusal.message)
      services.log.error({ id: errorId, err: error }, 'a file of the edition could not be kept')
      return refusalOf('almacen', UPLOAD_MESSAGES.almacen(errorId))
    }
  }

  return {
    handle,
    receive,
    sweep: () => staging.sweep(new Set()),
  }
}

/** Messages to organisers, by refusal, in place of the messages to entrants. */
const ORGANISER_MESSAGES: Partial<Record<string, string>> = {
  peticion: UPLOAD_MESSAGES.peticion,
  entrega: UPLOAD_MESSAGES.peticion,
  subidasDemasiadas: UPLOAD_MESSAGES.demasiadas,
  sinEspacio: UPLOAD_MESSAGES.sinEspacio,
  saturado: UPLOAD_MESSAGES.saturado,
}

const METADATA_KEYS: ReadonlySet<string> = new Set(['clase', 'filename', 'filetype'])

/**
 * Reads the metadata of a new upload.
 * @throws RefusalError `peticion` for metadata that no field sends, or without name or size
 */
function readMetadata({ metadata, size }: UploadAnnouncement): UploadMetadata & { filename: string; size: number } {
  const { clase, filename } = metadata ?? {}
  const isKnown = Object.keys(metadata ?? {}).every((key) => METADATA_KEYS.has(key))
  if (!isKnown || !isFileKind(clase) || !filename || size === undefined)
    throw new RefusalError('peticion', UPLOAD_MESSAGES.peticion)
  return { clase, filename, size }
}

/** Intake of the running site; null while public screens are prerendered. */
export const fileIntakeContext = createContext<FileIntake | null>(null)

/** Returns the process's FileIntake. @throws Error while public screens are prerendered */
export function fileIntakeOf(context: Readonly<RouterContextProvider>): FileIntake {
  const intake = context.get(fileIntakeContext)
  if (!intake) throw new Error('This URL receives files, so it cannot be prerendered')
  return intake
}
