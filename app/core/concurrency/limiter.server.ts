import pLimit, { type LimitFunction } from 'p-limit'

/** Thrown for costly work that this process cannot do now: too much waits, it has waited too long, or its input broke off. */
export class OverloadedError extends Error {
  override name = 'OverloadedError'
}

/**
 * Creates a keyed mutex for this process: jobs of the same key run one at a time, in order. A job also runs if the one before it
 * has failed.
 */
export function createKeyedQueue(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const queueByKey = new Map<string, { limit: LimitFunction; jobCount: number }>()
  return async (key, work) => {
    const queue = queueByKey.get(key) ?? { limit: pLimit(1), jobCount: 0 }
    queueByKey.set(key, queue)
    queue.jobCount++
    try {
      return await queue.limit(work)
    } finally {
      if (--queue.jobCount === 0) queueByKey.delete(key)
    }
  }
}
