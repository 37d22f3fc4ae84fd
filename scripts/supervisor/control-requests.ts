import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ControlConnection, type ObjectRecord, openControlSocket } from './control-socket.ts'
import type { Supervisor } from './supervisor.ts'
import { ledgerAfterChange, nameOf, readLedger, type Version, writeLedger } from './versions.ts'

const run = promisify(execFile)
/** The snapshot is made this many milliseconds after a start, so that it does not compete with the start's own work. */
const ASIDE_MS = 1_500

interface Options {
  supervisor: Supervisor
  /** `root` is the project's folder, or the package's, that was started. */
  root: string
  dataDir: string
  publicUrl: string
  /** `hasEarlySnapshot` tells that a snapshot of the running version is made soon after the start, not only on demand. */
  hasEarlySnapshot: boolean
  warn(fields: Record<string, unknown>, words: string): void
}

/**
 * Opens the control socket, and answers its orders: the state (`estado`), and one upgrade at a time (`reserva`, `cambia`,
 * `rechaza`).
 * @returns a function that closes the socket
 */
export async function openControlRequests(options: Options): Promise<() => Promise<void>> {
  const { supervisor, root, dataDir, publicUrl, hasEarlySnapshot, warn } = options
  let holder: ControlConnection | undefined
  let setAside: Promise<Version | undefined> | undefined

  /** Returns the running version's snapshot, made once, since a checkout may change under the running site. */
  const serving = (): Promise<Version | undefined> => {
    setAside ??= keep().catch((error: unknown) => {
      warn({ err: error }, 'no snapshot of the running version could be made')
      return undefined
    })
    return setAside
  }

  async function keep(): Promise<Version | undefined> {
    const folder = supervisor.folder()
    const { stdout } = await run(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', join(root, 'scripts/supervisor/version-snapshot.ts'), folder, dataDir],
      { maxBuffer: 1e6 },
    )
    const kept = JSON.parse(stdout) as Version | null
    const ledger = await readLedger(dataDir)
    if (kept === null) {
      // Without a snapshot there is no way back to the running version.
      await writeLedger(dataDir, { desvios: ledger.desvios })
      return undefined
    }
    supervisor.isAlso(kept.carpeta)
    if (ledger.sirve?.id !== kept.id) {
      const { sirve: before, desvios } = ledger
      await writeLedger(dataDir, { sirve: kept, ...(before && { antes: before }), desvios })
    } else if (ledger.sirve.carpeta !== kept.carpeta) await writeLedger(dataDir, { ...ledger, sirve: kept })
    return kept
  }

  async function change(order: ObjectRecord, from: ControlConnection): Promise<void> {
    if (holder !== from) throw new Error('Falta reservar el cambio.')
    const newOne = order.construccion as Version
    const before = await readLedger(dataDir)
    const fault = await supervisor.change(newOne.carpeta, {
      patienceMs: Number(order.pacienciaMs),
      watchMs: Number(order.vigilaMs),
      onProgress: (progress) => from.say({ avance: progress }),
      signal: from.disconnectSignal,
      async onServing(folder) {
        const isNew = folder === newOne.carpeta
        setAside = Promise.resolve(isNew ? newOne : before.sirve)
        await writeLedger(
          dataDir,
          isNew ? ledgerAfterChange(before, newOne, order.volver === true) : rejected(before, newOne),
        )
      },
    })
    if (!fault) return from.say({ ok: true })
    if (!fault.volvio && !from.disconnectSignal.aborted) await writeLedger(dataDir, rejected(before, newOne))
    from.say({ ok: false, ...fault })
  }

  const close = await openControlSocket(dataDir, async (order, from) => {
    if (order.orden === 'estado') {
      const serves = await serving()
      const { antes } = await readLedger(dataDir)
      from.say({ root, publicUrl, pid: process.pid, carpeta: supervisor.folder(), sirve: serves, antes })
    } else if (order.orden === 'reserva') {
      if (holder) throw new Error('Ya hay otra actualización en marcha. Espera a que termine y repite la orden.')
      holder = from
      from.disconnectSignal.addEventListener('abort', () => {
        if (holder === from) holder = undefined
      })
      from.say({ ok: true })
    } else if (order.orden === 'rechaza') {
      await writeLedger(dataDir, rejected(await readLedger(dataDir), order.construccion as Version))
      from.say({ ok: true })
    } else if (order.orden === 'cambia') await change(order, from)
    else throw new Error(`No hay ninguna orden ${String(order.orden)}.`)
  })
  const soon = hasEarlySnapshot ? setTimeout(() => void serving(), ASIDE_MS).unref() : undefined
  return async () => {
    clearTimeout(soon)
    await close()
  }
}

/** Returns the ledger in which a start of a rejected version starts the serving version instead. */
function rejected(
  ledger: Awaited<ReturnType<typeof readLedger>>,
  newOne: Version,
): Awaited<ReturnType<typeof readLedger>> {
  if (!ledger.sirve || ledger.sirve.id === newOne.id) return ledger
  return { ...ledger, desvios: { ...ledger.desvios, [newOne.id]: { a: ledger.sirve, rechazada: true } } }
}

/** Returns the notice of a start that runs another version than its folder's. */
export const versionOverrideNotice = (a: Version) =>
  `Arranca la versión ${nameOf(a)}, como la dejó la última actualización, y no la de esta carpeta. Para probar ésta: npm run actualizar.`
