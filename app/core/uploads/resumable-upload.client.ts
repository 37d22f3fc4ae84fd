import { type DetailedError, type HttpResponse, Upload } from 'tus-js-client'
import type { UploadRefusal } from '#app/core/http/upload-refusals.ts'
import { PIECE_BYTES } from './piece-size.ts'
import {
  type FaultWording,
  FILTER_REFUSAL,
  isBlockedOnTheWay,
  isFromTheSite,
  judge,
  mustShowFault,
  NO_FAULTS,
  type RequestOutcome,
  readRetryAfter,
  withFault,
} from './retry-policy.ts'
import { waitBeforeRetry } from './retry-wait.client.ts'
import type { WaitReason } from './retry-wait.ts'
import type { UploadProgress } from './upload-progress.ts'

const PARALLEL_FILES = 2
/** After this long without progress the connection counts as dead, even if the system disagrees. */
const STALL_MS = 30_000
/**
 * POST replaces PATCH after FRUITLESS_CHUNKS chunks without progress; the upload is given up after FRUITLESS_REQUESTS requests
 * without progress.
 */
const FRUITLESS_CHUNKS = 2
const FRUITLESS_REQUESTS = 3
const PROBE_MS = 10_000

/** A chunk sent by PATCH did not get through on this page, so further chunks go by POST. */
let isPatchBlocked = false

export interface FileToUpload {
  id: string
  file: File
  /** The upload resumes at this address; absent before the upload began. */
  url: string | undefined
}

/** These files are to be sent to one address. */
export interface PendingUploads<DocumentFile extends FileToUpload> {
  /** Uploads begin at this path of the site. */
  endpoint: string
  /** The headers go with every request, and name the owner of the uploads. */
  headers: Record<string, string>
  files: DocumentFile[]
  /** Returns facts about a file beside its name and type. */
  metadataOf(file: DocumentFile): Record<string, string>
  faultMessage: FaultWording
}

/**
 * `fileId` names the file to blame; it is absent for a fault of the site, and for an obstacle in the network (reason «filtro»).
 */
export type UploadOutcome =
  | { ok: true }
  | { ok: false; fileId: string | undefined; reason: string | undefined; message: string }

const isDetailed = (error: unknown): error is DetailedError => error instanceof Error && 'originalRequest' in error

/**
 * Returns whether a file can still be read: a phone may take a chosen file back (cloud albums do), and trying again would never
 * end.
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
    // The browser returns null for a missing header, although the library's type excludes it.
    requestId: response.getHeader('x-request-id') ?? undefined,
    retryAfterSeconds: readRetryAfter(response.getHeader('retry-after')),
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

/** Returns whether the site answers a harmless request. */
const isSiteAnswering = () =>
  fetch('/periodos', { cache: 'no-store', signal: AbortSignal.timeout(PROBE_MS) }).then(
    ({ ok }) => ok,
    () => false,
  )

/** These details describe a request of an upload, as sent. */
interface RequestDetails {
  method: string
  /** The request's chunk begins here; undefined without a chunk. */
  offset: number | undefined
}

