import { Saturado } from '#app/core/jobs/limiter.server.ts'
import { isDiskFull } from '#app/core/process/durable-files.server.ts'
import { noteRechazo } from './refusal-events.server.ts'
import { MENSAJES_DE_SUBIDA, type RechazoSubida } from './upload-refusals.ts'

/** An expected refusal on its way out of streams and handlers, where a return value cannot travel. */
export class Rechazo<Motivo extends string = string> extends Error {
  override name = 'Rechazo'
  readonly reason: Motivo
  readonly retryAfterSeconds: number | undefined

  constructor(reason: Motivo, message: string, retryAfterSeconds?: number) {
    super(message)
    this.reason = reason
    noteRechazo({ de: 'registro', motivo: reason })
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Seconds; those who stand in line before it take a second each. */
const LINE_RETRY_SECONDS = 60

/** A full disk, or too long a line, is nobody's bug: it becomes a refusal with its own sentence; all else stays what it is. */
export const asRechazo = (error: unknown): Rechazo | undefined => {
  if (error instanceof Rechazo) return error
  if (error instanceof Saturado) return new Rechazo('saturado', MENSAJES_DE_SUBIDA.saturado, LINE_RETRY_SECONDS)
  return isDiskFull(error) ? new Rechazo('sinEspacio', MENSAJES_DE_SUBIDA.sinEspacio) : undefined
}

/** The answer to a refused upload. @param status of HTTP */
export function rechazoResponse(
  { reason, message, retryAfterSeconds }: Rechazo,
  status: number,
  headers = new Headers(),
): Response {
  headers.set('content-type', 'application/json; charset=utf-8')
  headers.set('cache-control', 'no-store')
  headers.delete('content-length')
  if (retryAfterSeconds !== undefined) headers.set('retry-after', String(retryAfterSeconds))
  return new Response(JSON.stringify({ reason, message } satisfies RechazoSubida), { status, headers })
}
