import type { FileKind } from '#app/cms/media/file-rules.ts'
import { dropUpload, ownerHeader } from '#app/core/uploads/drop-upload.client.ts'
import { type FileToUpload, uploadFiles } from '#app/core/uploads/resumable-upload.client.ts'
import { judgeOutcome, readRetryAfter } from '#app/core/uploads/retry-policy.ts'
import { waitBeforeRetry } from '#app/core/uploads/retry-wait.client.ts'
import type { UploadProgress } from '#app/core/uploads/upload-progress.ts'
import { FILES_PATH, type IntakeResult, MESSAGES, type ReceivedFile, UPLOADS_PATH } from './upload-protocol.ts'

/** An OutgoingFile is being sent into the edition; `sendFile` with the same object resumes its upload. */
export interface OutgoingFile extends FileToUpload {
  submissionId: string
  kind: FileKind
}

export type SendingResult =
  | { ok: true; archivo: ReceivedFile }
  /** With `canResume` the sent bytes are kept and the same file can be retried; else another file has to be chosen. */
  | { ok: false; message: string; reason: string | undefined; canResume: boolean }

/** These refusals may pass on a retry. */
const TRANSIENT_REASONS = new Set([
  'sesion',
  'segundo',
  'permiso',
  'almacen',
  'saturado',
  'sinEspacio',
  'falla',
  'limite',
  'filtro',
])
const ANSWER_MS = 150_000

/**
 * Uploads a file and has the site store the file. Waits out a lost connection, and then resumes.
 * @throws the signal's abort reason
 */
export async function sendFile(
  sending: OutgoingFile,
  progress: UploadProgress,
  signal: AbortSignal,
): Promise<SendingResult> {
  const refuse = (reason: string | undefined, message: string): SendingResult => ({
    ok: false,
    reason,
    message,
    canResume: reason !== undefined && TRANSIENT_REASONS.has(reason),
  })
  const headers = ownerHeader(sending.submissionId)
  const { kind } = sending
  const metadataOf = () => ({ clase: kind })
  const pendingUploads = { endpoint: UPLOADS_PATH, headers, files: [sending], metadataOf, faultMessage: MESSAGES.falla }
  for (;;) {
    const upload = await uploadFiles(pendingUploads, progress, signal)
    if (!upload.ok) return refuse(upload.reason, upload.message)
    progress.onWaiting(undefined)
    const intake = await storeUpload(sending, progress, signal)
    if (intake.ok) {
      dropUpload(sending.submissionId, sending.url)
      return intake
    }
    // The staged upload was swept, or lost with the machine's disk, so the file is sent once more.
    if (intake.reason !== 'subidaAjena' || sending.url === undefined) {
      if (!TRANSIENT_REASONS.has(intake.reason)) sending.url = undefined
      return refuse(intake.reason, intake.message)
    }
    sending.url = undefined
  }
}

/** Asks the site to store the upload, and retries until an answer comes; the request is idempotent. */
async function storeUpload(
  sending: OutgoingFile,
  progress: UploadProgress,
  signal: AbortSignal,
): Promise<IntakeResult> {
  const upload = new URL(sending.url!, location.href).pathname.split('/').at(-1)!
  const body = new URLSearchParams({ entrega: sending.submissionId, subida: upload })
  for (let attempt = 0; ; attempt++) {
    signal.throwIfAborted()
    const response = await fetch(FILES_PATH, {
      method: 'POST',
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
    }).catch(() => undefined)
    signal.throwIfAborted()
    const isFromSite = response?.headers.get('content-type')?.startsWith('application/json')
    const intake = isFromSite
      ? ((await response!.json().catch(() => undefined)) as IntakeResult | undefined)
      : undefined
    if (intake) return intake
    const outcome = {
      status: response?.status ?? 0,
      requestId: response?.headers.get('x-request-id') ?? undefined,
      retryAfterSeconds: readRetryAfter(response?.headers.get('retry-after')),
    }
    const verdict = judgeOutcome(outcome, MESSAGES.falla)
    if (verdict.kind === 'refusal') return { ok: false, reason: verdict.reason ?? 'falla', message: verdict.message }
    if (verdict.kind === 'fault' && attempt >= 2) return { ok: false, reason: 'falla', message: verdict.message }
    const waitReason = verdict.kind === 'wait' ? verdict.waitReason : verdict.kind
    await waitBeforeRetry(attempt, waitReason, progress, signal, outcome.retryAfterSeconds)
  }
}
