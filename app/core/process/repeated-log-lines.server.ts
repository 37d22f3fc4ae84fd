/** A line of the log that comes again within so long is counted instead of written. */
const WINDOW_MS = 60_000
/** Whoever was shown one of these finds it in the log, up to so many in a window. */
const MAX_IDS = 100
/** Kinds of lines that are remembered at once; more are written as they come. */
const MAX_KINDS = 1_000

interface RepeatedLine {
  count: number
  ids: unknown[]
}

/** What is said of a line that came again: how often, and the first of the ids that it had. */
export interface Repeated {
  repeated: number
  ids?: unknown[]
}

/**
 * Keeps a fault that repeats from filling the log: its first line is written, and once a minute how often it came
 * again, for as long as it does.
 */
export function createRepeatCounter(windowMs = WINDOW_MS) {
  const known = new Map<string, RepeatedLine>()
  return {
    /**
     * @param key the same for lines that say the same
     * @param tell writes the sum of a window
     * @returns whether the line is to be written now
     */
    isNew(key: string, id: unknown, tell: (sum: Repeated) => void): boolean {
      const found = known.get(key)
      if (found) {
        found.count++
        if (id !== undefined && found.ids.length < MAX_IDS) found.ids.push(id)
        return false
      }
      if (known.size >= MAX_KINDS) return true
      const repeated: RepeatedLine = { count: 0, ids: [] }
      known.set(key, repeated)
      const timer = setInterval(() => {
        const { count, ids } = repeated
        if (count === 0) {
          clearInterval(timer)
          known.delete(key)
          return
        }
        repeated.count = 0
        repeated.ids = []
        tell({ repeated: count, ...(ids.length > 0 ? { ids } : {}) })
      }, windowMs).unref()
      return true
    },
  }
}
