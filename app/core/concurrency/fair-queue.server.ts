import { OverloadedError } from './limiter.server.ts'

/** Limits of one lane of costly work. */
export interface Lane {
  /** How many jobs may wait in the lane: further back, a job would wait longer than a browser does. */
  waiting: number
  /** How many waiting jobs may have the same key, so that no key fills the lane alone. */
  perKey: number
  /** The lane's weight in relation to other lanes with waiting jobs. */
  share: number
  /** Limits of a key even when nothing else waits; undefined: none. */
  cap?: {
    atOnce: number
    /** How long a key's place rests after a job, in milliseconds, by the time that the job took. */
    restMs(workedMs: number): number
  }
  /** How long a job waits before it is given up, in milliseconds; undefined: until its turn. */
  patienceMs?: number
}

interface Line extends Lane {
  /** Waiting jobs by key; the key whose turn is next stands first. */
  jobs: Map<string, (() => void)[]>
  count: number
  /** Places of each key that work or rest. */
  busy: Map<string, number>
  /** How much of its share the lane has used (stride scheduling): the lane that has used least is next. */
  had: number
}

/**
 * A fair queue: runs at most `atOnce` jobs, with waiting lines side by side. Within a lane the keys take turns.
 * @returns runs a job in its turn; throws OverloadedError when the lane, or the key's part of it, is full, or when the job has
 * waited longer than its lane allows
 * @source C. A. Waldspurger, W. E. Weihl: Stride Scheduling, MIT/LCS/TM-528, 1995
 */
export function createFairQueue<Name extends string>(
  atOnce: number,
  lanes: Record<Name, Lane>,
): <T>(name: Name, key: string, work: () => Promise<T>) => Promise<T> {
  const lines = new Map<string, Line>(
    Object.entries<Lane>(lanes).map(([name, lane]) => [
      name,
      { ...lane, jobs: new Map(), count: 0, busy: new Map(), had: 0 },
    ]),
  )
  let underWay = 0
  let hadLast = 0

  const mayBegin = ({ cap, busy }: Line, key: string) => !cap || (busy.get(key) ?? 0) < cap.atOnce

  function next(): void {
    if (underWay >= atOnce) return
    const [first] = [...lines.values()]
      .map((line) => ({ line, key: line.jobs.keys().find((key) => mayBegin(line, key)) }))
      .filter(({ key }) => key !== undefined)
      .sort((a, b) => a.line.had - b.line.had)
    if (first?.key === undefined) return
    const { line, key } = first
    const [job, ...others] = line.jobs.get(key)!
    // A key that has had its turn goes last.
    line.jobs.delete(key)
    if (others.length > 0) line.jobs.set(key, others)
    line.count--
    hadLast = line.had
    line.had += 1 / line.share
    underWay++
    line.busy.set(key, (line.busy.get(key) ?? 0) + 1)
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

  function free({ busy }: Line, key: string): void {
    const left = busy.get(key)! - 1
    if (left > 0) busy.set(key, left)
    else busy.delete(key)
    next()
  }

  return async (name, key, work) => {
    const line = lines.get(name)!
    const mine = line.jobs.get(key) ?? []
    const mustWait = underWay >= atOnce || !mayBegin(line, key)
    if (mustWait && (line.count >= line.waiting || mine.length >= line.perKey)) throw new OverloadedError()
    // An empty lane does not save up turns.
    if (line.count === 0) line.had = Math.max(line.had, hadLast)
    line.count++
    await new Promise<void>((resolve, reject) => {
      const { patienceMs } = line
      const late =
        mustWait && patienceMs !== undefined
          ? setTimeout(() => giveUp(line, key, job) && reject(new OverloadedError()), patienceMs)
          : undefined
      const job = () => {
        clearTimeout(late)
        resolve()
      }
      line.jobs.set(key, [...mine, job])
      next()
    })
    const began = performance.now()
    try {
      return await work()
    } finally {
      underWay--
      const restMs = line.cap?.restMs(performance.now() - began) ?? 0
      if (restMs > 0) setTimeout(free, restMs, line, key)
      else free(line, key)
      next()
    }
  }
}
