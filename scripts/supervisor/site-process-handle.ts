import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '#app/core/process/start-error.server.ts'
import type { Answer, Order } from '../sitio.ts'

/** The supervisor sees a process of the site as a `RunningProcess`. */
export interface RunningProcess {
  /** The folder of the version that the process runs. */
  folder: string
  /** The path of the Unix socket for health checks of this process alone. */
  healthSocket: string
  pid: number | undefined
  /** `ended` resolves with the exit code or signal once the process has ended. */
  ended: Promise<string>
  hasEnded(): boolean
  /** Sends an order. */
  tell(order: Order): void
  /**
   * Waits for an answer.
   * @throws StartError with the process's message for people; AlreadyReported when it failed or ended; Error on timeout or abort
   */
  hear(kind: Answer['que'], within?: { ms?: number; signal?: AbortSignal | undefined }): Promise<void>
  kill(): void
}

/** A server with at most this much memory, in bytes, counts as small: site, database and picture making must share it. */
const SMALL_BYTES = 2 * 1024 ** 3
/** These Node flags keep a process of the site small: its heap is collected before it grows. */
export const LOW_MEMORY_FLAGS = ['--max-old-space-size=192', '--max-semi-space-size=4']

/**
 * Chooses the flags. @returns Node flags for a process of the site on this machine; none where NODE_OPTIONS sets the heap's limit
 */
function flagsFor({ NODE_OPTIONS = '' }: NodeJS.ProcessEnv): string[] {
  // constrainedMemory() is 0, or larger than any machine's memory, where no limit is set.
  const memoryBytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  return memoryBytes > SMALL_BYTES || NODE_OPTIONS.includes('max-old-space-size') ? [] : LOW_MEMORY_FLAGS
}

/** Every process of the site gets the bound port in this descriptor, the one after the channel's. */
export const PORT_HANDLE = { fd: 4 }

/** The error is a failure that the process has printed already. */
export class AlreadyReported extends Error {
  override name = 'AlreadyReported'
}

/**
 * Forks a process of the site from a version's folder; it starts the site at the order `arranca`.
 * @param portFd the bound port's descriptor in this process
 */
export function startSiteProcess(folder: string, env: NodeJS.ProcessEnv, portFd: number): RunningProcess {
  // The folder is private to this account, and its path is short enough for a Unix socket wherever the data folder lies.
  const privateFolder = mkdtempSync(join(tmpdir(), 'certamen-'))
  // A package's bundled script takes less memory.
  const ready = join(folder, 'ordenes/sitio.js')
  const child: ChildProcess = fork(existsSync(ready) ? ready : join(folder, 'scripts/sitio.ts'), [], {
    cwd: folder,
    // glibc's malloc keeps free memory in arenas, several per core; with two it returns more of it (mallopt(3)).
    env: { MALLOC_ARENA_MAX: '2', ...env },
    execArgv: ['--disable-warning=ExperimentalWarning', ...flagsFor(env)],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc', portFd],
  })
  const answers: Answer[] = []
  child.on('message', (answer: Answer) => answers.push(answer))
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
    tell(order) {
      // An order to a process that has just ended is lost.
      if (child.connected) child.send(order, () => {})
    },
    async hear(kind, { ms = Number.POSITIVE_INFINITY, signal } = {}) {
      for (const end = Date.now() + ms; ; await sleep(15)) {
        const at = answers.findIndex((one) => one.que === kind || one.que === 'falla')
        const [answer] = at < 0 ? [] : answers.splice(at, 1)
        if (answer?.que === 'falla')
          throw answer.dicha ? new StartError(answer.linea) : new AlreadyReported(answer.linea)
        if (answer) return
        if (signal?.aborted) throw new Error('se interrumpió')
        // Messages sent before the end arrive until the channel disconnects.
        if (hasEnded() && !child.connected) throw new AlreadyReported(`terminó (${child.signalCode ?? child.exitCode})`)
        if (Date.now() > end) throw new Error(`no dio señales en ${Math.round(ms / 1000)} s`)
      }
    },
    kill: () => void child.kill('SIGKILL'),
  }
}
