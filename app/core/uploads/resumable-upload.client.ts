import { type DetailedError, type HttpResponse, Upload } from 'tus-js-client'
import type { UploadRefusal } from '#app/core/http/upload-refusals.ts'
import { CHUNK_BYTES } from './chunk-size.ts'
import {
  type FaultWording,
  FILTER_REFUSAL,
  isBlockedOnTheWay,
  isFromTheSite,
  judgeOutcome,
  mustShowFault,
  NO_FAULTS,
  parseRetryAfter,
  type RequestOutcome,
  withFault,
} from './retry-policy.ts'
import { waitBeforeRetry } from './retry-wait.client.ts'
import type { WaitReason } from './retry-wait.ts'
import type { UploadProgress } from './upload-progress.ts'

const MAX_PARALLEL_FILES = 2
/** After this long without progress the connection counts as dead, even if the system reports it as open. */
const STALL_TIMEOUT_MS = 30_000
/** After this many requests without progress, the last of them by PATCH, further chunks are sent by POST. */
const MAX_FRUITLESS_CHUNKS = 2
/** After this many requests without progress, the upload is given up. */
const MAX_FRUITLESS_REQUESTS = 3
const PROBE_TIMEOUT_MS = 10_000

/** Whether PATCH counts as blocked on this page. Further chunks are then sent by POST. */
let isPatchBlocked = false

export interface FileToUpload {
  id: string
  file: File
  /** URL where the upload resumes; undefined before the upload has begun. */
  url: string | undefined
}

/** Files to send to one endpoint. */
export interface PendingUploads<DocumentFile extends FileToUpload> {
  /** Path where uploads begin. */
  endpoint: string
  /** Headers of every request. They name the owner of the uploads. */
  headers: Record<string, string>
  files: DocumentFile[]
  /** Returns the metadata of a file besides its name and type. */
  metadataOf(file: DocumentFile): Record<string, string>
  faultMessage: FaultWording
}

/**
 * `fileId` names the refused file. It is undefined for a fault of the site, and for an obstacle in the network (reason «filtro»).
 * `reason` is undefined for a file that can no longer be read.
 */
export type UploadOutcome =
  | { ok: true }
  | { ok: false; fileId: string | undefined; reason: string | undefined; message: string }

const isDetailed = (error: unknown): error is DetailedError => error instanceof Error && 'originalRequest' in error

/**
 * Returns whether a file can still be read. A phone may withdraw a chosen file, as cloud albums do, and retries would never end.
 */
export const isReadable = (file: File): Promise<boolean> =>
  file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    )

function outcomeOf(error: unknown): RequestOutcome {
  const response = isDetailed(error) ? error.originalResponse : null
  if (!response) return { status: 0 }
  return {
    status: response.getStatus(),
    refusal: refusalOf(response),
    // The library's type excludes null, which browsers return for a missing header.
    requestId: response.getHeader('x-request-id') ?? undefined,
    retryAfterSeconds: parseRetryAfter(response.getHeader('retry-after')),
  }
}

function refusalOf(response: HttpResponse): UploadRefusal | undefined {
  try {
    const body: unknown = JSON.parse(response.getBody())
    if (typeof body !== 'object' || body === null || !('reason' in body) || !('message' in body)) return undefined
    return body as UploadRefusal
  } catch {
    return undefined
  }
}

export const unreadableFileMessage = ({ name }: File): string =>
  `Ya no podemos leer el archivo "${name}". Elígelo otra vez.`

/** Returns whether the site answers. The request has no effects. */
const isSiteAnswering = () =>
  fetch('/periodos', { cache: 'no-store', signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) }).then(
    ({ ok }) => ok,
    () => false,
  )

interface RequestDetails {
  method: string
  /** Position of the request's chunk in the file; undefined without a chunk. */
  offset: number | undefined
}

