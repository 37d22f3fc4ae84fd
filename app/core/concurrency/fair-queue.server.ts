import { OverloadedError } from './limiter.server.ts'

/** Limits of one kind of costly work. */
export interface Lane {
  /** Most jobs that may wait in the lane: further back, a job would wait longer than a browser does. */
  maxWaiting: number
  /** Most waiting jobs of one key, so that no key fills the lane alone. */
  maxWaitingPerKey: number
  /** Share of the turns, relative to the weights of the other lanes with waiting jobs. */
  weight: number
  /** Limits of each key, also when no other job waits; undefined: none. */
  cap?: {
    maxConcurrent: number
    /** Returns for how many milliseconds a key's slot stays unused after a job that took `workedMs`. */
    restMs(workedMs: number): number
  }
  /** A job is given up after waiting for this many milliseconds; undefined: never. */
  maxWaitMs?: number
}

interface LaneState extends Lane {
  /** Waiting jobs by key; the first key is the next to have a turn. */
  jobs: Map<string, (() => void)[]>
  waitingCount: number
  /** Slots of each key that are working or resting. */
  busySlots: Map<string, number>
  /** The pass value of stride scheduling: the lane with the lowest is next, and each turn adds the inverse of the weight. */
  usedShare: number
}

/**
 * Creates a fair queue, which runs at most `maxConcurrent` jobs. Lanes share the turns by weight, and within a lane the keys take
 * turns.
 * @returns a function that runs a job in its turn; it throws OverloadedError when the lane or the key has its most waiting jobs,
 * or when the job has waited longer than its lane allows
 * @source C. A. Waldspurger, W. E. Weihl: Stride Scheduling, MIT/LCS/TM-528, 1995
 */
export function createFairQueue<Name extends string>(
  maxConcurrent: number,
  lanes: Record<Name, Lane>,
): <T>(name: Name, key: string, work: () => Promise<T>) => Promise<T> {
  const laneStates = new Map<string, LaneState>(
    Object.entries<Lane>(lanes).map(([name, limits]) => [
      name,
      { ...limits, jobs: new Map(), waitingCount: 0, busySlots: new Map(), usedShare: 0 },
    ]),
  )
  let runningCount = 0
  let lastUsedShare = 0

  const mayBegin = ({ cap, busySlots }: LaneState, key: string) => !cap || (busySlots.get(key) ?? 0) < cap.maxConcurrent

  function startNext(): void {
    if (runningCount >= maxConcurrent) return
    const [first] = [...laneStates.values()]
      .map((lane) => ({ lane, key: lane.jobs.keys().find((key) => mayBegin(lane, key)) }))
      .filter(({ key }) => key !== undefined)
      .sort((a, b) => a.lane.usedShare - b.lane.usedShare)
    if (first?.key === undefined) return
    const { lane, key } = first
    const [job, ...others] = lane.jobs.get(key)!
    // A key that has had its turn goes last.
    lane.jobs.delete(key)
    if (others.length > 0) lane.jobs.set(key, others)
    lane.waitingCount--
    lastUsedShare = lane.usedShare
    lane.usedShare += 1 / lane.weight
    runningCount++
    lane.busySlots.set(key, (lane.busySlots.get(key) ?? 0) + 1)
    job!()
  }

  function giveUp(lane: LaneState, key: string, job: () => void): boolean {
    const jobs = lane.jobs.get(key)
    if (!jobs?.includes(job)) return false
    const others = jobs.filter((other) => other !== job)
    if (others.length > 0) lane.jobs.set(key, others)
    else lane.jobs.delete(key)
    lane.waitingCount--
    return true
  }

  function releaseSlot({ busySlots }: LaneState, key: string): void {
    const left = busySlots.get(key)! - 1
    if (left > 0) busySlots.set(key, left)
    else busySlots.delete(key)
    startNext()
  }

  return async (name, key, work) => {
    const lane = laneStates.get(name)!
    const waitingJobs = lane.jobs.get(key) ?? []
    const mustWait = runningCount >= maxConcurrent || !mayBegin(lane, key)
    if (mustWait && (lane.waitingCount >= lane.maxWaiting || waitingJobs.length >= lane.maxWaitingPerKey))
      throw new OverloadedError()
    // An empty lane does not save up turns.
    if (lane.waitingCount === 0) lane.usedShare = Math.max(lane.usedShare, lastUsedShare)
    lane.waitingCount++
    await new Promise<void>((resolve, reject) => {
      const { maxWaitMs } = lane
      const waitTimer =
        mustWait && maxWaitMs !== undefined
          ? setTimeout(() => giveUp(lane, key, job) && reject(new OverloadedError()), maxWaitMs)
          : undefined
      const job = () => {
        clearTimeout(waitTimer)
        resolve()
      }
      lane.jobs.set(key, [...waitingJobs, job])
      startNext()
    })
    const startedAtMs = performance.now()
    try {
      return await work()
    } finally {
      runningCount--
      const restMs = lane.cap?.restMs(performance.now() - startedAtMs) ?? 0
      if (restMs > 0) setTimeout(releaseSlot, restMs, lane, key)
      else releaseSlot(lane, key)
      startNext()
    }
  }
}
