// One process of the site, forked by the supervisor (scripts/supervisor/supervisor.ts). It opens its own resources, and accepts
// visitors when it gets the order. The supervisor may be of an earlier or later version, so the messages must stay compatible.
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
  | { que: 'abre'; handle: object }
  /** `sucesora`: folder of the version that takes over. */
  | { que: 'retira'; sucesora: string }
  /** The process ends once its last connection has closed, or after `pacienciaMs`. */
  | { que: 'despide'; pacienciaMs: number }
  | { que: 'para' }
export type SiteAnswer =
  | { que: 'listo' }
  | { que: 'abierto' }
  | { que: 'retirado' }
  | { que: 'suelto' }
  | { que: 'falla'; linea: string; dicha: boolean }

/** Longest time of a stop. It is shorter than the stop of the whole site may take (scripts/serve.ts). */
const MAX_STOP_MS = 8_000
const CHECK_INTERVAL_MS = 500

process.env.NODE_ENV = 'production'
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
// Terminals and service managers signal the whole process group, but this process obeys the supervisor alone, and ends with it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('disconnect', () => process.exit(1))

const leaving = new AbortController()
let site: Promise<ServingSite> | undefined
const answer = (message: SiteAnswer, onSent?: () => void) =>
  process.send?.(message, undefined, undefined, () => onSent?.())

async function stop(): Promise<void> {
  if (leaving.signal.aborted) return
  setTimeout(() => process.exit(1), MAX_STOP_MS).unref()
  leaving.abort()
  const servingSite = await site?.catch(() => undefined)
  await servingSite?.stop().catch((error: unknown) => console.error(error))
  process.exit(0)
}

async function start(inherited: Inherited, handle: unknown): Promise<void> {
  try {
    const root = await enterRunFolder(process.cwd(), process.env)
    const { serveSite } = (await import(pathToFileURL(join(root, 'build/server/index.js')).href)) as ServerBundle
    if (leaving.signal.aborted) return
    const say = (line: string) => console.log(line)
    const { env, stdout } = process
    site = serveSite({
      root,
      env,
      say,
      isTerminal: stdout.isTTY,
      signal: leaving.signal,
      inherited: { ...inherited, handle },
    })
    await site
    answer({ que: 'listo' })
  } catch (error) {
    if (leaving.signal.aborted) return
    const isForTheOperator = isForOperator(error)
    if (!isForTheOperator) console.error(error)
    answer(
      { que: 'falla', linea: inOwnWords(String((error as Error)?.message ?? error)), dicha: isForTheOperator },
      () => process.exit(1),
    )
  }
}

async function drain(timeoutMs: number): Promise<void> {
  const servingSite = await site
  // Idle connections have had no request since the process left the port, so closing them loses no request.
  servingSite?.closeIdleConnections()
  answer({ que: 'suelto' })
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
      () => answer({ que: 'abierto' }),
      (error: Error) => answer({ que: 'falla', linea: error.message, dicha: true }),
    )
  } else {
    await (await site)?.leave(order.sucesora)
    answer({ que: 'retirado' })
  }
})
