import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { withShortPath } from '#app/core/process/liveness-socket.server.ts'
import { root } from '../prepare.mjs'
import { CONTROL_SOCKET_NAME, type JsonObject } from './control-socket.ts'
import type { Supervisor } from './supervisor.ts'
import {
  ledgerAfterChange,
  ledgerAfterRejection,
  readLedger,
  type Version,
  versionNameOf,
  writeLedger,
} from './versions.ts'

const run = promisify(execFile)
/** Delay of the snapshot after a start, so that it does not compete with the start's own work. */
const SNAPSHOT_DELAY_MS = 1_500

type Send = (answer: JsonObject) => void

interface ControlOptions {
  supervisor: Supervisor
  dataDir: string
  /** Whether a snapshot of the running version is made soon after the start, not only on demand. */
  hasEarlySnapshot: boolean
  warn(fields: Record<string, unknown>, message: string): void
}

/**
 * Opens the control socket, and answers its requests: the state (`estado`), the running version's name and health (`quien`), and
 * one upgrade at a time (`reserva`, `cambia`, `rechaza`).
 * @returns a function that closes the socket
 */
export async function openControlRequests(options: ControlOptions): Promise<() => Promise<void>> {
  const { supervisor, dataDir, hasEarlySnapshot, warn } = options
  let holder: Socket | undefined
  let snapshot: Promise<Version | undefined> | undefined

  /**
   * Returns the snapshot of the running version; undefined if it could not be made. Each version has one attempt, since a checkout may
   * change under the running site.
   */
  const findSnapshot = (): Promise<Version | undefined> => {
    snapshot ??= makeSnapshot().catch((error: unknown) => {
      warn({ err: error }, 'no snapshot of the running version could be made')
      return undefined
    })
    return snapshot
  }

  async function makeSnapshot(): Promise<Version | undefined> {
    const script = join(root, 'scripts/supervisor/version-snapshot.ts')
    const args = ['--disable-warning=ExperimentalWarning', script, supervisor.folder(), dataDir]
    const version = JSON.parse((await run(process.execPath, args)).stdout) as Version | null
    const { sirve, antes, desvios } = await readLedger(dataDir)
    if (version) supervisor.useFolder(version.carpeta)
    const versionBefore = sirve?.id === version?.id ? antes : sirve
    // Without a snapshot, the ledger names no version to go back to, since an upgrade could not return to the running one.
    await writeLedger(dataDir, {
      ...(version && { sirve: version, ...(versionBefore && { antes: versionBefore }) }),
      desvios,
    })
    return version ?? undefined
  }

  async function change(request: JsonObject, commandSocket: Socket, send: Send): Promise<void> {
    if (holder !== commandSocket) throw new Error('Falta reservar el cambio.')
    const disconnected = new AbortController()
    commandSocket.once('close', () => disconnected.abort())
    const newVersion = request.construccion as Version
    const ledgerBefore = await readLedger(dataDir)
    const fault = await supervisor.change(newVersion.carpeta, {
      startTimeoutMs: Number(request.pacienciaMs),
      watchMs: Number(request.vigilaMs),
      onProgress: (progress) => send({ avance: progress }),
      signal: disconnected.signal,
      async onServing(folder) {
        const isNew = folder === newVersion.carpeta
        snapshot = Promise.resolve(isNew ? newVersion : ledgerBefore.sirve)
        const isRollback = request.volver === true
        await writeLedger(
          dataDir,
          isNew
            ? ledgerAfterChange(ledgerBefore, newVersion, isRollback)
            : ledgerAfterRejection(ledgerBefore, newVersion),
        )
      },
    })
    if (fault && !fault.volvio && !fault.isInterrupted)
      await writeLedger(dataDir, ledgerAfterRejection(ledgerBefore, newVersion))
    send(fault ? { ok: false, ...fault } : { ok: true })
  }

  async function execute(request: JsonObject, commandSocket: Socket, send: Send): Promise<void> {
    if (request.orden === 'estado') {
      const sirve = await findSnapshot()
      send({ root, sirve, antes: (await readLedger(dataDir)).antes })
    } else if (request.orden === 'quien') {
      const version = await snapshot
      send({ version: version && versionNameOf(version), motivo: await supervisor.findFault() })
    } else if (request.orden === 'reserva') {
      if (holder) throw new Error('Ya hay otra actualización en marcha. Espera a que termine y repite la orden.')
      holder = commandSocket
      commandSocket.once('close', () => {
        holder = undefined
      })
      send({ ok: true })
    } else if (request.orden === 'rechaza') {
      await writeLedger(dataDir, ledgerAfterRejection(await readLedger(dataDir), request.construccion as Version))
      send({ ok: true })
    } else if (request.orden === 'cambia') await change(request, commandSocket, send)
    else throw new Error(`No hay ninguna orden ${String(request.orden)}.`)
  }

  const socketFile = join(dataDir, CONTROL_SOCKET_NAME)
  await rm(socketFile, { force: true })
  const server = createServer((commandSocket) => {
    commandSocket.on('error', () => {})
    const send: Send = (answer) => {
      if (commandSocket.writable) commandSocket.write(`${JSON.stringify(answer)}\n`)
    }
    createInterface({ input: commandSocket }).on('line', (line) => {
      const executeLine = async () => execute(JSON.parse(line) as JsonObject, commandSocket, send)
      executeLine().catch((error: Error) => send({ falla: error.message }))
    })
  }).unref()
  await withShortPath(dataDir, CONTROL_SOCKET_NAME, async (path) => {
    // `listen` creates the file synchronously, so the umask keeps other accounts out from the beginning.
    const mask = process.umask(0o177)
    try {
      server.listen(path)
    } finally {
      process.umask(mask)
    }
    await once(server, 'listening')
  })
  const snapshotTimer = hasEarlySnapshot ? setTimeout(() => void findSnapshot(), SNAPSHOT_DELAY_MS).unref() : undefined
  return async () => {
    clearTimeout(snapshotTimer)
    server.close()
    await rm(socketFile, { force: true })
  }
}
