import pLimit, { type LimitFunction } from 'p-limit'

/** There are more requests for the same costly work than this machine can take on. */
export class OverloadedError extends Error {
  override name = 'OverloadedError'
}

/**
 * Runs at most `atOnce` jobs of costly work at a time; further jobs wait in line.
 * @param maxWaiting how many jobs may wait: further back, a job would wait longer than a browser does
 * @returns a function that runs a job in its turn; it throws OverloadedError when the line is full
 */
export function createLimiter(atOnce: number, maxWaiting: number): <T>(work: () => Promise<T>) => Promise<T> {
  const limit = pLimit(atOnce)
  return async (work) => {
    if (limit.activeCount >= atOnce && limit.pendingCount >= maxWaiting) throw new OverloadedError()
    return limit(work)
  }
}

/**
 * Creates a keyed mutex, which runs jobs of the same key one at a time, in order. A job that fails does not stop the next. The
 * mutex holds within this process only.
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
