import { type DetailedError, type HttpResponse, Upload } from 'tus-js-client'
import type { UploadRefusal } from '#app/core/http/upload-refusals.ts'
import {
  type FaultWording,
  FILTER_REFUSAL,
  isBarred,
  isFromTheSite,
  isToBeSaid,
  judge,
  NO_FAULTS,
  type RequestOutcome,
  readRetryAfter,
  withFalla,
} from './retry-policy.ts'
import { type Progress, waitForTurn } from './retry-wait.client.ts'
import type { Waiting } from './retry-wait.ts'

/**
 * As measured: 60 MB over 5 Mbps with five cuts sends 0.9 % too much (1.2 % with pieces of 256 KB), and at 150 ms of
 * delay takes 9 % longer than the line itself (31 % with 256 KB). A larger piece would be refused by nginx as it comes
 * (client_max_body_size 1m), and lost whole behind a proxy that hands on complete requests only.
 */
const PIECE_BYTES = 1_048_576
const PARALLEL_FILES = 2
/** No byte moved for so long: the connection is dead, whatever the system says. */
const STALL_MS = 30_000
/** Pieces of which nothing arrived, until they are sent by POST; requests of which nothing came, until that is given up. */
const FRUITLESS_PIECES = 2
const FRUITLESS_REQUESTS = 3
const PROBE_MS = 10_000

/** On this page, a piece that was sent by PATCH did not get through. */
let isPatchBarred = false

export interface FileToUpload {
  id: string
  file: File
  /** Where its upload goes on; absent before it began. */
  url: string | undefined
}

/** Files on their way to one address. */
export interface PendingUploads<DocumentFile extends FileToUpload> {
  /** Where uploads begin: a path of this site. */
  endpoint: string
  /** With every request: whose the uploads are. */
  headers: Record<string, string>
  archivos: DocumentFile[]
  /** What is said of a file beside its name and type. */
  metadataOf(file: DocumentFile): Record<string, string>
  falla: FaultWording
}

/** `archivo`: which one is to blame; absent for a fault of ours, and for what is in the way (reason «filtro»), of which no file is. */
export type UploadOutcome =
  | { ok: true }
  | { ok: false; archivo: string | undefined; reason: string | undefined; message: string }

const isDetailed = (error: unknown): error is DetailedError => error instanceof Error && 'originalRequest' in error

/** A phone may take a chosen file back (cloud albums do); trying again would never end. */
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
    rechazo: refusalOf(response),
    // The browser says null for a header that is not there, whatever the library's type says.
    numero: response.getHeader('x-request-id') ?? undefined,
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

export const yaNoSeLee = ({ name }: File): string => `Ya no podemos leer el archivo "${name}". Elígelo otra vez.`

/** Whether the site answers what nothing takes exception to. */
const isThere = () =>
  fetch('/periodos', { cache: 'no-store', signal: AbortSignal.timeout(PROBE_MS) }).then(
    ({ ok }) => ok,
    () => false,
  )

/** A request of an upload, as it left. */
interface RequestDetails {
  method: string
  /** Where the piece that it carries begins; undefined for none. */
  offset: number | undefined
}

/** One attempt to bring a file to its end from wherever it stands. */
function carry<DocumentFile extends FileToUpload>(
  file: DocumentFile,
  { endpoint, headers, metadataOf }: PendingUploads<DocumentFile>,
  progress: Progress,
  signal: AbortSignal,
  { onPedido, onPiece }: { onPedido(requested: RequestDetails): void; onPiece(): void },
): Promise<void> {
  return new Promise((resolve, reject) => {
    let stall: ReturnType<typeof setTimeout>
    const alive = () => {
      clearTimeout(stall)
      stall = setTimeout(() => interrupt(new Error('stalled')), STALL_MS)
    }
    const finish = (settle: () => void) => {
      clearTimeout(stall)
      signal.removeEventListener('abort', stop)
      removeEventListener('offline', cut)
      settle()
    }
    const interrupt = (reason: unknown) =>
      finish(() => {
        void upload.abort()
        reject(reason)
      })
    const stop = () => interrupt(signal.reason)
    const cut = () => interrupt(new Error('offline'))

    const upload: Upload = new Upload(file.file, {
      // Without an endpoint a refused resumption is reported, instead of silently sending everything again.
      ...(file.url ? { uploadUrl: file.url } : { endpoint: new URL(endpoint, location.href).href }),
      headers,
      metadata: { ...metadataOf(file), filename: file.file.name, filetype: file.file.type },
      chunkSize: PIECE_BYTES,
      retryDelays: null,
      storeFingerprintForResuming: false,
      overridePatchMethod: isPatchBarred,
      onBeforeRequest(request) {
        const offset = request.getHeader('Upload-Offset')
        onPedido({ method: request.getMethod(), offset: offset === undefined ? undefined : Number(offset) })
      },
      onUploadUrlAvailable() {
        alive()
        if (upload.url && upload.url !== file.url) {
          file.url = upload.url
          progress.onUrl(file.id, file.url)
        }
      },
      onProgress(sent) {
        alive()
        progress.onSent(file.id, sent)
      },
      onChunkComplete() {
        onPiece()
        progress.onWaiting(undefined)
      },
      onSuccess: () => finish(resolve),
      onError: (error) => finish(() => reject(error)),
    })
    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener('abort', stop)
    addEventListener('offline', cut)
    alive()
    upload.start()
  })
}

