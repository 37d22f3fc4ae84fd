import {
  type FileToUpload,
  isReadable,
  type UploadOutcome,
  uploadFiles,
  yaNoSeLee,
} from '#app/core/uploads/resumable-upload.client.ts'
import {
  FILTER_REFUSAL,
  isToBeSaid,
  judge,
  NO_FAULTS,
  type RequestOutcome,
  readRetryAfter,
  type Verdict,
  withFalla,
} from '#app/core/uploads/retry-policy.ts'
import { type Progress, waitForTurn } from '#app/core/uploads/retry-wait.client.ts'
import type { DocumentKind, VoterCardSide } from '#app/entries/definitions/document-kinds.ts'
import { type FolioResult, type RefusalReason, type RegistrationResult, registrationFault } from './schema.ts'
import { ownerOf } from './upload.client.ts'

/** No byte left, and none came, for so long: there is no answer to wait for. */
const ANSWER_MS = 60_000
/** What passes by itself: nothing was looked at yet. */
const NO_ANSWER: ReadonlySet<RefusalReason> = new Set(['guardando', 'falla', 'limite', 'saturado'])
const ALL_UPLOADED = { ok: true } as const

interface DocumentToUpload extends FileToUpload {
  clase: DocumentKind
  lado: VoterCardSide | undefined
}

/** One submission on its way. */
export interface Sending {
  entrega: string
  archivos: DocumentToUpload[]
  /** Of the entry, when it is a document of it that was asked for again. */
  folio?: string
  /** Where the data go. */
  destino: string
  /** Read when the files are up: what was corrected meanwhile counts. */
  valores: () => Record<string, string>
}

export type SendOutcome<Result> =
  | { estado: 'respuesta'; resultado: Result }
  /**
   * Not taken, and no registration was looked at: one file was refused (the others keep what they have sent), or the
   * request, or a fault of ours did not pass (reason «falla», its number in the message).
   */
  | { estado: 'rechazo'; archivo: string | undefined; reason: RefusalReason | undefined; message: string }
  /** The uploader cannot be had (a new version of the site, a meddling proxy): the plain form is the way. */
  | { estado: 'sinCargador' }
  /** By its signal: what was sent stays, and the next call goes on from there. */
  | { estado: 'detenido' }

/** Brings the files of a submission up. */
const uploadAll = (
  { entrega, archivos, folio }: Sending,
  progress: Progress,
  signal: AbortSignal,
): Promise<UploadOutcome> =>
  uploadFiles(
    {
      endpoint: '/subidas',
      headers: ownerOf(entrega),
      archivos,
      metadataOf: ({ clase, lado }) => ({ clase, ...(lado ? { lado } : {}), ...(folio ? { folio } : {}) }),
      falla: registrationFault,
    },
    progress,
    signal,
  )

function formOf({ entrega, archivos, valores }: Sending) {
  const documents: Partial<Record<DocumentKind, string[]>> = {}
  for (const { clase, url } of archivos) {
    documents[clase] ??= []
    documents[clase].push(new URL(url!, location.href).pathname.split('/').at(-1)!)
  }
  return new URLSearchParams({ ...valores(), entrega, documentos: JSON.stringify(documents) })
}

/** The form with its files, as a browser without JavaScript sends it: the most ordinary request there is. */
function wholeFormOf({ entrega, archivos, valores }: Sending) {
  const form = new FormData()
  for (const [name, value] of Object.entries({ entrega, ...valores() })) form.set(name, value)
  for (const { clase, file } of archivos) form.append(clase, file, file.name)
  return form
}

/** One try to hand the form in: what the site made of it, or what came back instead. @param onSent told of bytes that have left */
async function post<Result extends RegistrationResult | FolioResult>(
  destination: string,
  body: URLSearchParams | FormData,
  onSent: (bytes: number) => void,
  signal: AbortSignal,
): Promise<{ resultado: Result } | { contestacion: RequestOutcome }> {
  const response = await request(destination, body, onSent, signal)
  const outcome: RequestOutcome = {
    status: response.status,
    numero: response.getResponseHeader('x-request-id') ?? undefined,
    retryAfterSeconds: readRetryAfter(response.getResponseHeader('retry-after')),
  }
  const result = resultOf<Result>(response)
  if (!result) return { contestacion: outcome }
  if (result.ok || !NO_ANSWER.has(result.reason)) return { resultado: result }
  const isBusy = response.status === 429
  // Another process that has it in hand is soon done: its minute is for forms without JavaScript.
  const retryAfterSeconds = isBusy ? outcome.retryAfterSeconds : undefined
  return { contestacion: { ...outcome, rechazo: result, retryAfterSeconds } }
}

