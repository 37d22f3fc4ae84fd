import pino, { type Logger } from 'pino'

export type Log = Logger

/** Structured log on standard output; callers keep personal data out of it (ids and reasons only). */
export const createLog = (level: string): Log =>
  pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination({ dest: 1, sync: false }))
