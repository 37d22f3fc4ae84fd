import { MINUTE_MS } from '#app/core/time/durations.ts'
import { ownerHeader } from '#app/core/uploads/drop-upload.client.ts'
import {
  type FileToUpload,
  isReadable,
  type UploadOutcome,
  unreadableFileMessage,
  uploadFiles,
} from '#app/core/uploads/resumable-upload.client.ts'
import {
  FILTER_REFUSAL,
  judgeOutcome,
  mustShowFault,
  NO_FAULTS,
  parseRetryAfter,
  type RequestOutcome,
  type RetryVerdict,
  withFault,
} from '#app/core/uploads/retry-policy.ts'
import { waitBeforeRetry } from '#app/core/uploads/retry-wait.client.ts'
import type { UploadProgress } from '#app/core/uploads/upload-progress.ts'
import type { DocumentKind, VoterCardSide } from '#app/entries/definitions/document-kinds.ts'
import { type FolioResult, faultMessageOf, type RefusalReason, type RegistrationResult } from './schema.ts'

/** A request of the form is aborted and repeated after this time without a sent byte or an answer. */
const IDLE_TIMEOUT_MS = MINUTE_MS
/** Reasons that pass, so that a form that was refused for one of them is sent again. */
const TEMPORARY_REASONS: ReadonlySet<RefusalReason> = new Set(['guardando', 'falla', 'limite', 'saturado'])
const ALL_UPLOADED = { ok: true } as const

interface DocumentToUpload extends FileToUpload {
  kind: DocumentKind
  side: VoterCardSide | undefined
}

export interface Sending {
  submissionId: string
  files: DocumentToUpload[]
  /** Folio of the entry, for a requested document. */
  folio?: string
  /** Path to which the form is posted. */
  destination: string
  /** Called whenever the form is posted, so that corrections until then count. */
  readValues: () => Record<string, string>
}

export type SendOutcome<Result> =
  | { status: 'answered'; result: Result }
  /**
   * The site gave no final answer to the form: a file (`fileId`) is unreadable or was refused, the request was refused or
   * blocked, or a fault of the site persists (reason `falla`). Finished uploads stay.
   */
  | { status: 'refused'; fileId: string | undefined; reason: RefusalReason | undefined; message: string }
  /** The uploader could not be loaded, as after an update of the site; the caller must post the form without JavaScript. */
  | { status: 'noUploader' }
  /** The signal aborted the sending; uploaded bytes stay, so that the next call resumes. */
  | { status: 'stopped' }

const uploadAll = (
  { submissionId, files, folio }: Sending,
  progress: UploadProgress,
  signal: AbortSignal,
): Promise<UploadOutcome> =>
  uploadFiles(
    {
      endpoint: '/subidas',
      headers: ownerHeader(submissionId),
      files,
      metadataOf: ({ kind, side }) => ({ clase: kind, ...(side ? { lado: side } : {}), ...(folio ? { folio } : {}) }),
      faultMessage: faultMessageOf,
    },
    progress,
    signal,
  )

function formOf({ submissionId, files, readValues }: Sending) {
  const documents: Partial<Record<DocumentKind, string[]>> = {}
  for (const { kind, url } of files) {
    documents[kind] ??= []
    documents[kind].push(new URL(url!, location.href).pathname.split('/').at(-1)!)
  }
  return new URLSearchParams({ ...readValues(), entrega: submissionId, documentos: JSON.stringify(documents) })
}

/** Builds the form with its files, as a browser without JavaScript posts it, since filters are least likely to block it. */
function formWithFilesOf({ submissionId, files, readValues }: Sending) {
  const form = new FormData()
  for (const [name, value] of Object.entries({ entrega: submissionId, ...readValues() })) form.set(name, value)
  for (const { kind, file } of files) form.append(kind, file, file.name)
  return form
}

/**
 * Posts the form once. Returns the site's result or, without a final one, the request's outcome for `judgeOutcome`.
 * @param onSent called with the number of bytes of the body that were sent so far
 * @throws the signal's reason if it is aborted, before the request or during it
 */
