import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive, isWorkingDirectory, waitForEnd } from '#app/core/process/pid-info.server.ts'

const MAX_CHILDREN_WAIT_MS = 10_000

/**
 * Removes a killed server's lock file, whose process id is still taken: PostgreSQL would take that process for a running server.
 * First waits for the server's children, whose working directory is the folder. If they do not end in time, the file stays.
 */
export async function removeStaleLock(folder: string): Promise<void> {
  for (const deadlineMs = Date.now() + MAX_CHILDREN_WAIT_MS; await isWorkingDirectory(folder); await sleep(50))
    if (Date.now() > deadlineMs) return
  await rm(join(folder, 'postmaster.pid'), { force: true })
}

/**
 * Ends a server by fast shutdown or, if need be, by immediate shutdown, and then by force.
 * @returns true if the fast shutdown sufficed, or if its signal could not be sent, as to a process that has ended
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
 * Ends a server synchronously, since an exit handler cannot await.
 * @param isEnding whether the server has already been told to end; it then gets SIGQUIT at once
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