/** Brings one file up, however often the connection breaks. A fault of ours ends it, if it does not pass. */
async function uploadFile<DocumentFile extends FileToUpload>(
  file: DocumentFile,
  pendingUploads: PendingUploads<DocumentFile>,
  progress: Progress,
  signal: AbortSignal,
): Promise<UploadOutcome> {
  let attempt = 0
  let furthest = 0
  let faults = NO_FAULTS
  /** Requests in a row that ended without a word of the site's, with nothing arrived. */
  let fruitless = 0
  let arrived = -1
  let requested: RequestDetails = { method: 'POST', offset: undefined }
  const watched: Progress = {
    ...progress,
    onSent(id, bytes) {
      if (bytes > furthest) {
        furthest = bytes
        attempt = 0
      }
      progress.onSent(id, bytes)
    },
  }
  const seen = {
    onPiece() {
      faults = NO_FAULTS
    },
    onPedido(now: RequestDetails) {
      requested = now
      if (now.offset === undefined || now.offset <= arrived) return
      arrived = now.offset
      fruitless = 0
    },
  }
  for (;;) {
    try {
      await carry(file, pendingUploads, watched, signal, seen)
      progress.onReceived(file.id)
      return { ok: true }
    } catch (error) {
      signal.throwIfAborted()
      const outcome = outcomeOf(error)
      const { status, retryAfterSeconds } = outcome
      if (status === 0 && !(await isReadable(file.file))) {
        return { ok: false, archivo: file.id, reason: undefined, message: yaNoSeLee(file.file) }
      }
      const verdict = judge(outcome, pendingUploads.falla)
      const isGone = isFromTheSite(outcome) && (status === 404 || status === 410)
      if (!isFromTheSite(outcome) && status !== 429 && navigator.onLine) {
        // Before a piece the site has answered. Of a line that is cut altogether nothing is concluded.
        const isOnlyThis = status !== 0 || requested.offset !== undefined || (await isThere())
        fruitless = isOnlyThis ? fruitless + 1 : 0
      }
      if (requested.method === 'PATCH' && !isGone && (isBarred(verdict) || fruitless >= FRUITLESS_PIECES)) {
        isPatchBarred = true
        fruitless = 0
        continue
      }
      if (
        file.url &&
        (isGone || (requested.method === 'HEAD' && isBarred(verdict) && fruitless < FRUITLESS_REQUESTS))
      ) {
        // Swept away, begun under another entrega, or not to be asked for from here: this file starts again.
        file.url = undefined
        arrived = -1
        furthest = 0
        progress.onUrl(file.id, undefined)
        progress.onSent(file.id, 0)
        await waitForTurn(attempt++, 'reintentando', progress, signal)
        continue
      }
      if (
        isBarred(verdict) ||
        (fruitless >= FRUITLESS_REQUESTS && (verdict.que === 'espera' || requested.offset !== undefined))
      )
        return { ok: false, archivo: undefined, reason: FILTER_REFUSAL.reason, message: FILTER_REFUSAL.message }
      if (verdict.que === 'rechazo')
        return { ok: false, archivo: file.id, reason: verdict.reason, message: verdict.message }
      if (verdict.que === 'espera') {
        await waitForTurn(attempt++, verdict.espera, progress, signal, retryAfterSeconds)
        continue
      }
      faults = withFalla(faults, performance.now())
      if (isToBeSaid(faults, performance.now()))
        return { ok: false, archivo: undefined, reason: 'falla', message: verdict.message }
      await waitForTurn(faults.count - 1, 'falla', progress, signal)
    }
  }
}

/** Two files at a time; the first refusal stops the rest where they are. */
export async function uploadFiles<DocumentFile extends FileToUpload>(
  pendingUploads: PendingUploads<DocumentFile>,
  progress: Progress,
  signal: AbortSignal,
): Promise<UploadOutcome> {
  const queue = [...pendingUploads.archivos]
  const rest = new AbortController()
  const stop = () => rest.abort(signal.reason)
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  let refusal: UploadOutcome = { ok: true }
  /** Why each of those at work waits: nothing moves while all of them do, whichever was told so last. */
  const waits = new Map<number, Waiting | undefined>()
  const say = () => {
    const whys = [...waits.values()]
    progress.onWaiting(whys.includes(undefined) ? undefined : whys[0])
  }
  const work = async (_: unknown, at: number) => {
    waits.set(at, undefined)
    const onWaiting = (why: Waiting | undefined) => {
      waits.set(at, why)
      say()
    }
    for (let next = queue.shift(); next; next = queue.shift()) {
      const outcome = await uploadFile(next, pendingUploads, { ...progress, onWaiting }, rest.signal)
      if (!outcome.ok) {
        refusal = outcome
        rest.abort(new DOMException('Another file was refused', 'AbortError'))
        return
      }
    }
    waits.delete(at)
    say()
  }
  await Promise.allSettled(Array.from({ length: PARALLEL_FILES }).map(work))
  signal.removeEventListener('abort', stop)
  signal.throwIfAborted()
  return refusal
}
