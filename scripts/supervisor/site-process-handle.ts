import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '#app/core/process/start-error.server.ts'
import type { Answer, Order } from '../sitio.ts'

/** A process of the site, as its keeper has it. */
export interface RunningProcess {
  /** The folder of the version that it runs. */
  carpeta: string
  /** Where it, and no other, is asked how it is. */
  prueba: string
  pid: number | undefined
  /** Resolves when it has ended, with how. */
  ended: Promise<string>
  hasEnded(): boolean
  /** @param handle the site's place, where it is handed over */
  tell(order: Order, handle?: unknown): void
  /**
   * Waits for an answer.
   * @throws StartError with the line that it said; Error when it ended, said that it failed, or was silent for too long
   */
  hear(que: Answer['que'], within?: { ms?: number; signal?: AbortSignal | undefined }): Promise<void>
  kill(): void
}

/** A server of up to so many bytes has room for the site, its database and the making of pictures only together. */
const SMALL_BYTES = 2 * 1024 ** 3
/** What keeps a process of the site small: its heap is collected before it grows. */
export const LOW_MEMORY_FLAGS = ['--max-old-space-size=192', '--max-semi-space-size=4']

/** @returns Node's flags for a process of the site on this machine, unless whoever runs it has chosen others */
function flagsFor({ NODE_OPTIONS = '' }: NodeJS.ProcessEnv): string[] {
  // 0, or a number beyond any machine's, where nobody has set a limit.
  const there = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  return there > SMALL_BYTES || NODE_OPTIONS.includes('max-old-space-size') ? [] : LOW_MEMORY_FLAGS
}

/** What a process has told in its own words already. */
export class AlreadyReported extends Error {
  override name = 'AlreadyReported'
}

/** Starts a process of the site from the folder of a version, which begins when it is told to. */
export function startSiteProcess(folder: string, env: NodeJS.ProcessEnv): RunningProcess {
  // Nobody else may enter, and its name is short enough for a socket wherever the data is.
  const privateFolder = mkdtempSync(join(tmpdir(), 'certamen-'))
  // A package has it in a form that takes less memory.
  const ready = join(folder, 'ordenes/sitio.js')
  const child: ChildProcess = fork(existsSync(ready) ? ready : join(folder, 'scripts/sitio.ts'), [], {
    cwd: folder,
    // The system's own allocator keeps a pool a core for memory that is free: it gives more of it back with two.
    env: { MALLOC_ARENA_MAX: '2', ...env },
    execArgv: ['--disable-warning=ExperimentalWarning', ...flagsFor(env)],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const said: Answer[] = []
  child.on('message', (answer: Answer) => said.push(answer))
  child.on('error', () => {})
  const ended = once(child, 'exit').then(
    ([code, signal]) => `${signal ?? code}`,
    (error: Error) => error.message,
  )
  void ended.then(() => rmSync(privateFolder, { recursive: true, force: true }))
  const hasEnded = () => child.pid === undefined || child.exitCode !== null || child.signalCode !== null

  return {
    carpeta: folder,
    prueba: join(privateFolder, 'prueba.sock'),
    pid: child.pid,
    ended,
    hasEnded,
    tell(order, handle) {
      // One that has just ended is told in vain.
      if (child.connected) child.send(order, handle as never, () => {})
    },
    async hear(que, { ms = Number.POSITIVE_INFINITY, signal } = {}) {
      for (const end = Date.now() + ms; ; await sleep(15)) {
        const at = said.findIndex((one) => one.que === que || one.que === 'falla')
        const [answer] = at < 0 ? [] : said.splice(at, 1)
        if (answer?.que === 'falla')
          throw answer.dicha ? new StartError(answer.linea) : new AlreadyReported(answer.linea)
        if (answer) return
        if (signal?.aborted) throw new Error('se interrumpió')
        // What it said last comes before its end.
        if (hasEnded() && !child.connected) throw new AlreadyReported(`terminó (${child.signalCode ?? child.exitCode})`)
        if (Date.now() > end) throw new Error(`no dio señales en ${Math.round(ms / 1000)} s`)
      }
    },
    kill: () => void child.kill('SIGKILL'),
  }
}
