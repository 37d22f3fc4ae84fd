import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive, isWorkingDirectory, waitForEnd } from '#app/core/process/pid-info.server.ts'

const MAX_CHILDREN_WAIT_MS = 10_000

/**
 * Removes the lock file of a killed server that its parent has not reaped: the process id is still taken, so PostgreSQL would
 * assume that the server runs. The server's children, whose working directory is the folder, must have ended first; if they do
 * not end in time, the file stays.
 */
export async function removeStaleLock(folder: string): Promise<void> {
  for (const deadlineMs = Date.now() + MAX_CHILDREN_WAIT_MS; await isWorkingDirectory(folder); await sleep(50))
    if (Date.now() > deadlineMs) return
  await rm(join(folder, 'postmaster.pid'), { force: true })
}

/**
 * Ends a server: by fast shutdown, by immediate shutdown, then by force.
 * @returns whether the fast shutdown was enough, or the server had ended already
 * @source https://www.postgresql.org/docs/current/server-shutdown.html
 */
export async function endServer(pid: number): Promise<boolean> {
  for (const [signal, waitMs] of [
    ['SIGINT', 4_000],
    ['SIGQUIT', 2_000],
    ['SIGKILL', 2_000],
  ] as const) {
    try {
      process.kill(pid, signal)
    } catch {
      return signal === 'SIGINT'
    }
    if (await waitForEnd(pid, waitMs)) return signal === 'SIGINT'
  }
  return false
}

/**
 * Ends a server synchronously, for an exit handler, which cannot await.
 * @param isEnding whether the server has been told to end already
 */
export function endServerNow(pid: number, isEnding: boolean): void {
  const steps = [
    ['SIGINT', isEnding ? 0 : 2_000],
    ['SIGQUIT', 1_000],
    ['SIGKILL', 1_000],
  ] as const
  const pause = new Int32Array(new SharedArrayBuffer(4))
  for (const [signal, waitMs] of steps) {
    try {
      process.kill(pid, signal)
    } catch {
      return
    }
    for (const deadlineMs = Date.now() + waitMs; Date.now() < deadlineMs; Atomics.wait(pause, 0, 0, 20))
      if (!isAlive(pid)) return
  }
}
