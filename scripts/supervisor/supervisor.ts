import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Puerto } from './listening-port.ts'
import { checkHealth, late } from './site-health.ts'
import { type RunningProcess, startSiteProcess } from './site-process-handle.ts'

/** A process that ended by itself is started again after so long; longer where it ends again and again. */
const AGAIN_MS = [0, 500, 1_000, 2_000, 5_000]
const REVIVE_MS = 10 * 60_000
const OPEN_MS = 10_000
const LOOK_MS = 1_000
/** A version that has taken over is given up after so many looks in a row that found it unwell. */
const UNWELL_LOOKS = 3
/** The version before finishes what it was sent, a slow upload too: nobody waits for it. */
const GOODBYE_MS = 10 * 60_000
/** All processes of the site end within this time, or are ended. */
const STOP_MS = 7_600

interface Options {
  puerto: Puerto
  env: NodeJS.ProcessEnv
  publicUrl: string
  /** The embedded database; undefined: the processes reach DATABASE_URL's by themselves. */
  connection: pg.PoolConfig | undefined
  /** Takes what the keeper has to say for the log. */
  warn(fields: Record<string, unknown>, words: string): void
}

interface Change {
  /** How long the new version may take until it can serve. */
  pacienciaMs: number
  /** How long it is looked at once it serves. */
  vigilaMs: number
  dice(progress: string): void
  /** Breaks it off for as long as the version before serves. */
  signal: AbortSignal
  /** Told at the moment from which the new version serves, and again with the one before where that comes back. */
  manda(folder: string): Promise<void>
}

/** Undefined: done. Else why not; the version before serves, and served all the time, but for what `volvio` says. */
type Falla = undefined | { motivo: string; volvio: boolean }

/** What starts the site's processes, starts them again, and puts one version in the place of another. */
export interface Supervisor {
  /** The folder of the version that serves. */
  carpeta(): string
  /** Says where the same version lies too, in a folder that nobody changes: from there it is started again. */
  isAlso(folder: string): void
  /**
   * Starts the version of a folder as the first; visitors are told to wait meanwhile.
   * @throws StartError
   */
  start(folder: string): Promise<void>
  /** Puts the version of a folder in the place of the one that serves, without refusing anybody. */
  change(folder: string, how: Change): Promise<Falla>
  /** Ends all processes; resolves when they have ended. */
  stop(): Promise<void>
  /** Ends them at once. */
  kill(): void
}

