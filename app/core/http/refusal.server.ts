import { OverloadedError } from '#app/core/jobs/limiter.server.ts'
import { isDiskFull } from '#app/core/process/durable-files.server.ts'
import { noteRefusal } from './refusal-events.server.ts'
import { UPLOAD_MESSAGES, type UploadRefusal } from './upload-refusals.ts'

/** An expected refusal on its way out of streams and handlers, where a return value cannot travel. */
export class RefusalError<Reason extends string = string> extends Error {
  override name = 'RefusalError'
  readonly reason: Reason
  readonly retryAfterSeconds: number | undefined

  constructor(reason: Reason, message: string, retryAfterSeconds?: number) {
    super(message)
    this.reason = reason
    noteRefusal({ de: 'registro', motivo: reason })
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Seconds; those who stand in line before it take a second each. */
const LINE_RETRY_SECONDS = 60

/** A full disk, or too long a line, is nobody's bug: it becomes a refusal with its own sentence; all else stays what it is. */
export const asRefusalError = (error: unknown): RefusalError | undefined => {
  if (error instanceof RefusalError) return error
  if (error instanceof OverloadedError)
    return new RefusalError('saturado', UPLOAD_MESSAGES.saturado, LINE_RETRY_SECONDS)
  return isDiskFull(error) ? new RefusalError('sinEspacio', UPLOAD_MESSAGES.sinEspacio) : undefined
}

/** The answer to a refused upload. @param status of HTTP */
export function refusalResponse(
  { reason, message, retryAfterSeconds }: RefusalError,
  status: number,
  headers = new Headers(),
): Response {
  headers.set('content-type', 'application/json; charset=utf-8')
  headers.set('cache-control', 'no-store')
  headers.delete('content-length')
  if (retryAfterSeconds !== undefined) headers.set('retry-after', String(retryAfterSeconds))
  return new Response(JSON.stringify({ reason, message } satisfies UploadRefusal), { status, headers })
}
