import { inspect } from 'node:util'
import pino, { type DestinationStream, type Logger } from 'pino'

import { createRepeatCounter, type RepeatSummary } from './repeated-log-lines.server.ts'

export type Log = Logger

const WARN = 40

/**
 * Creates the structured log, by default on standard output. Callers keep personal data out of it (ids and reasons only). An
 * error is logged as `err`, of which `faultForLog` keeps the harmless part. A warning or error that repeats is counted, and its
 * count written once a minute.
 */
export const createLog = (
  level: string,
  destination: DestinationStream = pino.destination({ dest: 1, sync: false }),
  windowMs?: number,
): Log => {
  const repeats = createRepeatCounter(windowMs)
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: (error: unknown) => faultForLog(error) },
      hooks: {
        // Without words from the caller, pino would take the error's own message, which may hold names.
        logMethod(args, method, level) {
          const hasNoMessage = typeof args[0] === 'object' && args.length < 2
          const logArgs: typeof args = hasNoMessage ? [args[0], 'a fault'] : args
          if (level < WARN) return method.apply(this, logArgs)
          const words = logArgs.findLast((arg) => typeof arg === 'string') ?? ''
          const writeSummary = (sum: RepeatSummary) =>
            method.apply(this, [sum, `${words} (repeated ${sum.repeated} times)`])
          if (repeats.isNew(repeatKeyOf(level, logArgs), idOf(logArgs[0]), writeSummary)) method.apply(this, logArgs)
        },
      },
    },
    destination,
  )
}

const idOf = (fields: unknown): unknown => (fields as { id?: unknown } | null | undefined)?.id

/** Returns the key of lines that tell of the same trouble: all of a line but its id and its numbers. */
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
 * Returns the part of an error that may be logged: its kind, code and place. Messages of the file system, the storage and the
 * database quote paths and rows with names of people, so text after «<id>_» or «<timestamp>_» is cut out up to the next quotation
 * mark or line end. A name that follows no number and underscore would stay.
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
    // The number of causes is limited: a cause may lead back to itself.
    ...(error.cause === undefined || depth === MAX_CAUSES ? {} : { cause: faultForLog(error.cause, depth + 1) }),
  }
}
