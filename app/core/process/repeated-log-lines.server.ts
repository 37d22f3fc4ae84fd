import { MINUTE_MS } from '#app/core/time/durations.ts'

/** A line that repeats within this time is counted instead of logged. */
const WINDOW_MS = MINUTE_MS
/** A window keeps at most this many ids, so that an id shown to a visitor can be found in the log. */
const MAX_IDS = 100
/** Most kinds of lines that are counted at once. All lines of further kinds are logged. */
const MAX_KINDS = 1_000

interface RepeatedLine {
  count: number
  ids: unknown[]
}

export interface RepeatSummary {
  repeated: number
  /** Ids of the repeated lines, MAX_IDS at most; absent if no line had an id. */
  ids?: unknown[]
}

/**
 * Keeps a repeated error from filling the log. Its first line is logged, and then its count once a minute, as long as it repeats.
 */
export function createRepeatCounter(windowMs = WINDOW_MS) {
  const linesByKey = new Map<string, RepeatedLine>()
  return {
    /**
     * Counts a line.
     * @param key equal for lines about the same fault
     * @param writeSummary logs the summary of a window
     * @returns whether to log the line now
     */
    isNew(key: string, id: unknown, writeSummary: (summary: RepeatSummary) => void): boolean {
      const knownLine = linesByKey.get(key)
      if (knownLine) {
        knownLine.count++
        if (id !== undefined && knownLine.ids.length < MAX_IDS) knownLine.ids.push(id)
        return false
      }
      if (linesByKey.size >= MAX_KINDS) return true
      const line: RepeatedLine = { count: 0, ids: [] }
      linesByKey.set(key, line)
      const timer = setInterval(() => {
        const { count, ids } = line
        if (count === 0) {
          clearInterval(timer)
          linesByKey.delete(key)
          return
        }
        line.count = 0
        line.ids = []
        writeSummary({ repeated: count, ...(ids.length > 0 ? { ids } : {}) })
      }, windowMs).unref()
      return true
    },
  }
}
