import { readFileSync } from 'node:fs'
import { readdir, readFile, readlink, realpath } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** Whether a process runs (ours or not). */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !isUnburied(pid)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Whether a process has ended and only its number is left, since its parent has not reaped it. */
export function isUnburied(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat[stat.lastIndexOf(')') + 2] === 'Z'
  } catch {
    return false
  }
}

/** Whether a process works in a folder, as far as the system says. */
export async function isWorkedIn(folder: string): Promise<boolean> {
  const real = await realpath(folder)
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const places = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => undefined)))
  return places.includes(real)
}

/** A value that tells a process from a later one with the same number; undefined where the system does not say. */
export async function processBirth(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    // Field 22 is the time of the start. It is counted from behind the name, which may hold spaces and parentheses; the
    // boot id keeps it unique over restarts of the machine.
    const birth = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    return `${(await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()}/${birth}`
  } catch {
    return undefined
  }
}

/** Within what a process's number means anything: its machine's start and its container; undefined where the system does not say. */
export async function numberSpace(): Promise<string | undefined> {
  try {
    const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
    return `${boot}/${await readlink('/proc/self/ns/pid')}`
  } catch {
    return undefined
  }
}

/** The words a process was started with; empty where the system does not say. */
export async function commandLine(pid: number): Promise<string[]> {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0')
  } catch {
    return []
  }
}

/** @returns whether the process ended within the time */
export async function waitForEnd(pid: number, timeoutMs: number): Promise<boolean> {
  for (const end = Date.now() + timeoutMs; Date.now() < end; await sleep(20)) if (!isAlive(pid)) return true
  return !isAlive(pid)
}
