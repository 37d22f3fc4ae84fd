import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from './log.server.ts'

export interface RecurringJob {
  /** Name in the log. */
  name: string
  /** Pause between the end of a run and the next run, so that runs neither overlap nor pile up. */
  everyMs: number
  /** Pause before the first run; 0 by default. */
  firstDelayMs?: number
  /** A stop waits at most this long for a run under way, or until the run's end if undefined. */
  maxStopWaitMs?: number
  /** @param stopping aborts when the site stops */
  run(stopping: AbortSignal): Promise<unknown>
}

/**
 * Runs a job repeatedly in this process. A failed run is logged, and the next run follows as usual.
 * @returns a function that stops the job
 */
export function startJob(
  log: Pick<Log, 'warn'>,
  { name, everyMs, firstDelayMs = 0, maxStopWaitMs, run }: RecurringJob,
): () => Promise<void> {
  const stopController = new AbortController()
  const { signal } = stopController
  const pause = (ms: number) => sleep(ms, undefined, { signal, ref: false }).catch(() => {})
  async function repeat(): Promise<void> {
    if (firstDelayMs > 0) await pause(firstDelayMs)
    while (!signal.aborted) {
      try {
        await run(signal)
      } catch (error) {
        if (!signal.aborted) log.warn({ err: error, job: name }, 'a job failed; it runs again')
      }
      await pause(everyMs)
    }
  }
  const runs = repeat()
  return async () => {
    stopController.abort()
    await (maxStopWaitMs === undefined ? runs : Promise.race([runs, sleep(maxStopWaitMs, undefined, { ref: false })]))
  }
}
