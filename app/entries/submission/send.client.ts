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
  type RequestOutcome,
  readRetryAfter,
  type Verdict,
  withFault,
} from '#app/core/uploads/retry-policy.ts'
import { waitBeforeRetry } from '#app/core/uploads/retry-wait.client.ts'
import type { UploadProgress } from '#app/core/uploads/upload-progress.ts'
import type { DocumentKind, VoterCardSide } from '#app/entries/definitions/document-kinds.ts'
import { type FolioResult, type RefusalReason, type RegistrationResult, registrationFault } from './schema.ts'

/** A request that has sent no byte for this long and has no answer is given up and tried again. */
const ANSWER_MS = 60_000
/** These refusals pass by themselves, and the form was not examined; it is sent again. */
const NO_ANSWER: ReadonlySet<RefusalReason> = new Set(['guardando', 'falla', 'limite', 'saturado'])
const ALL_UPLOADED = { ok: true } as const

interface DocumentToUpload extends FileToUpload {
  kind: DocumentKind
  side: VoterCardSide | undefined
}

export interface Sending {
  submissionId: string
  files: DocumentToUpload[]
  /** A requested document is sent with its entry's folio. */
  folio?: string
  /** The form is posted to this path. */
  destination: string
  /** The values are read once the files are uploaded, so that corrections until then count. */
  readValues: () => Record<string, string>
}

export type SendOutcome<Result> =
  | { status: 'answered'; result: Result }
  /**
   * No registration was examined: a file was refused (the others keep their uploads), or the request was, or a fault of the
   * site did not pass (reason «falla», its number in the message).
   */
  | { status: 'refused'; fileId: string | undefined; reason: RefusalReason | undefined; message: string }
  /** The uploader could not be loaded (a new version of the site, a meddling proxy); the caller must post the plain form. */
  | { status: 'noUploader' }
  /** The signal aborted the sending; uploaded bytes stay, and the next call resumes. */
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
      faultMessage: registrationFault,
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

/** Builds the form with its files, as a browser without JavaScript posts it, since filters are least likely to block that. */
function wholeFormOf({ submissionId, files, readValues }: Sending) {
  const form = new FormData()
  for (const [name, value] of Object.entries({ entrega: submissionId, ...readValues() })) form.set(name, value)
  for (const { kind, file } of files) form.append(kind, file, file.name)
  return form
}

/**
 * Posts the form once, and returns the site's result or the outcome of the request, whose wait may pass.
 * @param onSent called with the bytes of the body sent so far
 */
async function post<Result extends RegistrationResult | FolioResult>(
  destination: string,
  body: URLSearchParams | FormData,
  onSent: (bytes: number) => void,
  signal: AbortSignal,
): Promise<{ result: Result } | { outcome: RequestOutcome }> {
  const response = await sendRequest(destination, body, onSent, signal)
  const outcome: RequestOutcome = {
    status: response.status,
    requestId: response.getResponseHeader('x-request-id') ?? undefined,
    retryAfterSeconds: readRetryAfter(response.getResponseHeader('retry-after')),
  }
  const result = resultOf<Result>(response)
  if (!result) return { outcome }
  if (result.ok || !NO_ANSWER.has(result.reason)) return { result }
  const isBusy = response.status === 429
  // A process that is storing the form is soon done; its minute of `retry-after` is for forms without JavaScript.
  const retryAfterSeconds = isBusy ? outcome.retryAfterSeconds : undefined
  return { outcome: { ...outcome, refusal: result, retryAfterSeconds } }
}

/** Parses the site's result; undefined for another answer, such as a proxy's page or half an answer. */
function resultOf<Result>(response: XMLHttpRequest): Result | undefined {
  try {
    const parsed: unknown = JSON.parse(response.responseText)
    return typeof parsed === 'object' && parsed !== null && 'ok' in parsed ? (parsed as Result) : undefined
  } catch {
    return undefined
  }
}

/** Posts by XMLHttpRequest, since fetch does not report upload progress. Without an answer the status is 0. */
const sendRequest = (
  destination: string,
  body: URLSearchParams | FormData,
  onSent: (bytes: number) => void,
  signal: AbortSignal,
) =>
  new Promise<XMLHttpRequest>((resolve) => {
    const xhr = new XMLHttpRequest()
    const stop = () => xhr.abort()
    let timer = setTimeout(stop, ANSWER_MS)
    xhr.upload.onprogress = ({ loaded }) => {
      clearTimeout(timer)
      timer = setTimeout(stop, ANSWER_MS)
      onSent(loaded)
    }
    xhr.onloadend = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      resolve(xhr)
    }
    signal.addEventListener('abort', stop)
    xhr.open('POST', destination)
    xhr.send(body)
  })

