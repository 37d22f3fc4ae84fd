import pino, { type DestinationStream, type Logger } from 'pino'

export type Log = Logger

/**
 * Structured log, on standard output unless told otherwise; callers keep personal data out of it (ids and reasons
 * only). A fault is logged as `err`, of which `faultForLog` keeps what may be kept.
 */
export const createLog = (
  level: string,
  destination: DestinationStream = pino.destination({ dest: 1, sync: false }),
): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: (error: unknown) => faultForLog(error) },
      hooks: {
        // Where the caller gives no words, pino would take the fault's own message, which may hold names.
        logMethod(args, method) {
          const isBare = typeof args[0] === 'object' && args.length < 2
          method.apply(this, isBare ? [args[0], 'a fault'] : args)
        },
      },
    },
    destination,
  )

const MAX_CAUSES = 5

/**
 * What the log may keep of a fault: its kind, code and place. Messages of the file system, the storage and the database
 * quote paths and rows, which hold names of people: whatever follows «<id>_» or «<timestamp>_» is cut out.
 */
function faultForLog(error: unknown, depth = 0): Record<string, unknown> {
  if (!(error instanceof Error)) return { kind: typeof error }
  const { code, syscall, constraint, table } = error as Error &
    Partial<Record<'code' | 'syscall' | 'constraint' | 'table', unknown>>
  const scrubbed = (text: unknown) => String(text ?? '').replace(/(\d_)[^'"\n]*/g, '$1…')
  return {
    kind: error.name,
    message: scrubbed(error.message),
    code,
    syscall,
    constraint,
    table,
    stack: String(error.stack ?? '')
      .split('\n')
      .filter((line) => /^\s+at /.test(line))
      .slice(0, 8)
      .map((line) => line.trim()),
    // The number of causes is limited: a cause may lead back to itself.
    ...(error.cause === undefined || depth === MAX_CAUSES ? {} : { cause: faultForLog(error.cause, depth + 1) }),
  }
}
