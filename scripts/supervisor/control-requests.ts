import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { withShortPath } from '#app/core/process/liveness-socket.server.ts'
import { root } from '../prepare.mjs'
import { CONTROL_SOCKET, type ObjectRecord } from './control-socket.ts'
import type { Supervisor } from './supervisor.ts'
import { ledgerAfterChange, ledgerAfterRejection, nameOf, readLedger, type Version, writeLedger } from './versions.ts'

const run = promisify(execFile)
/** The snapshot is made this many milliseconds after a start, so that it does not compete with the start's own work. */
const ASIDE_MS = 1_500

type Say = (answer: ObjectRecord) => void

interface Options {
  supervisor: Supervisor
  dataDir: string
  /** `hasEarlySnapshot` tells that a snapshot of the running version is made soon after the start, not only on demand. */
  hasEarlySnapshot: boolean
  warn(fields: Record<string, unknown>, words: string): void
}

/**
 * Opens the control socket, and answers its orders: the state (`estado`), the running version's name and health (`quien`), and
 * one upgrade at a time (`reserva`, `cambia`, `rechaza`).
 * @returns a function that closes the socket
 */
export async function openControlRequests(options: Options): Promise<() => Promise<void>> {
  const { supervisor, dataDir, hasEarlySnapshot, warn } = options
  let holder: Socket | undefined
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
    const script = join(root, 'scripts/supervisor/version-snapshot.ts')
    const args = ['--disable-warning=ExperimentalWarning', script, supervisor.folder(), dataDir]
    const kept = JSON.parse((await run(process.execPath, args)).stdout) as Version | null
    const { sirve, antes, desvios } = await readLedger(dataDir)
    if (kept) supervisor.isAlso(kept.carpeta)
    const before = sirve?.id === kept?.id ? antes : sirve
    // Without a snapshot there is no way back to the running version.
    await writeLedger(dataDir, { ...(kept && { sirve: kept, ...(before && { antes: before }) }), desvios })
    return kept ?? undefined
  }

  async function change(order: ObjectRecord, command: Socket, say: Say): Promise<void> {
    if (holder !== command) throw new Error('Falta reservar el cambio.')
    const gone = new AbortController()
    command.once('close', () => gone.abort())
    const newOne = order.construccion as Version
    const before = await readLedger(dataDir)
    const fault = await supervisor.change(newOne.carpeta, {
      patienceMs: Number(order.pacienciaMs),
      watchMs: Number(order.vigilaMs),
      onProgress: (progress) => say({ avance: progress }),
      signal: gone.signal,
      async onServing(folder) {
        const isNew = folder === newOne.carpeta
        setAside = Promise.resolve(isNew ? newOne : before.sirve)
        const volver = order.volver === true
        await writeLedger(
          dataDir,
          isNew ? ledgerAfterChange(before, newOne, volver) : ledgerAfterRejection(before, newOne),
        )
      },
    })
    if (fault && !fault.volvio && !gone.signal.aborted) await writeLedger(dataDir, ledgerAfterRejection(before, newOne))
    say(fault ? { ok: false, ...fault } : { ok: true })
  }

  async function obey(order: ObjectRecord, command: Socket, say: Say): Promise<void> {
    if (order.orden === 'estado') {
      const sirve = await serving()
      say({ root, sirve, antes: (await readLedger(dataDir)).antes })
    } else if (order.orden === 'quien') {
      const kept = await setAside
      say({ version: kept && nameOf(kept), motivo: await supervisor.findFault() })
    } else if (order.orden === 'reserva') {
      if (holder) throw new Error('Ya hay otra actualización en marcha. Espera a que termine y repite la orden.')
      holder = command
      command.once('close', () => {
        holder = undefined
      })
      say({ ok: true })
    } else if (order.orden === 'rechaza') {
      await writeLedger(dataDir, ledgerAfterRejection(await readLedger(dataDir), order.construccion as Version))
      say({ ok: true })
    } else if (order.orden === 'cambia') await change(order, command, say)
    else throw new Error(`No hay ninguna orden ${String(order.orden)}.`)
  }

  const socketFile = join(dataDir, CONTROL_SOCKET)
  await rm(socketFile, { force: true })
  const server = createServer((command) => {
    command.on('error', () => {})
    const say: Say = (answer) => {
      if (command.writable) command.write(`${JSON.stringify(answer)}\n`)
    }
    createInterface({ input: command }).on('line', (line) => {
      const order = async () => obey(JSON.parse(line) as ObjectRecord, command, say)
      order().catch((error: Error) => say({ falla: error.message }))
    })
  }).unref()
  await withShortPath(dataDir, CONTROL_SOCKET, async (path) => {
    // `listen` creates the file within the call, so the umask keeps other accounts out from the first moment.
    const mask = process.umask(0o177)
    try {
      server.listen(path)
    } finally {
      process.umask(mask)
    }
    await once(server, 'listening')
  })
  const soon = hasEarlySnapshot ? setTimeout(() => void serving(), ASIDE_MS).unref() : undefined
  return async () => {
    clearTimeout(soon)
    server.close()
    await rm(socketFile, { force: true })
  }
}
