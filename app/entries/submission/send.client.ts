import {
  type FileToUpload,
  isReadable,
  type UploadOutcome,
  unreadableFileMessage,
  uploadFiles,
} from '#app/core/uploads/resumable-upload.client.ts'
import {
  FILTER_REFUSAL,
  isToBeSaid,
  judge,
  NO_FAULTS,
  type RequestOutcome,
  readRetryAfter,
  type Verdict,
  withFault,
} from '#app/core/uploads/retry-policy.ts'
import { type Progress, waitForTurn } from '#app/core/uploads/retry-wait.client.ts'
import type { DocumentKind, VoterCardSide } from '#app/entries/definitions/document-kinds.ts'
import { type FolioResult, type RefusalReason, type RegistrationResult, registrationFault } from './schema.ts'
import { ownerOf } from './upload.client.ts'

/** Longest wait for an answer after the last byte was sent. */
const ANSWER_MS = 60_000
/** Refusals that pass by themselves: the form was not examined yet. */
const NO_ANSWER: ReadonlySet<RefusalReason> = new Set(['guardando', 'falla', 'limite', 'saturado'])
const ALL_UPLOADED = { ok: true } as const

interface DocumentToUpload extends FileToUpload {
  kind: DocumentKind
  side: VoterCardSide | undefined
}

export interface Sending {
  submissionId: string
  files: DocumentToUpload[]
  /** Folio of the entry, when a requested document is sent. */
  folio?: string
  /** Path to which the form is posted. */
  destination: string
  /** Read once the files are uploaded: later corrections count. */
  readValues: () => Record<string, string>
}

export type SendOutcome<Result> =
  | { status: 'respuesta'; result: Result }
  /**
   * Refused before any registration was examined: one file was refused (the others keep their uploads), or the request, or a
   * fault of the site did not pass (reason «falla», its number in the message).
   */
  | { status: 'rechazo'; fileId: string | undefined; reason: RefusalReason | undefined; message: string }
  /** The uploader could not be loaded (a new version of the site, a meddling proxy): the plain form takes over. */
  | { status: 'sinCargador' }
  /** Aborted by the signal: uploaded bytes stay, and the next call resumes. */
  | { status: 'detenido' }

