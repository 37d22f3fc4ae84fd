import pLimit, { type LimitFunction } from 'p-limit'

/** More requests ask for the same costly work than this machine can take on. */
export class OverloadedError extends Error {
  override name = 'OverloadedError'
}

/**
 * Creates a keyed mutex for this process: jobs of the same key run one at a time, in order. A job that fails does not stop the
 * next.
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
