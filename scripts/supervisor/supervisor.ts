import type { BoundSocket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { checkBriefly, checkHealth } from './site-health.ts'
import { PORT_HANDLE, type RunningProcess, startSiteProcess } from './site-process-handle.ts'

/** A process that ended by itself is restarted after these delays in milliseconds; later attempts use the last delay. */
const AGAIN_MS = [0, 500, 1_000, 2_000, 5_000]
const REVIVE_MS = 10 * 60_000
const OPEN_MS = 10_000
const CHECK_INTERVAL_MS = 1_000
/** This many failed health checks in a row roll a new version back. */
const UNWELL_LOOKS = 3
/**
 * The replaced version may finish its requests for this many milliseconds, slow uploads included; the change does not wait for
 * it.
 */
const GOODBYE_MS = 10 * 60_000
/** A stop waits this many milliseconds for the site's processes before it kills them. */
const STOP_MS = 7_600

interface Options {
  boundPort: BoundSocket
  env: NodeJS.ProcessEnv
  publicUrl: string
  /** `connection` leads to the embedded database; undefined: the processes connect to DATABASE_URL. */
  connection: pg.PoolConfig | undefined
  warn(fields: Record<string, unknown>, words: string): void
}

interface Change {
  /** The new version may take `patienceMs` until it can serve. */
  patienceMs: number
  /** The new version's health is watched for `watchMs` once it serves. */
  watchMs: number
  onProgress(progress: string): void
  /** `signal` aborts the change, as long as the version before still serves. */
  signal: AbortSignal
  /**
   * `onServing` is called when the new version begins to serve, and again with the folder of the version before after a rollback.
   */
  onServing(folder: string): Promise<void>
}

/**
 * Without a fault the change is done. `motivo` is the reason, in Spanish; `volvio`: the new version had served and was rolled
 * back.
 */
type ChangeFault = undefined | { motivo: string; volvio: boolean }

/** The supervisor starts and restarts the site's processes, and replaces one version by another. */
export interface Supervisor {
  /** Returns the folder of the version that serves. */
  folder(): string
  /** Tells of a snapshot of the running version: restarts use its folder. */
  isAlso(folder: string): void
  /**
   * Starts the first process; visitors get 503 until it is ready.
   * @throws StartError
   */
  start(folder: string): Promise<void>
  /** Replaces the running version by the version of a folder, without refusing a connection. */
  change(folder: string, how: Change): Promise<ChangeFault>
  /** Checks the process that serves, or that is about to. @returns its fault, in Spanish; undefined when healthy */
  findFault(): Promise<string | undefined>
  /** Ends all processes; resolves when they have ended. */
  stop(): Promise<void>
  /** Kills all processes at once. */
  kill(): void
}

export function createSupervisor({ boundPort, env, publicUrl, connection, warn }: Options): Supervisor {
  const all = new Set<RunningProcess>()
  let serving: RunningProcess | undefined
  let currentFolder = ''
  let stopping = false

  function launch(folder: string, handle?: typeof PORT_HANDLE): RunningProcess {
    const runningProcess = startSiteProcess(folder, env, boundPort.fd())
    all.add(runningProcess)
    void runningProcess.ended.then(() => all.delete(runningProcess))
    const heredado = { connection, publicUrl, prueba: runningProcess.healthSocket }
    runningProcess.tell({ que: 'arranca', heredado, handle })
    return runningProcess
  }

  /** Makes a process the serving one, which is restarted when it ends. */
  function makeServing(runningProcess: RunningProcess): void {
    serving = runningProcess
    currentFolder = runningProcess.folder
    void runningProcess.ended.then((how) => {
      if (serving !== runningProcess || stopping) return
      warn({ how }, 'the site’s process ended by itself; it is started again')
      void revive(runningProcess)
    })
  }

  /** Restarts a dead process. New connections wait at the port meanwhile, which stays open. */
  async function revive(dead: RunningProcess): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      await sleep(AGAIN_MS[Math.min(attempt, AGAIN_MS.length - 1)])
      if (serving !== dead || stopping) return
      const runningProcess = launch(currentFolder)
      try {
        await runningProcess.hear('listo', { ms: REVIVE_MS })
        if (serving !== dead || stopping) return runningProcess.kill()
        await open(runningProcess)
        return makeServing(runningProcess)
      } catch (error) {
        runningProcess.kill()
        warn({ said: (error as Error).message }, 'the site could not be started again; another attempt follows')
      }
    }
  }

  async function open(runningProcess: RunningProcess): Promise<void> {
    runningProcess.tell({ que: 'abre', handle: PORT_HANDLE })
    await runningProcess.hear('abierto', { ms: OPEN_MS })
  }

  async function leave(runningProcess: RunningProcess, successor: string): Promise<void> {
    runningProcess.tell({ que: 'retira', sucesora: successor })
    await runningProcess.hear('retirado', { ms: OPEN_MS })
  }

  /** Watches a version that has taken over. @returns its fault; undefined once it was healthy for `forMs`, or at a stop */
  async function watch(runningProcess: RunningProcess, forMs: number): Promise<string | undefined> {
    let unwell = 0
    for (const end = Date.now() + forMs; Date.now() < end; ) {
      if (stopping) return
      if (runningProcess.hasEnded()) return `terminó por sí sola (${await runningProcess.ended})`
      const wrong = await checkBriefly(runningProcess.healthSocket)
      unwell = wrong && !runningProcess.hasEnded() ? unwell + 1 : 0
      if (wrong && unwell >= UNWELL_LOOKS) return wrong
      await Promise.race([sleep(CHECK_INTERVAL_MS), runningProcess.ended])
    }
    return undefined
  }

  async function change(
    folder: string,
    { patienceMs, watchMs, onProgress, signal, onServing }: Change,
  ): Promise<ChangeFault> {
    onProgress('La versión nueva arranca junto a la que sirve…')
    const next = launch(folder)
    try {
      await next.hear('listo', { ms: patienceMs, signal })
      onProgress('Se revisa que conteste bien…')
      const wrong = await checkHealth(next.healthSocket)
      if (wrong) throw new Error(wrong)
      if (signal.aborted || stopping) throw new Error('se interrumpió')
    } catch (error) {
      next.kill()
      return { motivo: (error as Error).message, volvio: false }
    }
    const before = serving
    const previousFolder = currentFolder
    // From here on a fault of the new version leads to a rollback, not to a restart.
    serving = undefined
    currentFolder = folder
    // The old version stops accepting before the new one begins, so that a page of one never requests the other's assets. New
    // connections wait at the port.
    if (before) await leave(before, folder).catch(() => before.kill())
    const wrong = await open(next).then(
      async () => {
        onProgress('La versión nueva recibe a quien llega; la de antes termina lo que tenía.')
        await onServing(folder)
        return watch(next, watchMs)
      },
      (error: Error) => error.message,
    )
    if (stopping) return undefined
    if (wrong === undefined && !next.hasEnded()) {
      makeServing(next)
      before?.tell({ que: 'despide', pacienciaMs: GOODBYE_MS })
      await before?.hear('suelto', { ms: OPEN_MS }).catch(() => {})
      return undefined
    }
    onProgress('La versión nueva no está bien: vuelve la de antes…')
    // The failed version may finish its requests, if it still can.
    next.tell({ que: 'para' })
    setTimeout(() => next.kill(), STOP_MS).unref()
    before?.tell({ que: 'despide', pacienciaMs: GOODBYE_MS })
    // A process that has left has given the port up, so the version before starts again, while visitors wait at the port.
    serving = next
    currentFolder = previousFolder
    await Promise.all([revive(next), onServing(previousFolder)])
    return { motivo: wrong ?? 'terminó por sí sola', volvio: true }
  }

  return {
    folder: () => currentFolder,
    isAlso(folder) {
      currentFolder = folder
    },
    async start(folder) {
      const runningProcess = launch(folder, PORT_HANDLE)
      await runningProcess.hear('listo')
      makeServing(runningProcess)
    },
    change,
    async findFault() {
      const current = serving ?? [...all].at(-1)
      if (!current || current.hasEnded()) return 'su proceso terminó y se intenta arrancar otra vez'
      return checkBriefly(current.healthSocket)
    },
    async stop() {
      stopping = true
      boundPort.close()
      for (const runningProcess of all) runningProcess.tell({ que: 'para' })
      const late = setTimeout(() => kill(), STOP_MS)
      await Promise.all([...all].map(({ ended }) => ended))
      clearTimeout(late)
    },
    kill,
  }

  function kill(): void {
    stopping = true
    for (const runningProcess of all) runningProcess.kill()
  }
}