const uploadAll = (
  { submissionId, files, folio }: Sending,
  progress: Progress,
  signal: AbortSignal,
): Promise<UploadOutcome> =>
  uploadFiles(
    {
      endpoint: '/subidas',
      headers: ownerOf(submissionId),
      files,
      metadataOf: ({ kind, side }) => ({ clase: kind, ...(side ? { lado: side } : {}), ...(folio ? { folio } : {}) }),
      falla: registrationFault,
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

/** The form with its files, as a browser without JavaScript posts it: filters are the least likely to block such a request. */
function wholeFormOf({ submissionId, files, readValues }: Sending) {
  const form = new FormData()
  for (const [name, value] of Object.entries({ entrega: submissionId, ...readValues() })) form.set(name, value)
  for (const { kind, file } of files) form.append(kind, file, file.name)
  return form
}

/** One attempt to post the form: the site's result, or the outcome of the request. @param onSent called with the bytes sent */
async function post<Result extends RegistrationResult | FolioResult>(
  destination: string,
  body: URLSearchParams | FormData,
  onSent: (bytes: number) => void,
  signal: AbortSignal,
): Promise<{ resultado: Result } | { outcome: RequestOutcome }> {
  const response = await request(destination, body, onSent, signal)
  const outcome: RequestOutcome = {
    status: response.status,
    numero: response.getResponseHeader('x-request-id') ?? undefined,
    retryAfterSeconds: readRetryAfter(response.getResponseHeader('retry-after')),
  }
  const result = resultOf<Result>(response)
  if (!result) return { outcome }
  if (result.ok || !NO_ANSWER.has(result.reason)) return { resultado: result }
  const isBusy = response.status === 429
  // Another process that is storing the form is soon done: its minute of `retry-after` is for forms without JavaScript.
  const retryAfterSeconds = isBusy ? outcome.retryAfterSeconds : undefined
  return { outcome: { ...outcome, refusal: result, retryAfterSeconds } }
}

/** Undefined for an answer that is none of the site's: a foreign page, or half an answer. */
function resultOf<Result>(response: XMLHttpRequest): Result | undefined {
  try {
    const said: unknown = JSON.parse(response.responseText)
    return typeof said === 'object' && said !== null && 'ok' in said ? (said as Result) : undefined
  } catch {
    return undefined
  }
}

/** Posts by XMLHttpRequest, since fetch does not report upload progress. Its status is 0 when no answer came. */
const request = (
  destination: string,
  body: URLSearchParams | FormData,
  onSent: (bytes: number) => void,
  signal: AbortSignal,
) =>
  new Promise<XMLHttpRequest>((resolve) => {
    const asked = new XMLHttpRequest()
    const stop = () => asked.abort()
    let timer = setTimeout(stop, ANSWER_MS)
    asked.upload.onprogress = ({ loaded }) => {
      clearTimeout(timer)
      timer = setTimeout(stop, ANSWER_MS)
      onSent(loaded)
    }
    asked.onloadend = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      resolve(asked)
    }
    signal.addEventListener('abort', stop)
    asked.open('POST', destination)
    asked.send(body)
  })

/**
 * Sends a registration, or one requested document: its files, then its data. Retries for as long as the page is open, and keeps
 * the screen on meanwhile. A lost answer is asked for again under the same submission id, which serves as idempotency key. A
 * fault of the site is reported if it does not pass (`judge` in retry-policy.ts).
 * @throws the signal's reason once it is aborted
 */
export async function sendRegistration<Result extends RegistrationResult | FolioResult>(
  sending: Sending,
  progress: Progress,
  signal: AbortSignal,
): Promise<SendOutcome<Result>> {
  const letSleep = stayAwake()
  try {
    return await bring<Result>(sending, progress, signal)
  } finally {
    letSleep()
  }
}

async function bring<Result extends RegistrationResult | FolioResult>(
  sending: Sending,
  progress: Progress,
  signal: AbortSignal,
): Promise<SendOutcome<Result>> {
  let faults = NO_FAULTS
  let mayBeTaken = false
  let isWhole = false
  const refusalOf = ({ reason, message }: { reason: string | undefined; message: string }, file?: string) =>
    ({ status: 'rechazo', fileId: file, reason: reason as RefusalReason | undefined, message }) as const
  for (let cuts = 0; ; ) {
    // A fault of the site may have lost the uploads, so they are checked first. If only a proxy in front of the site answered,
    // the form may have been stored, and its uploads be gone for that reason.
    const upload: UploadOutcome = mayBeTaken ? ALL_UPLOADED : await uploadAll(sending, progress, signal)
    // A filter that blocks chunked uploads may let a form with its files through.
    if (!mayBeTaken) isWhole = !upload.ok && upload.reason === FILTER_REFUSAL.reason
    if (!upload.ok && !isWhole) return refusalOf(upload, upload.fileId)
    const answer: Answered<Result> = await (isWhole
      ? handInWhole<Result>(sending, progress, signal)
      : handIn<Result>(sending, progress, signal))
    if ('resultado' in answer) return { status: 'respuesta', result: answer.resultado }
    if (answer.que === 'rechazo') return refusalOf(answer)
    if (answer.que === 'ilegible') return refusalOf({ reason: undefined, message: answer.message }, answer.fileId)
    if (answer.que === 'espera') {
      mayBeTaken = false
      await waitForTurn(cuts++, answer.waiting, progress, signal, answer.retryAfterSeconds)
      continue
    }
    faults = withFault(faults, performance.now())
    if (isToBeSaid(faults, performance.now())) return refusalOf({ reason: 'falla', message: answer.message })
    mayBeTaken = !answer.isOfTheSite
    await waitForTurn(faults.count - 1, 'falla', progress, signal)
  }
}

type Answered<Result> =
  | { resultado: Result }
  | (Verdict & { retryAfterSeconds?: number | undefined })
  | { que: 'ilegible'; fileId: string; message: string }

/** Posts the form until an answer comes; nothing is uploaded anew meanwhile, since the form may have been stored. */
async function handIn<Result extends RegistrationResult | FolioResult>(
  sending: Sending,
  progress: Progress,
  signal: AbortSignal,
): Promise<{ resultado: Result } | Exclude<Verdict, { que: 'espera' }>> {
  for (let attempt = 0; ; attempt++) {
    signal.throwIfAborted()
    const answer = await post<Result>(sending.destination, formOf(sending), () => {}, signal)
    signal.throwIfAborted()
    if ('resultado' in answer) return answer
    const verdict = judge(answer.outcome, registrationFault)
    if (verdict.que !== 'espera') return verdict
    await waitForTurn(attempt, verdict.waiting, progress, signal, answer.outcome.retryAfterSeconds)
  }
}

/** Posts the form with its files, once: a cut post would begin again, and chunks may get through by then. */
async function handInWhole<Result extends RegistrationResult | FolioResult>(
  sending: Sending,
  progress: Progress,
  signal: AbortSignal,
): Promise<Answered<Result>> {
  for (const { id, file } of sending.files)
    if (!(await isReadable(file))) return { que: 'ilegible', fileId: id, message: unreadableFileMessage(file) }
  progress.onWaiting('entero')
  const tell = (sent: number) => {
    let before = 0
    for (const { id, file } of sending.files) {
      progress.onSent(id, Math.max(0, Math.min(sent - before, file.size)))
      before += file.size
    }
  }
  const answer = await post<Result>(sending.destination, wholeFormOf(sending), tell, signal)
  signal.throwIfAborted()
  if ('resultado' in answer) return answer
  const verdict = judge(answer.outcome, registrationFault)
  const { status, retryAfterSeconds } = answer.outcome
  // The plain form gets no answer either: the wait names the filter.
  return status === 0 ? { que: 'espera', waiting: 'filtro' } : { ...verdict, retryAfterSeconds }
}

/** Keeps the screen on (Screen Wake Lock API): a sleeping phone stops sending. Unsupported browsers do without. */
function stayAwake(): () => void {
  let lock: Promise<WakeLockSentinel | undefined> | undefined
  // The system releases the lock whenever the page is hidden.
  const ask = () => {
    if (document.visibilityState === 'visible') lock = navigator.wakeLock?.request('screen').catch(() => undefined)
  }
  ask()
  document.addEventListener('visibilitychange', ask)
  return () => {
    document.removeEventListener('visibilitychange', ask)
    void lock?.then((held) => held?.release())
  }
}