/** Tries once to send the rest of a file. */
function sendRest<DocumentFile extends FileToUpload>(
  file: DocumentFile,
  { endpoint, headers, metadataOf }: PendingUploads<DocumentFile>,
  progress: UploadProgress,
  signal: AbortSignal,
  { onRequest, onChunk }: { onRequest(lastRequest: RequestDetails): void; onChunk(): void },
): Promise<void> {
  return new Promise((resolve, reject) => {
    let stallTimer: ReturnType<typeof setTimeout>
    const resetStallTimer = () => {
      clearTimeout(stallTimer)
      stallTimer = setTimeout(() => interrupt(new Error('stalled')), STALL_TIMEOUT_MS)
    }
    const finish = (settle: () => void) => {
      clearTimeout(stallTimer)
      signal.removeEventListener('abort', stop)
      removeEventListener('offline', onOffline)
      settle()
    }
    const interrupt = (reason: unknown) =>
      finish(() => {
        void upload.abort()
        reject(reason)
      })
    const stop = () => interrupt(signal.reason)
    const onOffline = () => interrupt(new Error('offline'))

    const upload: Upload = new Upload(file.file, {
      // If the site refuses a resumption and an endpoint is given, the library silently sends the whole file again.
      ...(file.url ? { uploadUrl: file.url } : { endpoint: new URL(endpoint, location.href).href }),
      headers,
      metadata: { ...metadataOf(file), filename: file.file.name, filetype: file.file.type },
      chunkSize: CHUNK_BYTES,
      retryDelays: null,
      storeFingerprintForResuming: false,
      overridePatchMethod: isPatchBlocked,
      onBeforeRequest(request) {
        const offset = request.getHeader('Upload-Offset')
        onRequest({ method: request.getMethod(), offset: offset === undefined ? undefined : Number(offset) })
      },
      onUploadUrlAvailable() {
        resetStallTimer()
        if (upload.url && upload.url !== file.url) {
          file.url = upload.url
          progress.onUploadUrl(file.id, file.url)
        }
      },
      onProgress(sent) {
        resetStallTimer()
        progress.onSent(file.id, sent)
      },
      onChunkComplete() {
        onChunk()
        progress.onWaiting(undefined)
      },
      onSuccess: () => finish(resolve),
      onError: (error) => finish(() => reject(error)),
    })
    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener('abort', stop)
    addEventListener('offline', onOffline)
    resetStallTimer()
    upload.start()
  })
}

/**
 * Uploads one file, however often the connection breaks. A refusal, an unreadable file, a lasting fault of the site, or a machine
 * on the way that blocks every method ends the upload.
 * @throws the signal's reason
 */
