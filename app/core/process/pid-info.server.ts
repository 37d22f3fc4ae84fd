import { readFileSync } from 'node:fs'
import { readdir, readFile, readlink, realpath } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from './durable-files.server.ts'

/** Returns whether a process of any account runs. A zombie of this account does not, where /proc shows it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !isZombie(pid)
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

/**
 * Returns whether a process is a zombie: it has ended, but its parent has not reaped it. Without /proc, and for a reaped process,
 * the result is false.
 */
export function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat[stat.lastIndexOf(')') + 2] === 'Z'
  } catch {
    return false
  }
}

/** Returns whether /proc shows a process whose working directory is the folder. */
export async function isWorkingDirectory(folder: string): Promise<boolean> {
  const realFolder = await realpath(folder)
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const workingDirs = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => undefined)))
  return workingDirs.includes(realFolder)
}

const readBootId = async () => (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()

/**
 * Returns the start time of a process, by which it differs from a later process with the same id.
 * @returns undefined without /proc, and if the process has ended
 */
export async function processStartTime(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The start time is field 22 of /proc/<pid>/stat (proc(5)). Fields are counted from the end of the name in parentheses, since
    // the name may contain spaces and parentheses. The boot id makes the time unique over restarts of the machine.
    const startTime = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    return `${await readBootId()}/${startTime}`
  } catch {
    return undefined
  }
}

/**
 * Returns the namespace in which this process's id is valid: boot of the machine, and container.
 * @returns undefined without /proc
 */
export async function currentPidNamespace(): Promise<string | undefined> {
  try {
    return `${await readBootId()}/${await readlink('/proc/self/ns/pid')}`
  } catch {
    return undefined
  }
}

/** Returns the words of a process's command line; none without /proc, or if the process has ended. */
export async function commandLine(pid: number): Promise<string[]> {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0')
  } catch {
    return []
  }
}

/** Waits for a process to end. @returns whether it ended within the time */
export async function waitForEnd(pid: number, timeoutMs: number): Promise<boolean> {
  for (const deadlineMs = Date.now() + timeoutMs; Date.now() < deadlineMs; await sleep(20))
    if (!isAlive(pid)) return true
  return !isAlive(pid)
}
