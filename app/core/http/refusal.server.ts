import { OverloadedError } from '#app/core/concurrency/limiter.server.ts'
import { isDiskFull } from '#app/core/process/durable-files.server.ts'
import { type CountedRefusal, noteRefusal } from './refusal-events.server.ts'
import { UPLOAD_MESSAGES, type UploadRefusal } from './upload-refusals.ts'

/** Thrown to refuse a request within streams and handlers that cannot return a refusal. Callers turn it into a response. */
export class RefusalError<Reason extends string = string> extends Error {
  override name = 'RefusalError'
  readonly reason: Reason
  readonly retryAfterSeconds: number | undefined

  constructor(reason: Reason, message: string, retryAfterSeconds?: number) {
    super(message)
    this.reason = reason
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** A sender whom a full queue refuses may retry after this time, since each job in it takes about a second. */
const FULL_QUEUE_RETRY_SECONDS = 60

/** Returns a caught RefusalError, or the refusal for an OverloadedError or a full disk; undefined for other errors. */
export const asRefusalError = (error: unknown): RefusalError | undefined => {
  if (error instanceof RefusalError) return error
  if (error instanceof OverloadedError)
    return new RefusalError('saturado', UPLOAD_MESSAGES.saturado, FULL_QUEUE_RETRY_SECONDS)
  return isDiskFull(error) ? new RefusalError('sinEspacio', UPLOAD_MESSAGES.sinEspacio) : undefined
}

/** Responds with a refusal, and counts it for its area. */
export function refusalResponse(
  area: CountedRefusal['area'],
  { reason, message, retryAfterSeconds }: RefusalError,
  status: number,
  headers = new Headers(),
): Response {
  noteRefusal({ area, reason })
  headers.set('content-type', 'application/json; charset=utf-8')
  headers.set('cache-control', 'no-store')
  headers.delete('content-length')
  if (retryAfterSeconds !== undefined) headers.set('retry-after', String(retryAfterSeconds))
  return new Response(JSON.stringify({ reason, message } satisfies UploadRefusal), { status, headers })
}
