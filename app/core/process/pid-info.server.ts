import { readFileSync } from 'node:fs'
import { readdir, readFile, readlink, realpath } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from './durable-files.server.ts'

/** Returns whether a process runs, under any account. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !isZombie(pid)
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

/**
 * Returns whether a process is a zombie: it has ended, but its parent has not reaped it. Where the system has no /proc, the
 * answer is false.
 */
export function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat[stat.lastIndexOf(')') + 2] === 'Z'
  } catch {
    return false
  }
}

/** Returns whether any process has a folder as its working directory, as far as /proc shows. */
export async function isWorkingDirectory(folder: string): Promise<boolean> {
  const realFolder = await realpath(folder)
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const workingDirs = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => undefined)))
  return workingDirs.includes(realFolder)
}

const bootId = async () => (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()

/** Tells a process from a later one with the same id; undefined where the system does not show it. */
export async function processBirth(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    // Field 22 of /proc/<pid>/stat is the start time (proc(5)). It is counted from behind the name, which may hold spaces and
    // parentheses; the boot id keeps it unique over restarts of the machine.
    const birth = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    return `${await bootId()}/${birth}`
  } catch {
    return undefined
  }
}

/**
 * Returns the namespace in which process ids are valid: the machine's boot and the container; undefined where the system does not
 * show it.
 */
export async function currentPidNamespace(): Promise<string | undefined> {
  try {
    return `${await bootId()}/${await readlink('/proc/self/ns/pid')}`
  } catch {
    return undefined
  }
}

/** Returns the command line of a process; empty where the system does not show it. */
export async function commandLine(pid: number): Promise<string[]> {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0')
  } catch {
    return []
  }
}

/** Waits for a process to end. @returns whether it ended within the time */
export async function waitForEnd(pid: number, timeoutMs: number): Promise<boolean> {
  for (const end = Date.now() + timeoutMs; Date.now() < end; await sleep(20)) if (!isAlive(pid)) return true
  return !isAlive(pid)
}
