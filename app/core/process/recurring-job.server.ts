import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from './log.server.ts'

export interface RecurringJob {
  /** The log calls the job so. */
  name: string
  /** Milliseconds from the end of a run to the next: runs neither overlap nor pile up, and a leap of the clock changes nothing. */
  everyMs: number
  /** Milliseconds from the start to the first run. */
  firstMs?: number
  /** A stop waits at most this many milliseconds for the run under way; without a limit it waits for its end. */
  patienceMs?: number
  /** @param stopping aborts when the site stops */
  run(stopping: AbortSignal): Promise<unknown>
}

/**
 * Runs a job in this process again and again. A run that fails is logged, and the next comes in its time.
 * @returns a function that stops the job
 */
export function startJob(
  log: Pick<Log, 'warn'>,
  { name, everyMs, firstMs = 0, patienceMs, run }: RecurringJob,
): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  const rest = (ms: number) => sleep(ms, undefined, { signal, ref: false }).catch(() => {})
  async function repeat(): Promise<void> {
    if (firstMs > 0) await rest(firstMs)
    while (!signal.aborted) {
      try {
        await run(signal)
      } catch (error) {
        if (!signal.aborted) log.warn({ err: error, job: name }, 'a job failed; it runs again')
      }
      await rest(everyMs)
    }
  }
  const runs = repeat()
  return async () => {
    stopping.abort()
    await (patienceMs === undefined ? runs : Promise.race([runs, sleep(patienceMs, undefined, { ref: false })]))
  }
}
