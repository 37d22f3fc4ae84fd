import { createContext, type RouterContextProvider } from 'react-router'
import { FILE_KINDS, type FileKind, isFileKind, refuseSize } from '#app/cms/media/file-rules.ts'
import { receiveFile } from '#app/cms/media/receive-file.server.ts'
import { asRefusalError, RefusalError } from '#app/core/http/refusal.server.ts'
import type { RequestFacts, Services } from '#app/core/http/services.server.ts'
import { withoutInvisible } from '#app/core/text/typed-text.ts'
import { isUuid } from '#app/core/text/uuid.ts'
import type { UploadLimits } from '#app/core/uploads/quota.server.ts'
import { openStagingArea, type StagingArea, submissionKeyOf } from '#app/core/uploads/staging-area.server.ts'
import { type Announcement, createTusHandler } from '#app/core/uploads/tus-protocol.server.ts'
import { type IntakeResult, MESSAGES, statusOf, UPLOADS_PATH } from './upload-protocol.ts'

/** The quota is many times what a committee sends in an afternoon. The disk reserve applies besides. */
const LIMITS: UploadLimits = {
  maxStagedBytes: 4 * 1024 ** 3,
  maxStagedBytesPerClient: 2 * 1024 ** 3,
  maxDayBytes: 8 * 1024 ** 3,
  maxCreations: 600,
  maxSubmissions: 600,
  reservationMs: 5 * 60_000,
}
const MAX_UPLOADS = 24
const MAX_NAME_LENGTH = 255
const RETRY_SECONDS = 60

interface Data {
  clase: FileKind
}

/** A process has one FileIntake, which receives the organisers' files for the edition. */
export interface FileIntake {
  /** Answers every request under UPLOADS_PATH. @param accountId the organiser, who alone has access to her uploads */
  handle(request: Request, facts: RequestFacts, accountId: string): Promise<Response>
  /**
   * Checks and stores a complete upload. A stored upload stays staged for a day, so that a repeated request, after a lost answer
   * or an outage of the storage, needs no new upload; a refused file is removed.
   */
  receive(accountId: string, sent: { entrega: unknown; subida: unknown }, facts: RequestFacts): Promise<IntakeResult>
  /** Removes abandoned uploads. */
  sweep(): Promise<unknown>
}

const openArea = (services: Services, idleMs: number | undefined): Promise<StagingArea<Data>> =>
  openStagingArea<Data>(services, {
    area: 'edicion',
    limits: LIMITS,
    maxBytes: Math.max(...Object.values(FILE_KINDS).map(({ maxBytes }) => maxBytes)),
    maxUploads: MAX_UPLOADS,
    maxSilenceMs: idleMs,
    busyError: () => new RefusalError('saturado', MESSAGES.saturado, RETRY_SECONDS),
    checkedFileName({ clase, filename, size }) {
      const name =
        withoutInvisible(filename.toWellFormed().replace(/\p{Cc}/gu, '')).slice(-MAX_NAME_LENGTH) || 'archivo'
      const message = refuseSize(clase, name, size ?? 0)
      if (message) throw new RefusalError(size === 0 ? 'archivoVacio' : 'archivoGrande', message)
      return name
    },
    // receiveFile checks the content later, when it stores the file.
    checkedContent: async (_file, { clase }) => clase,
  })

export async function createFileIntake(services: Services, idleMs?: number): Promise<FileIntake> {
  const staging = await openArea(services, idleMs)
  const keyFor = (accountId: string, submission: string) => submissionKeyOf(`edicion:${accountId}:${submission}`)
  const handle = createTusHandler(services, {
    path: UPLOADS_PATH,
    area: 'edicion',
    staging,
    keyOf(request, accountId) {
      const submission = request.headers.get('x-entrega')
      if (!isUuid(submission) && request.method !== 'OPTIONS') throw new RefusalError('entrega', MESSAGES.peticion)
      return keyFor(accountId, submission ?? '')
    },
    begin: async (announcement) => readMetadata(announcement),
    metadataOf: ({ clase }) => ({ clase }),
    statusOf,
    messageOf: (reason) => ORGANISER_MESSAGES[reason],
    faultMessage: MESSAGES.falla,
  })

  async function receive(
    accountId: string,
    { entrega, subida }: { entrega: unknown; subida: unknown },
    { id: errorId }: RequestFacts,
  ): Promise<IntakeResult> {
    const refuse = (reason: string, message: string): IntakeResult => ({ ok: false, reason, message })
    if (!isUuid(entrega) || !isUuid(subida)) return refuse('peticion', MESSAGES.peticion)
    const key = keyFor(accountId, entrega)
    try {
      return await staging.exclusively(key, async () => {
        const { clase, filename } = await staging.seal(key, subida)
        const received = await staging.withWholeFile(key, subida, (file) =>
          receiveFile(services, { kind: clase, file, name: filename }),
        )
        if (received.ok) return { ok: true, archivo: received.file }
        // The file would be refused again, so its upload is not kept.
        await staging.remove(key, subida)
        return received
      })
    } catch (error) {
      const refusal = asRefusalError(error)
      if (refusal) return refuse(refusal.reason, ORGANISER_MESSAGES[refusal.reason] ?? refusal.message)
      services.log.error({ id: errorId, err: error }, 'a file of the edition could not be kept')
      return refuse('almacen', MESSAGES.almacen(errorId))
    }
  }

  return {
    handle,
    receive,
    sweep: () => staging.sweep(new Set()),
  }
}

/** Organisers get these messages in place of the entrants'. */
const ORGANISER_MESSAGES: Partial<Record<string, string>> = {
  peticion: MESSAGES.peticion,
  entrega: MESSAGES.peticion,
  subidasDemasiadas: MESSAGES.demasiadas,
  sinEspacio: MESSAGES.sinEspacio,
  saturado: MESSAGES.saturado,
}

const METADATA_KEYS: ReadonlySet<string> = new Set(['clase', 'filename', 'filetype'])

/** Reads the metadata of a new upload. @throws RefusalError peticion for metadata that no field sends */
function readMetadata({ metadata, size }: Announcement): Data & { filename: string; size: number } {
  const { clase, filename } = metadata ?? {}
  const isKnown = Object.keys(metadata ?? {}).every((key) => METADATA_KEYS.has(key))
  if (!isKnown || !isFileKind(clase) || !filename || size === undefined)
    throw new RefusalError('peticion', MESSAGES.peticion)
  return { clase, filename, size }
}

/** The context holds null while public screens are prerendered. */
export const fileIntakeContext = createContext<FileIntake | null>(null)

/** Returns the process's FileIntake. @throws Error while public screens are prerendered */
export function fileIntakeOf(context: Readonly<RouterContextProvider>): FileIntake {
  const intake = context.get(fileIntakeContext)
  if (!intake) throw new Error('This address receives files; it cannot be prerendered')
  return intake
}
