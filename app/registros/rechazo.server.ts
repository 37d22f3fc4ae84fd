import { isDiskFull } from '#app/platform/durable-files.server.ts'
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

/** A full disk is nobody's bug: it becomes a refusal with its own sentence; everything else stays what it is. */
export const asRechazo = (error: unknown): Rechazo | undefined => {
  if (error instanceof Rechazo) return error
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
