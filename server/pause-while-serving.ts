import type { ChildProcess } from 'node:child_process'
import { performance } from 'node:perf_hooks'

/** Message to a process that generates pictures: whether it must pause, because visitors are being served. */
export interface PauseMessage {
  isPausing: boolean
}

/** Share of the event loop's time above which the site counts as serving visitors. */
const BUSY_UTILIZATION = 0.05
const CHECK_INTERVAL_MS = 1_000

/** Makes a child process pause while visitors are being served. @returns a function that stops the watching */
export function pauseWhileServing(child: ChildProcess): () => void {
  let previous = performance.eventLoopUtilization()
  let isPaused = false
  const timer = setInterval(() => {
    const current = performance.eventLoopUtilization()
    const isBusy = performance.eventLoopUtilization(current, previous).utilization > BUSY_UTILIZATION
    previous = current
    if (isBusy === isPaused || !child.connected) return
    isPaused = isBusy
    child.send({ isPausing: isBusy } satisfies PauseMessage, () => {})
  }, CHECK_INTERVAL_MS)
  return () => clearInterval(timer)
}
