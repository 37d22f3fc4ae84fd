import type { BoundSocket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { MINUTE_MS } from '#app/core/time/durations.ts'
import { checkBriefly, checkHealth } from './site-health.ts'
import { PORT_HANDLE, type RunningProcess, startSiteProcess } from './site-process-handle.ts'

/** Delays before the attempts to start a version again; later attempts use the last delay. */
const RESTART_DELAYS_MS = [0, 500, 1_000, 2_000, 5_000]
/** Longest wait until a process that was started again is ready. */
const RESTART_TIMEOUT_MS = 10 * MINUTE_MS
/** Longest wait for the answer to an order about the port, or to close idle connections. */
const PORT_TIMEOUT_MS = 10_000
const CHECK_INTERVAL_MS = 1_000
/** Number of failed health checks in a row after which a new version is rolled back. */
const MAX_FAILED_CHECKS = 3
/** Longest time in which a replaced version finishes its requests, slow uploads included; the change does not wait for it. */
const DRAIN_MS = 10 * MINUTE_MS
/** Time that a process has between the order to stop and its kill, longer than `allMs` of its `undoAll`. */
const STOP_TIMEOUT_MS = 7_600

interface SupervisorOptions {
  boundPort: BoundSocket
  env: NodeJS.ProcessEnv
  publicUrl: string
  /** Connection of the embedded database; if it is undefined, the processes connect to DATABASE_URL. */
  connection: pg.PoolConfig | undefined
  warn(fields: Record<string, unknown>, message: string): void
}

interface ChangeOptions {
  startTimeoutMs: number
  /** Time for which the new version's health is watched once it serves. */
  watchMs: number
  onProgress(progress: string): void
  /** Aborts the change, as long as the version before still serves. */
  signal: AbortSignal
  /** Is called when the new version begins to serve and, when a rollback begins, with the folder of the version before. */
  onServing(folder: string): Promise<void>
}

/**
 * Reason in Spanish why a change failed; undefined if it succeeded, or if a stop cut the watch short. `volvio` means that the version
 * before had given up the port, and was started again unless a stop came; `isInterrupted`, that a stop or the command's end cut the
 * change short, which says nothing about the new version.
 */
type ChangeFault = undefined | { motivo: string; volvio: boolean; isInterrupted: boolean }

/** Starts and restarts the site's processes, and replaces one version by another. */
export interface Supervisor {
  /** Returns the folder of the serving version or, from the hand-over of a change on, of the version that takes over. */
  folder(): string
  /** Makes restarts use another folder, a snapshot of the serving version. */
  useFolder(folder: string): void
  /**
   * Starts the first process; visitors get 503 until it is ready.
   * @throws StartError, ReportedError
   */
  start(folder: string): Promise<void>
  /** Replaces the running version by the version of a folder, without refusing a connection. */
  change(folder: string, options: ChangeOptions): Promise<ChangeFault>
  /**
   * Checks the serving process or, from the hand-over of a change on, the new version's process. A dead process is a fault until its
   * successor serves.
   * @returns its fault in Spanish; undefined when healthy
   */
  findFault(): Promise<string | undefined>
  /** Ends all processes; resolves when they have ended. */
  stop(): Promise<void>
  kill(): void
}

export function createSupervisor({ boundPort, env, publicUrl, connection, warn }: SupervisorOptions): Supervisor {
  const processes = new Set<RunningProcess>()
  let serving: RunningProcess | undefined
  let currentFolder = ''
  let isStopping = false

  function launch(folder: string, handle?: typeof PORT_HANDLE): RunningProcess {
    const runningProcess = startSiteProcess(folder, env, boundPort.fd())
    processes.add(runningProcess)
    void runningProcess.ended.then(() => processes.delete(runningProcess))
    const heredado = { connection, publicUrl, prueba: runningProcess.healthSocket }
    runningProcess.send({ que: 'arranca', heredado, handle })
    return runningProcess
  }

  /** Makes a process the serving one, which is restarted when it ends. */
  function makeServing(runningProcess: RunningProcess): void {
    serving = runningProcess
    currentFolder = runningProcess.folder
    void runningProcess.ended.then((exit) => {
      if (serving !== runningProcess || isStopping) return
      warn({ how: exit }, 'the site’s process ended by itself; it is started again')
      void restart(runningProcess)
    })
  }

  /** Starts a process of `currentFolder` in place of one that died or failed. Meanwhile new connections wait at the bound port. */
  async function restart(replacedProcess: RunningProcess): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      await sleep(RESTART_DELAYS_MS[Math.min(attempt, RESTART_DELAYS_MS.length - 1)])
      if (serving !== replacedProcess || isStopping) return
      const runningProcess = launch(currentFolder)
      try {
        await runningProcess.waitFor('listo', { timeoutMs: RESTART_TIMEOUT_MS })
        if (serving !== replacedProcess || isStopping) return runningProcess.kill()
        await openPort(runningProcess)
        return makeServing(runningProcess)
      } catch (error) {
        runningProcess.kill()
        warn({ said: (error as Error).message }, 'the site could not be started again; another attempt follows')
      }
    }
  }

  async function openPort(runningProcess: RunningProcess): Promise<void> {
    runningProcess.send({ que: 'abre', handle: PORT_HANDLE })
    await runningProcess.waitFor('abierto', { timeoutMs: PORT_TIMEOUT_MS })
  }

  async function closePort(runningProcess: RunningProcess, successor: string): Promise<void> {
    runningProcess.send({ que: 'retira', sucesora: successor })
    await runningProcess.waitFor('retirado', { timeoutMs: PORT_TIMEOUT_MS })
  }

  /** Watches a version that has taken over. @returns its fault; undefined if none lasted within `watchMs`, or at a stop */
  async function watch(runningProcess: RunningProcess, watchMs: number): Promise<string | undefined> {
    let failedChecks = 0
    for (const deadlineMs = Date.now() + watchMs; Date.now() < deadlineMs; ) {
      if (isStopping) return
      if (runningProcess.hasEnded()) return `terminó por sí sola (${await runningProcess.ended})`
      const fault = await checkBriefly(runningProcess.healthSocket)
      failedChecks = fault && !runningProcess.hasEnded() ? failedChecks + 1 : 0
      if (fault && failedChecks >= MAX_FAILED_CHECKS) return isStopping ? undefined : fault
      await Promise.race([sleep(CHECK_INTERVAL_MS), runningProcess.ended])
    }
    return undefined
  }

  async function change(
    folder: string,
    { startTimeoutMs, watchMs, onProgress, signal, onServing }: ChangeOptions,
  ): Promise<ChangeFault> {
    onProgress('La versión nueva arranca junto a la que sirve…')
    const newProcess = launch(folder)
    try {
      await newProcess.waitFor('listo', { timeoutMs: startTimeoutMs, signal })
      onProgress('Se revisa que conteste bien…')
      const fault = await checkHealth(newProcess.healthSocket)
      if (fault) throw new Error(fault)
      if (signal.aborted || isStopping) throw new Error('se interrumpió')
    } catch (error) {
      newProcess.kill()
      return { motivo: (error as Error).message, volvio: false, isInterrupted: signal.aborted || isStopping }
    }
    const oldProcess = serving
    const previousFolder = currentFolder
    // Without its line in the ledger a version serves all the same, until the next start.
    const keepInLedger = (servingFolder: string) =>
      onServing(servingFolder).catch((error: unknown) => warn({ err: error }, 'the ledger could not be written'))
    // The old version may have left the port from here on, so a fault of the new version leads to a rollback, not to its restart.
    serving = undefined
    currentFolder = folder
    // The old version stops accepting connections before the new one begins, so that a page of one version does not request assets
    // of the other. Meanwhile new connections wait at the port.
    if (oldProcess) await closePort(oldProcess, folder).catch(() => oldProcess.kill())
    const fault = await openPort(newProcess).then(
      async () => {
        onProgress('La versión nueva recibe a quien llega; la de antes termina lo que tenía.')
        await keepInLedger(folder)
        return watch(newProcess, watchMs)
      },
      (error: Error) => error.message,
    )
    if (isStopping)
      return fault === undefined ? undefined : { motivo: 'se interrumpió', volvio: false, isInterrupted: true }
    if (fault === undefined && !newProcess.hasEnded()) {
      makeServing(newProcess)
      oldProcess?.send({ que: 'despide', pacienciaMs: DRAIN_MS })
      await oldProcess?.waitFor('suelto', { timeoutMs: PORT_TIMEOUT_MS }).catch(() => {})
      return undefined
    }
    onProgress('La versión nueva no está bien: vuelve la de antes…')
    // The failed version may finish its requests if it still can.
    newProcess.send({ que: 'para' })
    setTimeout(() => newProcess.kill(), STOP_TIMEOUT_MS).unref()
    oldProcess?.send({ que: 'despide', pacienciaMs: DRAIN_MS })
    // The process of the version before has left the port, so that version is started again, while visitors wait at the port.
    serving = newProcess
    currentFolder = previousFolder
    await Promise.all([restart(newProcess), keepInLedger(previousFolder)])
    return { motivo: fault ?? 'terminó por sí sola', volvio: true, isInterrupted: false }
  }

  return {
    folder: () => currentFolder,
    useFolder(folder) {
      currentFolder = folder
    },
    async start(folder) {
      const runningProcess = launch(folder, PORT_HANDLE)
      await runningProcess.waitFor('listo')
      makeServing(runningProcess)
    },
    change,
    async findFault() {
      const checkedProcess = serving ?? [...processes].at(-1)
      if (!checkedProcess || checkedProcess.hasEnded()) return 'su proceso terminó y se intenta arrancar otra vez'
      return checkBriefly(checkedProcess.healthSocket)
    },
    async stop() {
      isStopping = true
      boundPort.close()
      for (const runningProcess of processes) runningProcess.send({ que: 'para' })
      const killTimer = setTimeout(() => kill(), STOP_TIMEOUT_MS)
      await Promise.all([...processes].map(({ ended }) => ended))
      clearTimeout(killTimer)
    },
    kill,
  }

  function kill(): void {
    isStopping = true
    for (const runningProcess of processes) runningProcess.kill()
  }
}
