import type { ChildProcess } from 'node:child_process'
import { performance } from 'node:perf_hooks'

/** Said to a process that makes pictures: whether visitors are being served, so that it waits. */
export interface Pause {
  pausa: boolean
}

/** A site that spends more than this share of a second on answers is serving visitors. */
const SERVING = 0.05
const LOOK_MS = 1_000

/** Tells a process beside the site when visitors are served, and when no longer. @returns what ends it */
export function restWhileServing(child: ChildProcess): () => void {
  let before = performance.eventLoopUtilization()
  let said = false
  const look = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const pause = performance.eventLoopUtilization(now, before).utilization > SERVING
    before = now
    if (pause === said || !child.connected) return
    said = pause
    child.send({ pausa: pause } satisfies Pause, () => {})
  }, LOOK_MS)
  return () => clearInterval(look)
}
