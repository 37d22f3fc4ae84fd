// One process of the site, forked by the supervisor (scripts/supervisor/supervisor.ts). It opens its own connections and storage; port
// and embedded database come from the supervisor. The supervisor may be of an earlier or later version, so the messages must stay
// compatible.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inOwnWords, isForOperator } from '../server/end-with-fault.ts'
import { enterRunFolder } from './run-folder.ts'

type ServerBundle = typeof import('../server/main.ts')
type ServingSite = Awaited<ReturnType<ServerBundle['serveSite']>>
type Inherited = NonNullable<Parameters<ServerBundle['serveSite']>[0]['inherited']>
export type SiteOrder =
  /** `handle` is the bound port: with it the process listens immediately. */
  | { que: 'arranca'; heredado: Inherited; handle: object | undefined }
  /** The process listens on the bound port. */
  | { que: 'abre'; handle: object }
  /** The process leaves the port; `sucesora` is the folder of the version that takes over. */
  | { que: 'retira'; sucesora: string }
  /** The process ends once its last connection has closed, or after `pacienciaMs`. */
  | { que: 'despide'; pacienciaMs: number }
  /** The process stops, in MAX_PROCESS_STOP_MS at most. */
  | { que: 'para' }
/**
 * `listo` means that the site has started, `abierto` that it listens, `retirado` that it has left the port, `suelto` that its idle
 * connections are closed. The `linea` of `falla` is the error's message, which the process has not printed if it is `dicha`.
 */
export type SiteAnswer =
  | { que: 'listo' }
  | { que: 'abierto' }
  | { que: 'retirado' }
  | { que: 'suelto' }
  | { que: 'falla'; linea: string; dicha: boolean }

/** Longest time of a stop, shorter than MAX_STOP_MS of scripts/serve.ts, which is for the whole site. */
const MAX_PROCESS_STOP_MS = 8_000
const CHECK_INTERVAL_MS = 500

process.env.NODE_ENV = 'production'
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
// Terminals and service managers signal the whole process group, but this process obeys the supervisor alone, and ends with it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('disconnect', () => process.exit(1))

const stopController = new AbortController()
let site: Promise<ServingSite> | undefined
const reply = (message: SiteAnswer, onSent?: () => void) =>
  process.send?.(message, undefined, undefined, () => onSent?.())

async function stop(): Promise<void> {
  if (stopController.signal.aborted) return
  setTimeout(() => process.exit(1), MAX_PROCESS_STOP_MS).unref()
  stopController.abort()
  const servingSite = await site?.catch(() => undefined)
  await servingSite?.stop().catch((error: unknown) => console.error(error))
  process.exit(0)
}

async function start(inherited: Inherited, handle: unknown): Promise<void> {
  try {
    const root = await enterRunFolder(process.cwd(), process.env)
    const { serveSite } = (await import(pathToFileURL(join(root, 'build/server/index.js')).href)) as ServerBundle
    if (stopController.signal.aborted) return
    const { env, stdout } = process
    site = serveSite({
      root,
      env,
      say: (line) => console.log(line),
      isTerminal: stdout.isTTY,
      signal: stopController.signal,
      inherited: { ...inherited, handle },
    })
    await site
    reply({ que: 'listo' })
  } catch (error) {
    if (stopController.signal.aborted) return
    if (!isForOperator(error)) console.error(error)
    reply(
      { que: 'falla', linea: inOwnWords(String((error as Error)?.message ?? error)), dicha: isForOperator(error) },
      () => process.exit(1),
    )
  }
}

async function drain(timeoutMs: number): Promise<void> {
  const servingSite = await site
  // Idle connections have had no request since the process left the port, so hardly any has one on its way.
  servingSite?.closeIdleConnections()
  reply({ que: 'suelto' })
  for (const deadlineMs = Date.now() + timeoutMs; Date.now() < deadlineMs && (await servingSite?.countConnections()); )
    await new Promise((resolve) => setTimeout(resolve, CHECK_INTERVAL_MS))
  await stop()
}

process.on('message', async (order: SiteOrder) => {
  if (order.que === 'arranca') await start(order.heredado, order.handle)
  else if (order.que === 'para') await stop()
  else if (order.que === 'despide') await drain(order.pacienciaMs)
  else if (order.que === 'abre') {
    await (await site)?.open(order.handle).then(
      () => reply({ que: 'abierto' }),
      (error: Error) => reply({ que: 'falla', linea: error.message, dicha: true }),
    )
  } else {
    // The order is `retira`.
    await (await site)?.leave(order.sucesora)
    reply({ que: 'retirado' })
  }
})
