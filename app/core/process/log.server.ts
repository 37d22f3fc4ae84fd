import { inspect } from 'node:util'
import pino, { type DestinationStream, type Logger } from 'pino'

import { createRepeatCounter, type RepeatSummary } from './repeated-log-lines.server.ts'

export type Log = Logger

/** pino's number for `warn`. */
const WARN_LEVEL = 40

/**
 * Creates the structured log, by default on standard output. Callers log ids and reasons only, no personal data. They log an
 * error as `err`, of which `faultForLog` keeps the part without personal data. A repeated warning or error is counted, and its
 * count is logged once a minute.
 */
export const createLog = (
  level: string,
  destination: DestinationStream = pino.destination({ dest: 1, sync: false }),
  windowMs?: number,
): Log => {
  const repeatCounter = createRepeatCounter(windowMs)
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: (error: unknown) => faultForLog(error) },
      hooks: {
        // Without a message from the caller, pino would log the error's own message, which may contain names.
        logMethod(args, method, level) {
          const hasNoMessage = typeof args[0] === 'object' && args.length < 2
          const logArgs: typeof args = hasNoMessage ? [args[0], 'a fault'] : args
          if (level < WARN_LEVEL) return method.apply(this, logArgs)
          const message = logArgs.findLast((arg) => typeof arg === 'string') ?? ''
          const writeSummary = (summary: RepeatSummary) =>
            method.apply(this, [summary, `${message} (repeated ${summary.repeated} times)`])
          if (repeatCounter.isNew(repeatKeyOf(level, logArgs), idOf(logArgs[0]), writeSummary))
            method.apply(this, logArgs)
        },
      },
    },
    destination,
  )
}

const idOf = (fields: unknown): unknown => (fields as { id?: unknown } | null | undefined)?.id

/** Returns a key that is the same for all lines about a fault: the line without its id and its numbers. */
function repeatKeyOf(level: number, [first, ...words]: unknown[]): string {
  const { err, id, ...fields } = (
    first instanceof Error ? { err: first } : typeof first === 'object' ? { ...first } : { first }
  ) as Record<string, unknown>
  const { kind, code, message, stack } = err === undefined ? {} : faultForLog(err)
  const firstFrame = Array.isArray(stack) ? stack[0] : undefined
  const texts = Object.entries(fields).map(
    ([name, value]) => `${name} ${typeof value === 'object' ? inspect(value) : String(value)}`,
  )
  return [level, ...texts, ...words, kind, code, message, firstFrame]
    .join('\n')
    .replace(/[0-9a-f-]*\d[0-9a-f-]*/gi, '#')
}

const MAX_CAUSES = 5

/**
 * Returns the part of an error that may be logged: its kind, code and place, and its message without names. Messages of the file
 * system, the storage and the database quote paths and rows with people's names after «<id>_» or «<timestamp>_». The text after a
 * number and an underscore is therefore cut out, up to the next quotation mark or line end. Names elsewhere in a message would
 * stay.
 */
function faultForLog(error: unknown, depth = 0): Record<string, unknown> {
  if (!(error instanceof Error)) return { kind: typeof error }
  const { code, syscall, constraint, table } = error as Error &
    Partial<Record<'code' | 'syscall' | 'constraint' | 'table', unknown>>
  const scrub = (text: unknown) => String(text ?? '').replace(/(\d_)[^'"\n]*/g, '$1…')
  return {
    kind: error.name,
    message: scrub(error.message),
    code,
    syscall,
    constraint,
    table,
    stack: String(error.stack ?? '')
      .split('\n')
      .filter((line) => /^\s+at /.test(line))
      .slice(0, 8)
      .map((line) => line.trim()),
    // The depth is limited, since a chain of causes may be circular.
    ...(error.cause === undefined || depth === MAX_CAUSES ? {} : { cause: faultForLog(error.cause, depth + 1) }),
  }
}