/** Undefined for what the site did not say: a page of another's, or the half of an answer. */
function resultOf<Result>(response: XMLHttpRequest): Result | undefined {
  try {
    const said: unknown = JSON.parse(response.responseText)
    return typeof said === 'object' && said !== null && 'ok' in said ? (said as Result) : undefined
  } catch {
    return undefined
  }
}

/** Goes on for as long as bytes leave, which fetch does not tell of. Its status is 0 where nothing came back. */
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
 * Sends a registration, or one document that was asked for again: its files, then its data. Goes on by itself for as
 * long as the page is open, and keeps the screen on meanwhile; an answer that got lost is asked for again under the same
 * entrega, which makes it the same registration. A fault of ours is said when it does not pass (see judge).
 * @throws what the signal was aborted with
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
    ({ estado: 'rechazo', archivo: file, reason: reason as RefusalReason | undefined, message }) as const
  for (let cuts = 0; ; ) {
    // A fault of the site may have cost it what was uploaded: the files are asked for first. Where only something in
    // front of it spoke, the form may have been taken, and its uploads be gone for that.
    const upload: UploadOutcome = mayBeTaken ? ALL_UPLOADED : await uploadAll(sending, progress, signal)
    // What lets no pieces through may well let through a form with its files.
    if (!mayBeTaken) isWhole = !upload.ok && upload.reason === FILTER_REFUSAL.reason
    if (!upload.ok && !isWhole) return refusalOf(upload, upload.archivo)
    const answer: Answered<Result> = await (isWhole
      ? handInWhole<Result>(sending, progress, signal)
      : handIn<Result>(sending, progress, signal))
    if ('resultado' in answer) return { estado: 'respuesta', resultado: answer.resultado }
    if (answer.que === 'rechazo') return refusalOf(answer)
    if (answer.que === 'ilegible') return refusalOf({ reason: undefined, message: answer.message }, answer.archivo)
    if (answer.que === 'espera') {
      mayBeTaken = false
      await waitForTurn(cuts++, answer.espera, progress, signal, answer.retryAfterSeconds)
      continue
    }
    faults = withFalla(faults, performance.now())
    if (isToBeSaid(faults, performance.now())) return refusalOf({ reason: 'falla', message: answer.message })
    mayBeTaken = !answer.isOfTheSite
    await waitForTurn(faults.count - 1, 'falla', progress, signal)
  }
}

type Answered<Result> =
  | { resultado: Result }
  | (Verdict & { retryAfterSeconds?: number | undefined })
  | { que: 'ilegible'; archivo: string; message: string }

/** Hands the form in until something answers; nothing is uploaded anew meanwhile, since it may have been taken. */
async function handIn<Result extends RegistrationResult | FolioResult>(
  sending: Sending,
  progress: Progress,
  signal: AbortSignal,
): Promise<{ resultado: Result } | Exclude<Verdict, { que: 'espera' }>> {
  for (let attempt = 0; ; attempt++) {
    signal.throwIfAborted()
    const answer = await post<Result>(sending.destino, formOf(sending), () => {}, signal)
    signal.throwIfAborted()
    if ('resultado' in answer) return answer
    const verdict = judge(answer.contestacion, registrationFault)
    if (verdict.que !== 'espera') return verdict
    await waitForTurn(attempt, verdict.espera, progress, signal, answer.contestacion.retryAfterSeconds)
  }
}

/** Hands the form in with its files, once: what is cut would begin again, and in pieces it may go through by then. */
async function handInWhole<Result extends RegistrationResult | FolioResult>(
  sending: Sending,
  progress: Progress,
  signal: AbortSignal,
): Promise<Answered<Result>> {
  for (const { id, file } of sending.archivos)
    if (!(await isReadable(file))) return { que: 'ilegible', archivo: id, message: yaNoSeLee(file) }
  progress.onWaiting('entero')
  const tell = (sent: number) => {
    let before = 0
    for (const { id, file } of sending.archivos) {
      progress.onSent(id, Math.max(0, Math.min(sent - before, file.size)))
      before += file.size
    }
  }
  const answer = await post<Result>(sending.destino, wholeFormOf(sending), tell, signal)
  signal.throwIfAborted()
  if ('resultado' in answer) return answer
  const verdict = judge(answer.contestacion, registrationFault)
  const { status, retryAfterSeconds } = answer.contestacion
  // Not even this: what is in the way is said for as long as it is.
  return status === 0 ? { que: 'espera', espera: 'filtro' } : { ...verdict, retryAfterSeconds }
}

/** A phone that falls asleep stops sending. Not to be had everywhere, never needed. */
function stayAwake(): () => void {
  let lock: Promise<WakeLockSentinel | undefined> | undefined
  // The system takes it back whenever the page is hidden.
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
