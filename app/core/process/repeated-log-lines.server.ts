/** A line that repeats within this time is counted instead of written. */
const WINDOW_MS = 60_000
/** One window keeps this many ids, so that an id shown to a visitor is found in the log. */
const MAX_IDS = 100
/** This many kinds of lines are remembered at once; lines of further kinds are all written. */
const MAX_KINDS = 1_000

interface RepeatedLine {
  count: number
  ids: unknown[]
}

/** The summary of a repeated line has its count, and the first of its ids. */
export interface RepeatSummary {
  repeated: number
  ids?: unknown[]
}

/**
 * Keeps a repeating error from filling the log: its first line is written, then its count once a minute, as long as it repeats.
 */
export function createRepeatCounter(windowMs = WINDOW_MS) {
  const lines = new Map<string, RepeatedLine>()
  return {
    /**
     * Counts a line.
     * @param key equal for lines of the same trouble
     * @param tell writes the summary of a window
     * @returns whether to write the line now
     */
    isNew(key: string, id: unknown, tell: (sum: RepeatSummary) => void): boolean {
      const knownLine = lines.get(key)
      if (knownLine) {
        knownLine.count++
        if (id !== undefined && knownLine.ids.length < MAX_IDS) knownLine.ids.push(id)
        return false
      }
      if (lines.size >= MAX_KINDS) return true
      const line: RepeatedLine = { count: 0, ids: [] }
      lines.set(key, line)
      const timer = setInterval(() => {
        const { count, ids } = line
        if (count === 0) {
          clearInterval(timer)
          lines.delete(key)
          return
        }
        line.count = 0
        line.ids = []
        tell({ repeated: count, ...(ids.length > 0 ? { ids } : {}) })
      }, windowMs).unref()
      return true
    },
  }
}