async function uploadFile<DocumentFile extends FileToUpload>(
  file: DocumentFile,
  pendingUploads: PendingUploads<DocumentFile>,
  progress: UploadProgress,
  signal: AbortSignal,
): Promise<UploadOutcome> {
  let attempt = 0
  let mostSentBytes = 0
  let faults = NO_FAULTS
  /** Number of requests in a row that ended without an answer of the site and without progress. */
  let fruitlessCount = 0
  /** The file's bytes before this offset have arrived, since a chunk was sent from it. */
  let arrivedOffset = -1
  let lastRequest: RequestDetails = { method: 'POST', offset: undefined }
  const watchedProgress: UploadProgress = {
    ...progress,
    onSent(id, bytes) {
      if (bytes > mostSentBytes) {
        mostSentBytes = bytes
        attempt = 0
      }
      progress.onSent(id, bytes)
    },
  }
  const observers = {
    onChunk() {
      faults = NO_FAULTS
    },
    onRequest(request: RequestDetails) {
      lastRequest = request
      if (request.offset === undefined || request.offset <= arrivedOffset) return
      arrivedOffset = request.offset
      fruitlessCount = 0
    },
  }
  for (;;) {
    try {
      await sendRest(file, pendingUploads, watchedProgress, signal, observers)
      progress.onReceived(file.id)
      return { ok: true }
    } catch (error) {
      signal.throwIfAborted()
      const outcome = outcomeOf(error)
      const { status, retryAfterSeconds } = outcome
      if (status === 0 && !(await isReadable(file.file))) {
        return { ok: false, fileId: file.id, reason: undefined, message: unreadableFileMessage(file.file) }
      }
      const verdict = judgeOutcome(outcome, pendingUploads.faultMessage)
      const isGone = isFromTheSite(outcome) && (status === 404 || status === 410)
      if (!isFromTheSite(outcome) && status !== 429 && navigator.onLine) {
        // A request without a chunk that gets no answer counts only if the site answers another one: the line may be dead.
        const isFruitless = status !== 0 || lastRequest.offset !== undefined || (await isSiteAnswering())
        fruitlessCount = isFruitless ? fruitlessCount + 1 : 0
      }
      if (
        lastRequest.method === 'PATCH' &&
        !isGone &&
        (isBlockedOnTheWay(verdict) || fruitlessCount >= MAX_FRUITLESS_CHUNKS)
      ) {
        isPatchBlocked = true
        fruitlessCount = 0
        continue
      }
      if (
        file.url &&
        (isGone ||
          (lastRequest.method === 'HEAD' && isBlockedOnTheWay(verdict) && fruitlessCount < MAX_FRUITLESS_REQUESTS))
      ) {
        // The upload was swept or began under another submission, or its requests are blocked. The file starts again.
        file.url = undefined
        arrivedOffset = -1
        mostSentBytes = 0
        progress.onUploadUrl(file.id, undefined)
        progress.onSent(file.id, 0)
        await waitBeforeRetry(attempt++, 'retrying', progress, signal)
        continue
      }
      if (
        isBlockedOnTheWay(verdict) ||
        (fruitlessCount >= MAX_FRUITLESS_REQUESTS && (verdict.kind === 'wait' || lastRequest.offset !== undefined))
      )
        return { ok: false, fileId: undefined, reason: FILTER_REFUSAL.reason, message: FILTER_REFUSAL.message }
      if (verdict.kind === 'refusal')
        return { ok: false, fileId: file.id, reason: verdict.reason, message: verdict.message }
      if (verdict.kind === 'wait') {
        await waitBeforeRetry(attempt++, verdict.waitReason, progress, signal, retryAfterSeconds)
        continue
      }
      faults = withFault(faults, performance.now())
      if (mustShowFault(faults, performance.now()))
        return { ok: false, fileId: undefined, reason: 'falla', message: verdict.message }
      await waitBeforeRetry(faults.count - 1, 'fault', progress, signal)
    }
  }
}

/** Uploads two files at a time. The first failure stops all uploads. @throws the signal's reason */
export async function uploadFiles<DocumentFile extends FileToUpload>(
  pendingUploads: PendingUploads<DocumentFile>,
  progress: UploadProgress,
  signal: AbortSignal,
): Promise<UploadOutcome> {
  const queue = [...pendingUploads.files]
  const workersController = new AbortController()
  const stop = () => workersController.abort(signal.reason)
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  let failure: UploadOutcome | undefined
  /** Reason why each worker waits. The page shows a reason only while all workers wait. */
  const reasonByWorker = new Map<number, WaitReason | undefined>()
  const reportWait = () => {
    const reasons = [...reasonByWorker.values()]
    progress.onWaiting(reasons.includes(undefined) ? undefined : reasons[0])
  }
  const runWorker = async (_: unknown, workerNumber: number) => {
    reasonByWorker.set(workerNumber, undefined)
    const onWaiting = (reason: WaitReason | undefined) => {
      reasonByWorker.set(workerNumber, reason)
      reportWait()
    }
    for (let file = queue.shift(); file; file = queue.shift()) {
      const outcome = await uploadFile(file, pendingUploads, { ...progress, onWaiting }, workersController.signal)
      if (!outcome.ok) {
        failure = outcome
        workersController.abort(new DOMException('Another file was refused', 'AbortError'))
        return
      }
    }
    reasonByWorker.delete(workerNumber)
    reportWait()
  }
  await Promise.allSettled(Array.from({ length: MAX_PARALLEL_FILES }).map(runWorker))
  signal.removeEventListener('abort', stop)
  signal.throwIfAborted()
  return failure ?? { ok: true }
}
