import type { ChildProcess } from 'node:child_process'
import { performance } from 'node:perf_hooks'

/** The message tells a process that makes pictures whether it should pause while visitors are served. */
export interface Pause {
  isPausing: boolean
}

/** Above this share of the event loop's time the site counts as serving visitors. */
const BUSY_UTILIZATION = 0.05
const CHECK_INTERVAL_MS = 1_000

/** Tells a child process when visitors are served, and when they no longer are. @returns a function that ends this */
export function restWhileServing(child: ChildProcess): () => void {
  let before = performance.eventLoopUtilization()
  let isPaused = false
  const look = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const pause = performance.eventLoopUtilization(now, before).utilization > BUSY_UTILIZATION
    before = now
    if (pause === isPaused || !child.connected) return
    isPaused = pause
    child.send({ isPausing: pause } satisfies Pause, () => {})
  }, CHECK_INTERVAL_MS)
  return () => clearInterval(look)
}
