// npm start runs this script: it builds changed sources, claims port and data folder, starts the database, and runs the supervisor
// of the site's processes (scripts/supervisor/supervisor.ts), which replaces one version by another without downtime.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import { startPostgres } from '#app/core/postgres/embedded.server.ts'
import { assertClusterNotLost } from '#app/core/postgres/in-use-marker.server.ts'
import { lockDataDir } from '#app/core/process/data-folder-lock.server.ts'
import { readSettings, type Settings } from '#app/core/process/env.server.ts'
import { createLog } from '#app/core/process/log.server.ts'
import { isPackage } from '#app/core/process/own-commands.server.ts'
import { diskFault, StartError } from '#app/core/process/start-error.server.ts'
import { endWithFault } from '../server/end-with-fault.ts'
import { markAsLasting, type Undo, undoAll } from '../server/undo.ts'
import { isBuilt } from './build-steps/build-stamp.ts'
import { findOwnershipFault, root } from './prepare.mjs'
import { bindPort } from './supervisor/bound-port.ts'
import { openControlRequests } from './supervisor/control-requests.ts'
import { ReportedError } from './supervisor/site-process-handle.ts'
import { createSupervisor, type Supervisor } from './supervisor/supervisor.ts'
import { findVersionOverride, versionNameOf } from './supervisor/versions.ts'

/** A second signal ends the process only after this time, since one Ctrl-C may come from the terminal and from the parent process. */
const REPEATED_SIGNAL_MS = 1_000
/** Longest time of a stop, less than the ten seconds after which Docker kills a process by default. */
const MAX_STOP_MS = 9_300

// Libraries read NODE_ENV when they are loaded; without it React runs its development checks, which are several times slower.
process.env.NODE_ENV = 'production'

// Writing to a closed terminal fails, which must not end the site, least of all while it stops.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

const print = (line: string) => console.log(line)
let stoppingSinceMs: number | undefined
let supervisor: Supervisor | undefined
const undo: Undo = []
const stopController = new AbortController()
let starting: Promise<void> = Promise.resolve()

// On every exit the site's processes are killed. The embedded database has a listener of its own, which runs earlier.
process.on('exit', () => supervisor?.kill())

async function stop() {
  if (stoppingSinceMs !== undefined) {
    if (Date.now() - stoppingSinceMs > REPEATED_SIGNAL_MS) process.exit(1)
    return
  }
  stoppingSinceMs = Date.now()
  print('Cerrando…')
  // The process ends even if a step of the stop hangs; the listeners for the exit then end the database and the site's processes.
  setTimeout(() => process.exit(1), MAX_STOP_MS).unref()
  stopController.abort()
  await supervisor?.stop()
  // A start that is under way ends by the abort before its steps are undone.
  await starting.catch(() => {})
  await undoAll(undo).catch((error: unknown) => console.error(error))
  process.exit(0)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
process.on('disconnect', stop)

function assertOwnedOrWritable(paths: readonly string[]): void {
  const fault = findOwnershipFault(paths)
  if (fault !== undefined) throw new StartError(fault)
}

/**
 * Builds changed sources in a child process, since this process runs for months and would keep the build's memory.
 * @throws ReportedError if the build fails; StartError for folders of another account
 */
async function buildInChildProcess(): Promise<void> {
  if (isPackage(root) || (await isBuilt(root))) return
  assertOwnedOrWritable(['build', '.cache', '.react-router'].map((name) => join(root, name)))
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'scripts/build.ts'], {
    cwd: root,
    stdio: 'inherit',
  })
  stopController.signal.addEventListener('abort', () => child.kill())
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new ReportedError('it was not built')
}

/** Makes paths in environment variables absolute, since each version runs in another folder. */
function makePathsAbsolute(env: NodeJS.ProcessEnv, { dataDir }: Settings): NodeJS.ProcessEnv {
  const paths = Object.entries(env).flatMap(([name, value]) =>
    value && !isAbsolute(value) && (/_FILE$/.test(name) || (name === 'BACKUP_URL' && !/^\w+:/.test(value)))
      ? [[name, resolve(value)]]
      : [],
  )
  return { ...env, ...Object.fromEntries(paths), DATA_DIR: dataDir }
}

async function start(): Promise<void> {
  let settings = readSettings(process.env)
  const names = await readdir(settings.dataDir).catch(() => [])
  // If the data folder is a mounted disk, it contains lost+found, which root owns.
  const entries = names.filter((name) => name !== 'lost+found')
  assertOwnedOrWritable([settings.dataDir, ...entries.map((name) => join(settings.dataDir, name))])
  const versionOverride = await findVersionOverride(root, settings.dataDir)
  if (versionOverride)
    print(
      `Arranca la versión ${versionNameOf(versionOverride)}, como la dejó la última actualización, y no la de esta carpeta. Para probar ésta: npm run actualizar.`,
    )
  else await buildInChildProcess()
  try {
    const boundPort = await bindPort(settings.port, settings.host)
    settings = { ...settings, publicUrl: settings.publicUrl.replace(/:0$/, `:${boundPort.address().port}`) }
    stopController.signal.throwIfAborted()
    const { dataDir, publicUrl } = settings
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    undo.push(await lockDataDir(dataDir, publicUrl))
    const log = createLog(settings.logLevel)
    if (!settings.databaseUrl) await assertClusterNotLost(join(dataDir, 'postgres'))
    const postgres = settings.databaseUrl
      ? undefined
      : await startPostgres(join(dataDir, 'postgres'), (message) => log.warn(message))
    if (postgres) undo.push(markAsLasting(() => postgres.stop()))
    stopController.signal.throwIfAborted()
    const warn = (fields: Record<string, unknown>, message: string) => log.warn(fields, message)
    const env = makePathsAbsolute(process.env, settings)
    supervisor = createSupervisor({ boundPort, env, publicUrl, connection: postgres?.connection, warn })
    await supervisor.start(versionOverride?.carpeta ?? root)
    // scripts/start.mjs passes --aparta, so `npm start` makes a snapshot of its version early.
    const hasEarlySnapshot = process.argv.includes('--aparta')
    // On a file system without sockets the site has no control socket, and must be stopped for an upgrade.
    await openControlRequests({ supervisor, dataDir, hasEarlySnapshot, warn }).then(
      (close) => undo.push(close),
      (error: unknown) => warn({ err: error }, 'the control socket could not be opened'),
    )
  } catch (error) {
    throw diskFault(error, settings.dataDir) ?? error
  }
}

try {
  starting = start()
  await starting
} catch (error) {
  if (stoppingSinceMs === undefined) {
    supervisor?.kill()
    await undoAll(undo).catch(() => {})
    if (error instanceof ReportedError) process.exit(1)
    endWithFault(error)
  }
}