export function createSupervisor({ puerto, env, publicUrl, connection, warn }: Options): Supervisor {
  const all = new Set<RunningProcess>()
  let actual: RunningProcess | undefined
  let currentFolder = ''
  let stopping = false

  function launch(folder: string, handle?: unknown): RunningProcess {
    const runningProcess = startSiteProcess(folder, env)
    all.add(runningProcess)
    void runningProcess.ended.then(() => all.delete(runningProcess))
    runningProcess.tell({ que: 'arranca', heredado: { connection, publicUrl, prueba: runningProcess.prueba } }, handle)
    return runningProcess
  }

  /** From now on this is the process that serves; it is started again when it ends. */
  function put(runningProcess: RunningProcess): void {
    actual = runningProcess
    currentFolder = runningProcess.carpeta
    void runningProcess.ended.then((how) => {
      if (actual !== runningProcess || stopping) return
      warn({ how }, 'the site ended by itself; it is started again')
      void revive(runningProcess)
    })
  }

  /** Starts a process again. Whoever comes meanwhile waits at the port, which stays open. */
  async function revive(dead: RunningProcess): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      await sleep(AGAIN_MS[Math.min(attempt, AGAIN_MS.length - 1)])
      if (actual !== dead || stopping) return
      const runningProcess = launch(currentFolder)
      try {
        await runningProcess.hear('listo', { ms: REVIVE_MS })
        if (actual !== dead || stopping) return runningProcess.kill()
        await open(runningProcess)
        return put(runningProcess)
      } catch (error) {
        runningProcess.kill()
        warn({ said: (error as Error).message }, 'the site could not be started again; another attempt follows')
      }
    }
  }

  async function open(runningProcess: RunningProcess): Promise<void> {
    runningProcess.tell({ que: 'abre' }, puerto.handle)
    await runningProcess.hear('abierto', { ms: OPEN_MS })
  }

  async function leave(runningProcess: RunningProcess, successor: string): Promise<void> {
    runningProcess.tell({ que: 'retira', sucesora: successor })
    await runningProcess.hear('retirado', { ms: OPEN_MS })
  }

  /** @returns what is wrong with a version that has taken over, or undefined once it has been well for long enough */
  async function watch(runningProcess: RunningProcess, forMs: number): Promise<string | undefined> {
    let unwell = 0
    for (const end = Date.now() + forMs; Date.now() < end; ) {
      if (stopping) return
      if (runningProcess.hasEnded()) return `terminó por sí sola (${await runningProcess.ended})`
      const wrong = await late(runningProcess.prueba)
      unwell = wrong && !runningProcess.hasEnded() ? unwell + 1 : 0
      if (wrong && unwell >= UNWELL_LOOKS) return wrong
      await Promise.race([sleep(LOOK_MS), runningProcess.ended])
    }
    return undefined
  }

  async function change(folder: string, { pacienciaMs, vigilaMs, dice, signal, manda }: Change): Promise<Falla> {
    dice('La versión nueva arranca junto a la que sirve…')
    const next = launch(folder)
    try {
      await next.hear('listo', { ms: pacienciaMs, signal })
      dice('Se revisa que conteste bien…')
      const wrong = await checkHealth(next.prueba)
      if (wrong) throw new Error(wrong)
      if (signal.aborted || stopping) throw new Error('se interrumpió')
    } catch (error) {
      next.kill()
      return { motivo: (error as Error).message, volvio: false }
    }
    const before = actual
    const previousFolder = currentFolder
    // From here on a fault of the new version brings the one before back, instead of itself again.
    actual = undefined
    currentFolder = folder
    // For a moment nobody takes visitors, and whoever comes waits: a page of the one never asks the other for its files.
    if (before) await leave(before, folder).catch(() => before.kill())
    const wrong = await open(next).then(
      async () => {
        dice('La versión nueva recibe a quien llega; la de antes termina lo que tenía.')
        await manda(folder)
        return watch(next, vigilaMs)
      },
      (error: Error) => error.message,
    )
    if (stopping) return undefined
    if (wrong === undefined && !next.hasEnded()) {
      put(next)
      before?.tell({ que: 'despide', pacienciaMs: GOODBYE_MS })
      await before?.hear('suelto', { ms: OPEN_MS }).catch(() => {})
      return undefined
    }
    dice('La versión nueva no está bien: vuelve la de antes…')
    await comeBack(before, previousFolder, next)
    await manda(currentFolder)
    return { motivo: wrong ?? 'terminó por sí sola', volvio: true }
  }

  /** Has the version before take visitors again: the process that is still there, or else another one. */
  async function comeBack(before: RunningProcess | undefined, folder: string, next: RunningProcess): Promise<void> {
    try {
      if (!before || before.hasEnded()) throw new Error('gone')
      await open(before)
      put(before)
    } catch {
      const again = launch(folder)
      try {
        await again.hear('listo', { ms: REVIVE_MS })
        await open(again)
        put(again)
      } catch {
        again.kill()
        put(again)
      }
    }
    // What it has begun it may finish, if it still can.
    next.tell({ que: 'para' })
    setTimeout(() => next.kill(), STOP_MS).unref()
  }

  return {
    carpeta: () => currentFolder,
    isAlso(folder) {
      currentFolder = folder
    },
    async start(folder) {
      const runningProcess = launch(folder, puerto.handle)
      await runningProcess.hear('listo')
      put(runningProcess)
    },
    change,
    async stop() {
      stopping = true
      puerto.close()
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
