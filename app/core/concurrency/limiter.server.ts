import pLimit, { type LimitFunction } from 'p-limit'

/** There are more requests for the same costly work than this machine can take on. */
export class OverloadedError extends Error {
  override name = 'OverloadedError'
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
