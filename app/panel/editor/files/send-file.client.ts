import type { FileKind } from '#app/cms/media/file-rules.ts'
import { dropUpload, ownerHeader } from '#app/core/uploads/drop-upload.client.ts'
import { type FileToUpload, uploadFiles } from '#app/core/uploads/resumable-upload.client.ts'
import { judgeOutcome, parseRetryAfter } from '#app/core/uploads/retry-policy.ts'
import { waitBeforeRetry } from '#app/core/uploads/retry-wait.client.ts'
import type { UploadProgress } from '#app/core/uploads/upload-progress.ts'
import {
  FINISH_UPLOAD_PATH,
  type IntakeResult,
  type ReceivedFile,
  UPLOAD_MESSAGES,
  UPLOADS_PATH,
} from './upload-protocol.ts'

/** A file that is being uploaded into the edition; `sendFile` with the same object resumes its upload. */
export interface OutgoingFile extends FileToUpload {
  submissionId: string
  kind: FileKind
}

export type SendingResult =
  | { ok: true; archivo: ReceivedFile }
  /** With `canResume` the same file can be sent on from the bytes that the site has; without it a file has to be chosen anew. */
  | { ok: false; message: string; reason: string | undefined; canResume: boolean }

/** Refusals after which a retry may succeed. */
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
/** Time without an answer after which `storeUpload` asks again. */
const RESPONSE_TIMEOUT_MS = 150_000

/**
 * Uploads a file and has the site store it. After a lost connection it waits and resumes.
 * @throws the signal's abort reason
 */
export async function sendFile(
  outgoingFile: OutgoingFile,
  progress: UploadProgress,
  signal: AbortSignal,
): Promise<SendingResult> {
  const refusalOf = (reason: string | undefined, message: string): SendingResult => ({
    ok: false,
    reason,
    message,
    canResume: reason !== undefined && TRANSIENT_REASONS.has(reason),
  })
  const headers = ownerHeader(outgoingFile.submissionId)
  const { kind } = outgoingFile
  const metadataOf = () => ({ clase: kind })
  const pendingUploads = {
    endpoint: UPLOADS_PATH,
    headers,
    files: [outgoingFile],
    metadataOf,
    faultMessage: UPLOAD_MESSAGES.falla,
  }
  for (;;) {
    const uploadResult = await uploadFiles(pendingUploads, progress, signal)
    if (!uploadResult.ok) return refusalOf(uploadResult.reason, uploadResult.message)
    progress.onWaiting(undefined)
    const intakeResult = await storeUpload(outgoingFile, progress, signal)
    if (intakeResult.ok) {
      dropUpload(outgoingFile.submissionId, outgoingFile.url)
      return intakeResult
    }
    // `subidaAjena`: the staged upload was swept, or lost with the machine's disk, so the file is uploaded again.
    if (intakeResult.reason !== 'subidaAjena' || outgoingFile.url === undefined) {
      if (!TRANSIENT_REASONS.has(intakeResult.reason)) outgoingFile.url = undefined
      return refusalOf(intakeResult.reason, intakeResult.message)
    }
    outgoingFile.url = undefined
  }
}

/**
 * Asks the site to store a complete upload. The idempotent request is repeated as `judgeOutcome` says; from the third attempt on,
 * a fault is returned.
 */
async function storeUpload(
  outgoingFile: OutgoingFile,
  progress: UploadProgress,
  signal: AbortSignal,
): Promise<IntakeResult> {
  const uploadId = new URL(outgoingFile.url!, location.href).pathname.split('/').at(-1)!
  const body = new URLSearchParams({ entrega: outgoingFile.submissionId, subida: uploadId })
  for (let attempt = 0; ; attempt++) {
    signal.throwIfAborted()
    const response = await fetch(FINISH_UPLOAD_PATH, {
      method: 'POST',
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)]),
    }).catch(() => undefined)
    signal.throwIfAborted()
    const isFromSite = response?.headers.get('content-type')?.startsWith('application/json')
    const intakeResult = isFromSite
      ? ((await response!.json().catch(() => undefined)) as IntakeResult | undefined)
      : undefined
    if (intakeResult) return intakeResult
    const outcome = {
      status: response?.status ?? 0,
      requestId: response?.headers.get('x-request-id') ?? undefined,
      retryAfterSeconds: parseRetryAfter(response?.headers.get('retry-after')),
    }
    const verdict = judgeOutcome(outcome, UPLOAD_MESSAGES.falla)
    if (verdict.kind === 'refusal') return { ok: false, reason: verdict.reason ?? 'falla', message: verdict.message }
    if (verdict.kind === 'fault' && attempt >= 2) return { ok: false, reason: 'falla', message: verdict.message }
    const waitReason = verdict.kind === 'wait' ? verdict.waitReason : verdict.kind
    await waitBeforeRetry(attempt, waitReason, progress, signal, outcome.retryAfterSeconds)
  }
}
