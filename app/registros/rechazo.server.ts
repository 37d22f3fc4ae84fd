import { isDiskFull } from '#app/platform/durable-files.server.ts'
import { Saturado } from '#app/platform/turnos.server.ts'
import { MENSAJES, type MotivoRechazo, type RechazoSubida, statusOf } from './schema.ts'

/** An expected refusal on its way out of streams and handlers, where a return value cannot travel. */
export class Rechazo extends Error {
  override name = 'Rechazo'
  readonly reason: MotivoRechazo
  readonly retryAfterSeconds: number | undefined

  constructor(reason: MotivoRechazo, message: string, retryAfterSeconds?: number) {
    super(message)
    this.reason = reason
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Seconds; those who stand in line before it take a second each. */
const LINE_RETRY_SECONDS = 60

/** A full disk, or too long a line, is nobody's bug: it becomes a refusal with its own sentence; all else stays what it is. */
export const asRechazo = (error: unknown): Rechazo | undefined => {
  if (error instanceof Rechazo) return error
  if (error instanceof Saturado) return new Rechazo('saturado', MENSAJES.saturado, LINE_RETRY_SECONDS)
  return isDiskFull(error) ? new Rechazo('sinEspacio', MENSAJES.sinEspacio) : undefined
}

/** The answer of /subidas to a refused request. */
export function rechazoResponse({ reason, message, retryAfterSeconds }: Rechazo, headers = new Headers()): Response {
  headers.set('content-type', 'application/json; charset=utf-8')
  headers.set('cache-control', 'no-store')
  headers.delete('content-length')
  if (retryAfterSeconds !== undefined) headers.set('retry-after', String(retryAfterSeconds))
  return new Response(JSON.stringify({ reason, message } satisfies RechazoSubida), {
    status: statusOf(reason),
    headers,
  })
}
