import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '#app/core/process/start-error.server.ts'
import type { SiteAnswer, SiteOrder } from '../sitio.ts'

/** The supervisor's handle of a process of the site. */
export interface RunningProcess {
  /** Folder of the version that the process runs. */
  folder: string
  /** Path of the Unix socket for health checks of this process alone. */
  healthSocket: string
  /** Process id; undefined if the process could not be started. */
  pid: number | undefined
  /** Resolves with the exit code or signal once the process has ended, or with an error's message if it could not be started. */
  ended: Promise<string>
  hasEnded(): boolean
  send(order: SiteOrder): void
  /**
   * Waits for an answer.
   * @throws StartError with the process's message for the operator, or when it ended; ReportedError when it failed; Error on
   * timeout or abort
   */
  waitFor(kind: SiteAnswer['que'], limits?: { timeoutMs?: number; signal?: AbortSignal | undefined }): Promise<void>
  kill(): void
}

/** Most memory with which LOW_MEMORY_FLAGS apply. Site, database and picture generation share the memory. */
const MAX_SMALL_SERVER_BYTES = 2 * 1024 ** 3
/** Node flags for a process of the site that uses little memory: the heap is collected before it grows. */
export const LOW_MEMORY_FLAGS = ['--max-old-space-size=192', '--max-semi-space-size=4']

/** Returns the Node flags for a process of the site: none on a larger machine, or if NODE_OPTIONS sets the heap's limit. */
function flagsFor({ NODE_OPTIONS = '' }: NodeJS.ProcessEnv): string[] {
  // Without a limit, constrainedMemory() is 0, or larger than any machine's memory.
  const memoryBytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  return memoryBytes > MAX_SMALL_SERVER_BYTES || NODE_OPTIONS.includes('max-old-space-size') ? [] : LOW_MEMORY_FLAGS
}

/** File descriptor of the bound port in every process of the site; 3 is the IPC channel's. */
export const PORT_HANDLE = { fd: 4 }

/** A failure whose reason a child process has printed itself: a process of the site, or the build. */
export class ReportedError extends Error {
  override name = 'ReportedError'
}

/**
 * Forks a process of the site from a version's folder. The process starts the site when it gets the order `arranca`.
 * @param portFd file descriptor of the bound port in this process
 */
export function startSiteProcess(folder: string, env: NodeJS.ProcessEnv, portFd: number): RunningProcess {
  // Only this account may enter the folder, and its path is short enough for a Unix socket, unlike that of some data folders.
  const privateFolder = mkdtempSync(join(tmpdir(), 'certamen-'))
  // A package has a bundled script, which takes less memory.
  const bundledScript = join(folder, 'ordenes/sitio.js')
  const child: ChildProcess = fork(existsSync(bundledScript) ? bundledScript : join(folder, 'scripts/sitio.ts'), [], {
    cwd: folder,
    // glibc's malloc keeps free memory in arenas, several per core; with two arenas it returns more memory (mallopt(3)).
    env: { MALLOC_ARENA_MAX: '2', ...env },
    execArgv: ['--disable-warning=ExperimentalWarning', ...flagsFor(env)],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc', portFd],
  })
  const answers: SiteAnswer[] = []
  child.on('message', (answer: SiteAnswer) => answers.push(answer))
  child.on('error', () => {})
  const ended = once(child, 'exit').then(
    ([code, signal]) => `${signal ?? code}`,
    (error: Error) => error.message,
  )
  void ended.then(() => rmSync(privateFolder, { recursive: true, force: true }))
  const hasEnded = () => child.pid === undefined || child.exitCode !== null || child.signalCode !== null

  return {
    folder,
    healthSocket: join(privateFolder, 'prueba.sock'),
    pid: child.pid,
    ended,
    hasEnded,
    send(order) {
      // An order to a process that has just ended is dropped.
      if (child.connected) child.send(order, () => {})
    },
    async waitFor(kind, { timeoutMs = Number.POSITIVE_INFINITY, signal } = {}) {
      for (const deadlineMs = Date.now() + timeoutMs; ; await sleep(15)) {
        const index = answers.findIndex(({ que }) => que === kind || que === 'falla')
        const [answer] = index < 0 ? [] : answers.splice(index, 1)
        if (answer?.que === 'falla') throw answer.dicha ? new StartError(answer.linea) : new ReportedError(answer.linea)
        if (answer) return
        if (signal?.aborted) throw new Error('se interrumpió')
        // Until the channel disconnects, messages sent before the end may still arrive.
        if (hasEnded() && !child.connected)
          throw new StartError(`El proceso del sitio terminó (${child.signalCode ?? child.exitCode}).`)
        if (Date.now() > deadlineMs) throw new Error(`no dio señales en ${Math.round(timeoutMs / 1000)} s`)
      }
    },
    kill: () => void child.kill('SIGKILL'),
  }
}
