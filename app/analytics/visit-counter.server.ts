import type { IncomingHttpHeaders } from 'node:http'
import { sql } from 'kysely'
import type { Services } from '#app/core/http/services.server.ts'
import { HOUR_MS } from '#app/core/time/durations.ts'
import { isoDateOf } from '#app/core/time/mexico-dates.ts'
import { isRobot, sourceOf } from './rules.ts'
import type { Source, VisitEvent } from './schema.ts'

/** Maximum that one network adds to one sum within an hour: enough for a school, too little for a script. */
const MAX_COUNT_PER_NETWORK = 60
/** Maximum of pairs of network and sum in memory. Further pairs are not counted until the next hour. */
const MAX_PAIRS = 100_000
/** Maximum of sums in memory. Further screens, sponsors and candidates are not counted until the next flush. */
const MAX_SUMS = 5_000

/** Day, event, target and source of a sum, joined by line feeds, which none of the four contains. */
type VisitKey = `${string}\n${VisitEvent}\n${string}\n${Source}`

export interface VisitCounter {
  /**
   * Counts a requested screen. It runs for every page, so it must cost next to nothing.
   * @param url path and query
   */
  countScreen(url: string, headers: IncomingHttpHeaders): void
  /**
   * Counts an event that a browser reports: a screen that was opened from within the site, a tap, a share. Events beyond
   * MAX_COUNT_PER_NETWORK are dropped silently.
   * @param client the visitor's network address; it stays in memory for an hour at most, and is not stored
   */
  countEvent(event: VisitEvent, target: string, client: string): void
  /** Writes the counts to the database. If that fails, they stay in memory for the next flush. */
  flush(): Promise<void>
}

const MAX_CACHED_ANSWERS = 1_000

/** Caches a function's answers; after MAX_CACHED_ANSWERS answers the cache is emptied. */
function memoize<T>(compute: (text: string) => T): (text: string) => T {
  const answers = new Map<string, T>()
  return (text) => {
    const cachedAnswer = answers.get(text)
    if (cachedAnswer !== undefined) return cachedAnswer
    if (answers.size >= MAX_CACHED_ANSWERS) answers.clear()
    const answer = compute(text)
    answers.set(text, answer)
    return answer
  }
}

/** Creates the counter of visits. It keeps sums by day, screen and source, and no personal data. */
export function createVisitCounter({ db, clock, log, settings }: Services): VisitCounter {
  const host = new URL(settings.publicUrl).hostname
  let sums = new Map<VisitKey, number>()
  let perNetwork = new Map<string, number>()
  let hour = 0

  /** Screens since the last flush, counted without a day: they get the day of the next flush, which is seconds away. */
  const screens = new Map<string, Map<Source, number>>()
  // A few referers and user agents repeat all the time, and parsing them costs more than all else.
  const sourceOfReferer = memoize((referer) => sourceOf(referer, '', host))
  const isRobotAgent = memoize((agent) => isRobot(agent))

  const add = (event: VisitEvent, target: string, source: Source, count = 1) => {
    const key: VisitKey = `${isoDateOf(clock.now())}\n${event}\n${target}\n${source}`
    const countBefore = sums.get(key)
    if (countBefore !== undefined || sums.size < MAX_SUMS) sums.set(key, (countBefore ?? 0) + count)
  }

  async function flush(): Promise<void> {
    for (const [path, bySource] of screens) for (const [source, count] of bySource) add('pantalla', path, source, count)
    screens.clear()
    if (sums.size === 0) return
    const flushedSums = sums
    sums = new Map()
    const rows = [...flushedSums].map(
      ([key, count]) => [...key.split('\n'), count] as [string, VisitEvent, string, Source, number],
    )
    const column = (index: number) => rows.map((row) => row[index])
    try {
      // The rows are sorted, so that processes do not deadlock.
      await sql`
        insert into visitas as v (dia, que, cual, fuente, cuenta)
        select * from unnest(${column(0)}::text[], ${column(1)}::text[], ${column(2)}::text[], ${column(3)}::text[],
          ${column(4)}::bigint[]) as n (dia, que, cual, fuente, cuenta) order by 1, 2, 3, 4
        on conflict (dia, que, cual, fuente) do update set cuenta = v.cuenta + excluded.cuenta`.execute(db)
    } catch (error) {
      log.warn({ err: error }, 'visits could not be written, and wait')
      for (const [key, count] of flushedSums) sums.set(key, (sums.get(key) ?? 0) + count)
    }
  }

  return {
    countScreen(url, headers) {
      const query = url.indexOf('?')
      const path = query === -1 ? url : url.slice(0, query)
      // Paths with a dot are files, or data for the router.
      if (path.includes('.')) return
      // Prefetched screens are not seen yet, and only requests for documents open a screen.
      if (headers['sec-purpose'] !== undefined || (headers['sec-fetch-dest'] ?? 'document') !== 'document') return
      if (isRobotAgent(headers['user-agent'] ?? '')) return
      const { referer } = headers
      const source =
        query === -1 && referer !== undefined
          ? sourceOfReferer(referer)
          : sourceOf(referer, query === -1 ? '' : url.slice(query), host)
      let bySource = screens.get(path)
      if (!bySource) {
        if (screens.size >= MAX_SUMS) return
        bySource = new Map()
        screens.set(path, bySource)
      }
      bySource.set(source, (bySource.get(source) ?? 0) + 1)
    },

    countEvent(event, target, client) {
      const now = Math.floor(clock.now().getTime() / HOUR_MS)
      if (now !== hour) {
        hour = now
        perNetwork = new Map()
      }
      const key = `${client}\n${event}\n${target}`
      const countBefore = perNetwork.get(key) ?? 0
      if (countBefore >= MAX_COUNT_PER_NETWORK || (countBefore === 0 && perNetwork.size >= MAX_PAIRS)) return
      perNetwork.set(key, countBefore + 1)
      add(event, target, 'sitio')
    },

    flush,
  }
}
