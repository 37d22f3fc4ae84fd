import type { IncomingMessage } from 'node:http'
import { sql } from 'kysely'
import type { Services } from '#app/core/http/services.server.ts'
import { HOUR_MS } from '#app/core/time/durations.ts'
import { isoDateOf } from '#app/core/time/mexico-dates.ts'
import { isRobot, sourceOf } from './rules.ts'
import type { VisitEvent, VisitSource } from './schema.ts'

/**
 * One network can add at most this many reported events to a sum in each hour of the clock, which is enough for a school and too
 * little for a script. Requested screens (`countScreen`) have no such limit, since all phones of a town may share one address of
 * their mobile network.
 */
const MAX_COUNT_PER_NETWORK = 60
/** Most pairs of network and sum in memory. Further pairs are not counted until the next hour. */
const MAX_PAIRS = 100_000
/**
 * Limit for the screens, and for the sums, that wait for a flush. Further ones are not counted until the next flush. Sums that
 * come back from a failed flush may exceed it.
 */
const MAX_SUMS = 5_000

/** Day, event, target and source of a sum, joined by line feeds, which none of the four contains. */
type VisitKey = `${string}\n${VisitEvent}\n${string}\n${VisitSource}`

export interface VisitCounter {
  /**
   * Counts a requested screen that is served from memory. It must be fast, since it runs for every such page.
   * @param request counts only if it is a GET for a document, its path has no dot, and it is no prefetch and not from a robot
   */
  countScreen(request: Pick<IncomingMessage, 'method' | 'url' | 'headers'>): void
  /**
   * Counts an event that a browser reports: a screen that was opened from within the site, a tap, or a share. Silently drops
   * events beyond MAX_COUNT_PER_NETWORK, MAX_PAIRS or MAX_SUMS.
   * @param client the visitor's network, which stays in memory until the first event of another hour, and is not stored
   */
  countEvent(event: VisitEvent, target: string, client: string): void
  /** Writes the counts to the database. If that fails, they stay in memory for the next flush. */
  flush(): Promise<void>
}

const MAX_CACHED_RESULTS = 1_000

/** Caches a function's results. The cache is emptied when it has MAX_CACHED_RESULTS. */
function memoize<T>(compute: (text: string) => T): (text: string) => T {
  const results = new Map<string, T>()
  return (text) => {
    const cachedResult = results.get(text)
    if (cachedResult !== undefined) return cachedResult
    if (results.size >= MAX_CACHED_RESULTS) results.clear()
    const result = compute(text)
    results.set(text, result)
    return result
  }
}

/** Creates the counter of visits. It stores sums by day, event, target and source, and no personal data. */
export function createVisitCounter({ db, clock, log, settings }: Services): VisitCounter {
  const host = new URL(settings.publicUrl).hostname
  let sums = new Map<VisitKey, number>()
  let countsByPair = new Map<string, number>()
  let countedHour = 0

  /** Counts of the screens since the last flush. They go to the day of the next flush, which is seconds away. */
  const countsByPath = new Map<string, Map<VisitSource, number>>()
  // A few referers and user agents repeat all the time, and parsing them takes longer than all else.
  const sourceOfReferer = memoize((referer) => sourceOf(referer, '', host))
  const isRobotAgent = memoize((agent) => isRobot(agent))

  const addToSum = (event: VisitEvent, target: string, source: VisitSource, count = 1) => {
    const key: VisitKey = `${isoDateOf(clock.now())}\n${event}\n${target}\n${source}`
    const countBefore = sums.get(key)
    if (countBefore !== undefined || sums.size < MAX_SUMS) sums.set(key, (countBefore ?? 0) + count)
  }

  async function flush(): Promise<void> {
    for (const [path, bySource] of countsByPath)
      for (const [source, count] of bySource) addToSum('pantalla', path, source, count)
    countsByPath.clear()
    if (sums.size === 0) return
    const flushedSums = sums
    sums = new Map()
    const rows = [...flushedSums].map(
      ([key, count]) => [...key.split('\n'), count] as [string, VisitEvent, string, VisitSource, number],
    )
    const columnOf = (index: number) => rows.map((row) => row[index])
    try {
      // The rows are sorted, so that concurrent processes lock them in the same order and do not deadlock.
      await sql`
        insert into visitas as v (dia, que, cual, fuente, cuenta)
        select * from unnest(${columnOf(0)}::text[], ${columnOf(1)}::text[], ${columnOf(2)}::text[], ${columnOf(3)}::text[],
          ${columnOf(4)}::bigint[]) as n (dia, que, cual, fuente, cuenta) order by 1, 2, 3, 4
        on conflict (dia, que, cual, fuente) do update set cuenta = v.cuenta + excluded.cuenta`.execute(db)
    } catch (error) {
      log.warn({ err: error }, 'visits could not be written, and wait')
      for (const [key, count] of flushedSums) sums.set(key, (sums.get(key) ?? 0) + count)
    }
  }

  return {
    countScreen({ method, url = '', headers }) {
      if (method !== 'GET') return
      const queryIndex = url.indexOf('?')
      const path = queryIndex === -1 ? url : url.slice(0, queryIndex)
      // Paths with a dot are files, or data for the router.
      if (path.includes('.')) return
      // A prefetched screen has not been seen yet. Requests for anything but documents open no screen.
      if (headers['sec-purpose'] !== undefined || (headers['sec-fetch-dest'] ?? 'document') !== 'document') return
      if (isRobotAgent(headers['user-agent'] ?? '')) return
      const { referer } = headers
      const source =
        queryIndex === -1 && referer !== undefined
          ? sourceOfReferer(referer)
          : sourceOf(referer, queryIndex === -1 ? '' : url.slice(queryIndex), host)
      let bySource = countsByPath.get(path)
      if (!bySource) {
        if (countsByPath.size >= MAX_SUMS) return
        bySource = new Map()
        countsByPath.set(path, bySource)
      }
      bySource.set(source, (bySource.get(source) ?? 0) + 1)
    },

    countEvent(event, target, client) {
      const currentHour = Math.floor(clock.now().getTime() / HOUR_MS)
      if (currentHour !== countedHour) {
        countedHour = currentHour
        countsByPair = new Map()
      }
      const key = `${client}\n${event}\n${target}`
      const countBefore = countsByPair.get(key) ?? 0
      if (countBefore >= MAX_COUNT_PER_NETWORK || (countBefore === 0 && countsByPair.size >= MAX_PAIRS)) return
      countsByPair.set(key, countBefore + 1)
      addToSum(event, target, 'sitio')
    },

    flush,
  }
}
