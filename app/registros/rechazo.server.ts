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

/**
 * What the log may keep of a fault: its kind, code and place. Messages of the file system, the storage and the
 * database quote paths and rows, and those hold names of people: whatever follows «<id>_» or «<timestamp>_» goes.
 */
export function faultForLog(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { kind: typeof error }
  const { code, syscall, constraint, table } = error as Error &
    Partial<Record<'code' | 'syscall' | 'constraint' | 'table', unknown>>
  const scrubbed = (text: string) => text.replace(/(\d_)[^'"\n]*/g, '$1…')
  return {
    kind: error.name,
    message: scrubbed(error.message),
    code,
    syscall,
    constraint,
    table,
    stack: (error.stack ?? '')
      .split('\n')
      .filter((line) => /^\s+at /.test(line))
      .slice(0, 8)
      .map((line) => line.trim()),
    ...(error.cause === undefined ? {} : { cause: faultForLog(error.cause) }),
  }
}