/**
 * Sends a registration, or one requested document: its files, then its data. Retries for as long as the page is open, and keeps
 * the screen on meanwhile. After a lost answer the form is posted again under the same submission id, which serves as
 * idempotency key. A fault of the site is returned as a refusal if it does not pass (`judgeOutcome` in retry-policy.ts).
 * @throws the signal's reason once it is aborted
 */
export async function sendRegistration<Result extends RegistrationResult | FolioResult>(
  sending: Sending,
  progress: UploadProgress,
  signal: AbortSignal,
): Promise<SendOutcome<Result>> {
  const letSleep = stayAwake()
  try {
    return await sendUntilAnswered<Result>(sending, progress, signal)
  } finally {
    letSleep()
  }
}

async function sendUntilAnswered<Result extends RegistrationResult | FolioResult>(
  sending: Sending,
  progress: UploadProgress,
  signal: AbortSignal,
): Promise<SendOutcome<Result>> {
  let faults = NO_FAULTS
  let mayBeStored = false
  let isWhole = false
  const refusalOf = ({ reason, message }: { reason: string | undefined; message: string }, file?: string) =>
    ({ status: 'refused', fileId: file, reason: reason as RefusalReason | undefined, message }) as const
  for (let waitCount = 0; ; ) {
    // A fault of the site may have lost the uploads, so uploadAll checks them first. If only a proxy in front of the site
    // answered, the form may have been stored and its uploads removed, so the form alone is posted.
    const upload: UploadOutcome = mayBeStored ? ALL_UPLOADED : await uploadAll(sending, progress, signal)
    // A filter that blocks chunked uploads may let a form with its files through.
    if (!mayBeStored) isWhole = !upload.ok && upload.reason === FILTER_REFUSAL.reason
    if (!upload.ok && !isWhole) return refusalOf(upload, upload.fileId)
    const answer: SendAnswer<Result> = await (isWhole
      ? postWholeForm<Result>(sending, progress, signal)
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
  | (Verdict & { retryAfterSeconds?: number | undefined })
  | { kind: 'ilegible'; fileId: string; message: string }

/** Posts the form until an answer comes; no file is uploaded anew meanwhile, since the form may have been stored. */
async function postUntilAnswered<Result extends RegistrationResult | FolioResult>(
  sending: Sending,
  progress: UploadProgress,
  signal: AbortSignal,
): Promise<{ result: Result } | Exclude<Verdict, { kind: 'espera' }>> {
  for (let attempt = 0; ; attempt++) {
    signal.throwIfAborted()
    const answer = await post<Result>(sending.destination, formOf(sending), () => {}, signal)
    signal.throwIfAborted()
    if ('result' in answer) return answer
    const verdict = judgeOutcome(answer.outcome, registrationFault)
    if (verdict.kind !== 'wait') return verdict
    await waitBeforeRetry(attempt, verdict.waitReason, progress, signal, answer.outcome.retryAfterSeconds)
  }
}

/** Posts the form with its files once. The caller tries chunks again after a cut, since chunks may get through by then. */
async function postWholeForm<Result extends RegistrationResult | FolioResult>(
  sending: Sending,
  progress: UploadProgress,
  signal: AbortSignal,
): Promise<SendAnswer<Result>> {
  for (const { id, file } of sending.files)
    if (!(await isReadable(file))) return { kind: 'ilegible', fileId: id, message: unreadableFileMessage(file) }
  progress.onWaiting('whole')
  const tell = (sent: number) => {
    let before = 0
    for (const { id, file } of sending.files) {
      progress.onSent(id, Math.max(0, Math.min(sent - before, file.size)))
      before += file.size
    }
  }
  const answer = await post<Result>(sending.destination, wholeFormOf(sending), tell, signal)
  signal.throwIfAborted()
  if ('result' in answer) return answer
  const verdict = judgeOutcome(answer.outcome, registrationFault)
  const { status, retryAfterSeconds } = answer.outcome
  // Where the plain form gets no answer either, the wait names the filter.
  return status === 0 ? { kind: 'wait', waitReason: 'blocked' } : { ...verdict, retryAfterSeconds }
}

/** Keeps the screen on where the browser can, since a sleeping phone stops sending. @returns a function that ends this */
function stayAwake(): () => void {
  let lock: Promise<WakeLockSentinel | undefined> | undefined
  // The system releases the lock whenever the page is hidden, so the lock is requested anew.
  const ask = () => {
    if (document.visibilityState === 'visible') lock = navigator.wakeLock?.request('screen').catch(() => undefined)
  }
  ask()
  document.addEventListener('visibilitychange', ask)
  return () => {
    document.removeEventListener('visibilitychange', ask)
    void lock?.then((wakeLock) => wakeLock?.release())
  }
}