async function post<Result extends RegistrationResult | FolioResult>(
  destination: string,
  body: URLSearchParams | FormData,
  onSent: (sentBytes: number) => void,
  signal: AbortSignal,
): Promise<{ result: Result } | { outcome: RequestOutcome }> {
  signal.throwIfAborted()
  const response = await sendRequest(destination, body, onSent, signal)
  signal.throwIfAborted()
  const outcome: RequestOutcome = {
    status: response.status,
    requestId: response.getResponseHeader('x-request-id') ?? undefined,
    retryAfterSeconds: parseRetryAfter(response.getResponseHeader('retry-after')),
  }
  const result = parseResult<Result>(response)
  if (!result) return { outcome }
  if (result.ok || !TEMPORARY_REASONS.has(result.reason)) return { result }
  // For `guardando`, the minute of `retry-after` is for forms without JavaScript: the process that stores the form is soon done.
  const retryAfterSeconds = response.status === 429 ? outcome.retryAfterSeconds : undefined
  return { outcome: { ...outcome, refusal: result, retryAfterSeconds } }
}

/** Parses the site's result; undefined for another answer, such as a proxy's page or a truncated answer. */
function parseResult<Result>(response: XMLHttpRequest): Result | undefined {
  try {
    const body: unknown = JSON.parse(response.responseText)
    return typeof body === 'object' && body !== null && 'ok' in body ? (body as Result) : undefined
  } catch {
    return undefined
  }
}

/** Posts by XMLHttpRequest, since fetch does not report upload progress. The status is 0 without an answer. */
const sendRequest = (
  destination: string,
  body: URLSearchParams | FormData,
  onSent: (sentBytes: number) => void,
  signal: AbortSignal,
) =>
  new Promise<XMLHttpRequest>((resolve) => {
    const xhr = new XMLHttpRequest()
    const abort = () => xhr.abort()
    let timer = setTimeout(abort, IDLE_TIMEOUT_MS)
    xhr.upload.onprogress = ({ loaded }) => {
      clearTimeout(timer)
      timer = setTimeout(abort, IDLE_TIMEOUT_MS)
      onSent(loaded)
    }
    xhr.onloadend = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      resolve(xhr)
    }
    signal.addEventListener('abort', abort)
    xhr.open('POST', destination)
    xhr.send(body)
  })

/**
 * Sends a registration, or a requested document: first its files, then its form. Retries by `judgeOutcome`, and keeps the screen on
 * meanwhile. After a lost answer the form is posted again under the same submission id, which is the idempotency key. A persistent
 * fault of the site is returned as a refusal (`mustShowFault` in retry-policy.ts).
 * @throws the signal's reason once it is aborted
 */
export async function sendRegistration<Result extends RegistrationResult | FolioResult>(
  sending: Sending,
  progress: UploadProgress,
  signal: AbortSignal,
): Promise<SendOutcome<Result>> {
  const releaseWakeLock = keepScreenOn()
  try {
    return await sendUntilAnswered<Result>(sending, progress, signal)
  } finally {
    releaseWakeLock()
  }
}

