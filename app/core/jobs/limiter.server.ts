import pLimit, { type LimitFunction } from 'p-limit'

/** More people ask for the same costly work than this machine can take on. */
export class OverloadedError extends Error {
  override name = 'OverloadedError'
}

/**
 * Keeps costly work to so much at once, and the rest in line.
 * @param atOnce how many at the same time
 * @param waiting how many may stand in line; anybody further back would wait longer than a browser does
 * @returns runs a piece of work in its turn; throws Saturado when the line is full
 */
export function createLimiter(atOnce: number, waiting: number): <T>(work: () => Promise<T>) => Promise<T> {
  const limit = pLimit(atOnce)
  return async (work) => {
    if (limit.activeCount >= atOnce && limit.pendingCount >= waiting) throw new OverloadedError()
    return limit(work)
  }
}

/**
 * Keeps work of the same key to one piece at a time; a piece that fails does not keep the next from its turn.
 * @returns runs a piece of work once those before it, of its key, have ended
 */
export function createKeyedQueue(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const lines = new Map<string, { limit: LimitFunction; users: number }>()
  return async (key, work) => {
    const line = lines.get(key) ?? { limit: pLimit(1), users: 0 }
    lines.set(key, line)
    line.users++
    try {
      return await line.limit(work)
    } finally {
      if (--line.users === 0) lines.delete(key)
    }
  }
}