/** Makes one attempt to send the rest of a file. */
function sendRest<DocumentFile extends FileToUpload>(
  file: DocumentFile,
  { endpoint, headers, metadataOf }: PendingUploads<DocumentFile>,
  progress: UploadProgress,
  signal: AbortSignal,
  { onRequest, onChunk }: { onRequest(lastRequest: RequestDetails): void; onChunk(): void },
): Promise<void> {
  return new Promise((resolve, reject) => {
    let stall: ReturnType<typeof setTimeout>
    const resetStall = () => {
      clearTimeout(stall)
      stall = setTimeout(() => interrupt(new Error('stalled')), STALL_MS)
    }
    const finish = (settle: () => void) => {
      clearTimeout(stall)
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
      // Without an endpoint, a refused resumption is reported; with one, the library would silently send everything again.
      ...(file.url ? { uploadUrl: file.url } : { endpoint: new URL(endpoint, location.href).href }),
      headers,
      metadata: { ...metadataOf(file), filename: file.file.name, filetype: file.file.type },
      chunkSize: PIECE_BYTES,
      retryDelays: null,
      storeFingerprintForResuming: false,
      overridePatchMethod: isPatchBlocked,
      onBeforeRequest(request) {
        const offset = request.getHeader('Upload-Offset')
        onRequest({ method: request.getMethod(), offset: offset === undefined ? undefined : Number(offset) })
      },
      onUploadUrlAvailable() {
        resetStall()
        if (upload.url && upload.url !== file.url) {
          file.url = upload.url
          progress.onUploadUrl(file.id, file.url)
        }
      },
      onProgress(sent) {
        resetStall()
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
    resetStall()
    upload.start()
  })
}

/** Uploads one file, over any number of broken connections. A fault of the site that does not pass ends the upload. */
async function uploadFile<DocumentFile extends FileToUpload>(
  file: DocumentFile,
  pendingUploads: PendingUploads<DocumentFile>,
  progress: UploadProgress,
  signal: AbortSignal,
): Promise<UploadOutcome> {
  let attempt = 0
  let furthest = 0
  let faults = NO_FAULTS
  /** Counts requests in a row that ended without an answer of the site and without progress. */
  let fruitlessCount = 0
  let arrivedOffset = -1
  let lastRequest: RequestDetails = { method: 'POST', offset: undefined }
  const watchedProgress: UploadProgress = {
    ...progress,
    onSent(id, bytes) {
      if (bytes > furthest) {
        furthest = bytes
        attempt = 0
      }
      progress.onSent(id, bytes)
    },
  }
  const observers = {
    onChunk() {
      faults = NO_FAULTS
    },
    onRequest(now: RequestDetails) {
      lastRequest = now
      if (now.offset === undefined || now.offset <= arrivedOffset) return
      arrivedOffset = now.offset
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
      const verdict = judge(outcome, pendingUploads.faultMessage)
      const isGone = isFromTheSite(outcome) && (status === 404 || status === 410)
      if (!isFromTheSite(outcome) && status !== 429 && navigator.onLine) {
        // The site answered before this chunk, so only the chunk is held back. A request that fails on a dead line proves
        // nothing.
        const isChunkBlocked = status !== 0 || lastRequest.offset !== undefined || (await isSiteAnswering())
        fruitlessCount = isChunkBlocked ? fruitlessCount + 1 : 0
      }
      if (
        lastRequest.method === 'PATCH' &&
        !isGone &&
        (isBlockedOnTheWay(verdict) || fruitlessCount >= FRUITLESS_CHUNKS)
      ) {
        isPatchBlocked = true
        fruitlessCount = 0
        continue
      }
      if (
        file.url &&
        (isGone || (lastRequest.method === 'HEAD' && isBlockedOnTheWay(verdict) && fruitlessCount < FRUITLESS_REQUESTS))
      ) {
        // The upload was swept away, began under another submission, or may not be asked for from here: this file starts again.
        file.url = undefined
        arrivedOffset = -1
        furthest = 0
        progress.onUploadUrl(file.id, undefined)
        progress.onSent(file.id, 0)
        await waitBeforeRetry(attempt++, 'retrying', progress, signal)
        continue
      }
      if (
        isBlockedOnTheWay(verdict) ||
        (fruitlessCount >= FRUITLESS_REQUESTS && (verdict.kind === 'wait' || lastRequest.offset !== undefined))
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

/** Uploads two files at a time; the first refusal stops the rest where they are. */
export async function uploadFiles<DocumentFile extends FileToUpload>(
  pendingUploads: PendingUploads<DocumentFile>,
  progress: UploadProgress,
  signal: AbortSignal,
): Promise<UploadOutcome> {
  const queue = [...pendingUploads.files]
  const rest = new AbortController()
  const stop = () => rest.abort(signal.reason)
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  let refusal: UploadOutcome = { ok: true }
  /** Each worker waits for the reason given here. The person is told only while all workers wait. */
  const waitReasons = new Map<number, WaitReason | undefined>()
  const reportWait = () => {
    const reasons = [...waitReasons.values()]
    progress.onWaiting(reasons.includes(undefined) ? undefined : reasons[0])
  }
  const work = async (_: unknown, at: number) => {
    waitReasons.set(at, undefined)
    const onWaiting = (reason: WaitReason | undefined) => {
      waitReasons.set(at, reason)
      reportWait()
    }
    for (let next = queue.shift(); next; next = queue.shift()) {
      const outcome = await uploadFile(next, pendingUploads, { ...progress, onWaiting }, rest.signal)
      if (!outcome.ok) {
        refusal = outcome
        rest.abort(new DOMException('Another file was refused', 'AbortError'))
        return
      }
    }
    waitReasons.delete(at)
    reportWait()
  }
  await Promise.allSettled(Array.from({ length: PARALLEL_FILES }).map(work))
  signal.removeEventListener('abort', stop)
  signal.throwIfAborted()
  return refusal
}