async function sendUntilAnswered<Result extends RegistrationResult | FolioResult>(
  sending: Sending,
  progress: UploadProgress,
  signal: AbortSignal,
): Promise<SendOutcome<Result>> {
  let faults = NO_FAULTS
  let mayBeStored = false
  let isWithFiles = false
  const refusalOf = ({ reason, message }: { reason: string | undefined; message: string }, fileId?: string) =>
    ({ status: 'refused', fileId, reason: reason as RefusalReason | undefined, message }) as const
  for (let waitCount = 0; ; ) {
    // After a fault of the site the uploads may be lost, so uploadAll checks them. If only a proxy in front of the site answered,
    // the form may have been stored and its uploads removed, so the form alone is posted.
    const upload: UploadOutcome = mayBeStored ? ALL_UPLOADED : await uploadAll(sending, progress, signal)
    // A filter that blocks chunked uploads may let a form with its files through.
    if (!mayBeStored) isWithFiles = !upload.ok && upload.reason === FILTER_REFUSAL.reason
    if (!upload.ok && !isWithFiles) return refusalOf(upload, upload.fileId)
    const answer: SendAnswer<Result> = await (isWithFiles
      ? postWithFiles<Result>(sending, progress, signal)
      : postUntilAnswered<Result>(sending, progress, signal))
    if ('result' in answer) return { status: 'answered', result: answer.result }
    if (answer.kind === 'refusal') return refusalOf(answer)
    if (answer.kind === 'ilegible') return refusalOf({ reason: undefined, message: answer.message }, answer.fileId)
    if (answer.kind === 'wait') {
      mayBeStored = false
      await waitBeforeRetry(waitCount++, answer.waitReason, progress, signal, answer.retryAfterSeconds)
      continue
    }
    faults = withFault(faults, performance.now())
    if (mustShowFault(faults, performance.now())) return refusalOf({ reason: 'falla', message: answer.message })
    mayBeStored = !answer.isOfTheSite
    await waitBeforeRetry(faults.count - 1, 'fault', progress, signal)
  }
}

type SendAnswer<Result> =
  | { result: Result }
  | (RetryVerdict & { retryAfterSeconds?: number | undefined })
  | { kind: 'ilegible'; fileId: string; message: string }

/**
 * Posts the form until it gets a result, or a verdict other than `wait`. No file is uploaded anew meanwhile, since the form may
 * have been stored.
 */
async function postUntilAnswered<Result extends RegistrationResult | FolioResult>(
  sending: Sending,
  progress: UploadProgress,
  signal: AbortSignal,
): Promise<{ result: Result } | Exclude<RetryVerdict, { kind: 'wait' }>> {
  for (let attempt = 0; ; attempt++) {
    const answer = await post<Result>(sending.destination, formOf(sending), () => {}, signal)
    if ('result' in answer) return answer
    const verdict = judgeOutcome(answer.outcome, faultMessageOf)
    if (verdict.kind !== 'wait') return verdict
    await waitBeforeRetry(attempt, verdict.waitReason, progress, signal, answer.outcome.retryAfterSeconds)
  }
}

/**
 * Posts the form with its files once, unless a file cannot be read (`ilegible`). After the verdict `wait`, the caller tries
 * chunks again, which may get through by then.
 */
async function postWithFiles<Result extends RegistrationResult | FolioResult>(
  sending: Sending,
  progress: UploadProgress,
  signal: AbortSignal,
): Promise<SendAnswer<Result>> {
  for (const { id, file } of sending.files)
    if (!(await isReadable(file))) return { kind: 'ilegible', fileId: id, message: unreadableFileMessage(file) }
  progress.onWaiting('whole')
  const reportProgress = (sentBytes: number) => {
    let precedingBytes = 0
    for (const { id, file } of sending.files) {
      progress.onSent(id, Math.max(0, Math.min(sentBytes - precedingBytes, file.size)))
      precedingBytes += file.size
    }
  }
  const answer = await post<Result>(sending.destination, formWithFilesOf(sending), reportProgress, signal)
  if ('result' in answer) return answer
  const verdict = judgeOutcome(answer.outcome, faultMessageOf)
  const { status, retryAfterSeconds } = answer.outcome
  // If the form with files gets no answer either, the filter is named as the reason of the wait.
  return status === 0 ? { kind: 'wait', waitReason: 'blocked' } : { ...verdict, retryAfterSeconds }
}

/**
 * Keeps the screen on if the browser can, since a sleeping phone stops sending.
 * @returns a function that lets the screen turn off again
 */
function keepScreenOn(): () => void {
  let lock: Promise<WakeLockSentinel | undefined> | undefined
  // The system releases the lock when the page is hidden, so the lock is requested anew when it is visible again.
  const requestLock = () => {
    if (document.visibilityState === 'visible') lock = navigator.wakeLock?.request('screen').catch(() => undefined)
  }
  requestLock()
  document.addEventListener('visibilitychange', requestLock)
  return () => {
    document.removeEventListener('visibilitychange', requestLock)
    void lock?.then((wakeLock) => wakeLock?.release())
  }
}
