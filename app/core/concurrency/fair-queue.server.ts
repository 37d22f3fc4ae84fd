import { OverloadedError } from './limiter.server.ts'

/** A lane limits one kind of costly work. */
export interface Lane {
  /** At most this many jobs may wait in the lane: further back, a job would wait longer than a browser does. */
  maxWaiting: number
  /** At most this many waiting jobs may have the same key, so that no key fills the lane alone. */
  maxWaitingPerKey: number
  /** The weight stands in relation to that of other lanes with waiting jobs. */
  weight: number
  /** A key has these limits even when nothing else waits; undefined: none. */
  cap?: {
    atOnce: number
    /** Returns how long a key's place rests after a job, in milliseconds, by the time that the job took. */
    restMs(workedMs: number): number
  }
  /** A job is given up after waiting this long, in milliseconds; undefined: it waits until its turn. */
  patienceMs?: number
}

interface Line extends Lane {
  /** Waiting jobs stand by key; the first key is the next to have a turn. */
  jobs: Map<string, (() => void)[]>
  count: number
  /** Counts each key's places that work or rest. */
  busyPlaces: Map<string, number>
  /** The lane with the lowest value is next (stride scheduling); each turn adds the inverse of the lane's weight. */
  usedShare: number
}

/**
 * Creates a fair queue, which runs at most `atOnce` jobs. Lanes share the turns by weight, and within a lane the keys take turns.
 * @returns a function that runs a job in its turn; it throws OverloadedError when the lane, or the key's part of it, is full, or
 * when the job has waited longer than its lane allows
 * @source C. A. Waldspurger, W. E. Weihl: Stride Scheduling, MIT/LCS/TM-528, 1995
 */
export function createFairQueue<Name extends string>(
  atOnce: number,
  lanes: Record<Name, Lane>,
): <T>(name: Name, key: string, work: () => Promise<T>) => Promise<T> {
  const lines = new Map<string, Line>(
    Object.entries<Lane>(lanes).map(([name, lane]) => [
      name,
      { ...lane, jobs: new Map(), count: 0, busyPlaces: new Map(), usedShare: 0 },
    ]),
  )
  let runningCount = 0
  let lastUsedShare = 0

  const mayBegin = ({ cap, busyPlaces }: Line, key: string) => !cap || (busyPlaces.get(key) ?? 0) < cap.atOnce

  function startNext(): void {
    if (runningCount >= atOnce) return
    const [first] = [...lines.values()]
      .map((line) => ({ line, key: line.jobs.keys().find((key) => mayBegin(line, key)) }))
      .filter(({ key }) => key !== undefined)
      .sort((a, b) => a.line.usedShare - b.line.usedShare)
    if (first?.key === undefined) return
    const { line, key } = first
    const [job, ...others] = line.jobs.get(key)!
    // A key that has had its turn goes last.
    line.jobs.delete(key)
    if (others.length > 0) line.jobs.set(key, others)
    line.count--
    lastUsedShare = line.usedShare
    line.usedShare += 1 / line.weight
    runningCount++
    line.busyPlaces.set(key, (line.busyPlaces.get(key) ?? 0) + 1)
    job!()
  }

  function giveUp(line: Line, key: string, job: () => void): boolean {
    const jobs = line.jobs.get(key)
    if (!jobs?.includes(job)) return false
    const others = jobs.filter((other) => other !== job)
    if (others.length > 0) line.jobs.set(key, others)
    else line.jobs.delete(key)
    line.count--
    return true
  }

  function releasePlace({ busyPlaces }: Line, key: string): void {
    const left = busyPlaces.get(key)! - 1
    if (left > 0) busyPlaces.set(key, left)
    else busyPlaces.delete(key)
    startNext()
  }

  return async (name, key, work) => {
    const line = lines.get(name)!
    const waitingJobs = line.jobs.get(key) ?? []
    const mustWait = runningCount >= atOnce || !mayBegin(line, key)
    if (mustWait && (line.count >= line.maxWaiting || waitingJobs.length >= line.maxWaitingPerKey))
      throw new OverloadedError()
    // An empty lane does not save up turns.
    if (line.count === 0) line.usedShare = Math.max(line.usedShare, lastUsedShare)
    line.count++
    await new Promise<void>((resolve, reject) => {
      const { patienceMs } = line
      const patienceTimer =
        mustWait && patienceMs !== undefined
          ? setTimeout(() => giveUp(line, key, job) && reject(new OverloadedError()), patienceMs)
          : undefined
      const job = () => {
        clearTimeout(patienceTimer)
        resolve()
      }
      line.jobs.set(key, [...waitingJobs, job])
      startNext()
    })
    const startedAtMs = performance.now()
    try {
      return await work()
    } finally {
      runningCount--
      const restMs = line.cap?.restMs(performance.now() - startedAtMs) ?? 0
      if (restMs > 0) setTimeout(releasePlace, restMs, line, key)
      else releasePlace(line, key)
      startNext()
    }
  }
}
