import { OverloadedError } from './limiter.server.ts'

/** Limits of one kind of costly work. */
export interface QueueLane {
  maxWaiting: number
  /** Maximum number of waiting jobs of one key, so that no key fills the lane alone. */
  maxWaitingPerKey: number
  /** The lane's share of the turns, relative to the weights of the other lanes with waiting jobs. */
  weight: number
  /** Limits of each key, which hold even if no other job waits. */
  cap?: {
    maxConcurrent: number
    /** Returns how long a key's slot stays unused after a job that took `workedMs`. */
    restMs(workedMs: number): number
  }
  /** A job that has waited this long is given up. */
  maxWaitMs?: number
}

interface LaneState extends QueueLane {
  /** Waiting jobs by key; the first key is the next to have a turn. */
  jobs: Map<string, (() => void)[]>
  waitingCount: number
  /** Slots of each key that are working or resting. */
  busySlots: Map<string, number>
  /** The pass of stride scheduling. The lane with the lowest pass is next, and each turn adds the inverse of the weight to it. */
  pass: number
}

/**
 * Creates a fair queue, which runs at most `maxConcurrent` jobs at a time. Lanes share the turns by weight, and within a lane the
 * keys take turns.
 * @returns a function that runs a job in its turn; it throws OverloadedError if too many jobs of the lane or the key are waiting,
 * or if the job has waited longer than its lane allows
 * @source C. A. Waldspurger, W. E. Weihl: Stride Scheduling, MIT/LCS/TM-528, 1995
 */
export function createFairQueue<Name extends string>(
  maxConcurrent: number,
  lanes: Record<Name, QueueLane>,
): <T>(name: Name, key: string, work: () => Promise<T>) => Promise<T> {
  const laneByName = new Map<string, LaneState>(
    Object.entries<QueueLane>(lanes).map(([name, limits]) => [
      name,
      { ...limits, jobs: new Map(), waitingCount: 0, busySlots: new Map(), pass: 0 },
    ]),
  )
  let runningCount = 0
  let lastPass = 0

  const mayStart = ({ cap, busySlots }: LaneState, key: string) => !cap || (busySlots.get(key) ?? 0) < cap.maxConcurrent

  function startNext(): void {
    if (runningCount >= maxConcurrent) return
    const [next] = [...laneByName.values()]
      .map((lane) => ({ lane, key: lane.jobs.keys().find((key) => mayStart(lane, key)) }))
      .filter(({ key }) => key !== undefined)
      .sort((a, b) => a.lane.pass - b.lane.pass)
    if (next?.key === undefined) return
    const { lane, key } = next
    const [job, ...laterJobs] = lane.jobs.get(key)!
    // A key that has had its turn moves to the end of the map.
    lane.jobs.delete(key)
    if (laterJobs.length > 0) lane.jobs.set(key, laterJobs)
    lane.waitingCount--
    lastPass = lane.pass
    lane.pass += 1 / lane.weight
    runningCount++
    lane.busySlots.set(key, (lane.busySlots.get(key) ?? 0) + 1)
    job!()
  }

  /** Removes a waiting job. @returns false if the job has already started */
  function giveUp(lane: LaneState, key: string, job: () => void): boolean {
    const jobs = lane.jobs.get(key)
    if (!jobs?.includes(job)) return false
    const otherJobs = jobs.filter((waitingJob) => waitingJob !== job)
    if (otherJobs.length > 0) lane.jobs.set(key, otherJobs)
    else lane.jobs.delete(key)
    lane.waitingCount--
    return true
  }

  function releaseSlot({ busySlots }: LaneState, key: string): void {
    const slotCount = busySlots.get(key)! - 1
    if (slotCount > 0) busySlots.set(key, slotCount)
    else busySlots.delete(key)
    startNext()
  }

  return async (name, key, work) => {
    const lane = laneByName.get(name)!
    const waitingJobs = lane.jobs.get(key) ?? []
    const mustWait = runningCount >= maxConcurrent || !mayStart(lane, key)
    if (mustWait && (lane.waitingCount >= lane.maxWaiting || waitingJobs.length >= lane.maxWaitingPerKey))
      throw new OverloadedError()
    // A lane saves up no turns while it is empty.
    if (lane.waitingCount === 0) lane.pass = Math.max(lane.pass, lastPass)
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
