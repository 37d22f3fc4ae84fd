// What npm start runs: it builds what has changed, takes port and data folder, starts the database, and keeps the
// processes of the site (scripts/supervisor/supervisor.ts), so that one version takes over from another while visitors come.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import { startPostgres } from '#app/core/postgres/embedded.server.ts'
import { lockDataDir } from '#app/core/process/data-folder-lock.server.ts'
import { readSettings, type Settings } from '#app/core/process/env.server.ts'
import { createLog } from '#app/core/process/log.server.ts'
import { diskFault } from '#app/core/process/start-error.server.ts'
import { endWith } from '../server/end-with-fault.ts'
import { toItsEnd, type Undo, undoAll } from '../server/undo.ts'
import { isBuilt } from './builder/build-stamp.ts'
import { isPackage } from './builder/package.ts'
import { root } from './prepare.mjs'
import { openControlRequests, versionOverrideNotice } from './supervisor/control-requests.ts'
import { takePuerto } from './supervisor/listening-port.ts'
import { AlreadyReported } from './supervisor/site-process-handle.ts'
import { createSupervisor, type Supervisor } from './supervisor/supervisor.ts'
import { findVersionOverride } from './supervisor/versions.ts'

const IMPATIENT_MS = 1_000
/** Within the ten seconds that containers and service managers wait before they kill. */
const HARD_END_MS = 9_300

// Libraries read NODE_ENV when they are loaded: without it React renders with its development checks, several times
// slower.
process.env.NODE_ENV = 'production'

// Writing to a terminal that is gone fails, which must not end the site, least of all in the middle of its stop.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

const say = (line: string) => console.log(line)
let stopping: number | undefined
let supervisor: Supervisor | undefined
const undo: Undo = []
const leaving = new AbortController()
let opening: Promise<void> = Promise.resolve()

// However this process ends, its processes end with it, and before its database, which ends itself at this moment, too.
process.on('exit', () => supervisor?.kill())

async function stop() {
  // One Ctrl-C may arrive twice, from the terminal and from the parent; a later one ends the process at once.
  if (stopping !== undefined) {
    if (Date.now() - stopping > IMPATIENT_MS) process.exit(1)
    return
  }
  stopping = Date.now()
  say('Cerrando…')
  // The process ends even if a step of the stop hangs; whatever it ends by, it takes its database with it.
  setTimeout(() => process.exit(1), HARD_END_MS).unref()
  leaving.abort()
  await supervisor?.stop()
  // A start that is under way breaks off first.
  await opening.catch(() => {})
  await undoAll(undo).catch((error: unknown) => console.error(error))
  process.exit(0)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
process.on('disconnect', stop)

/** Builds what has changed, in a process apart: what builds takes memory that this one would keep for years. */
async function buildApart(): Promise<void> {
  if (isPackage(root) || (await isBuilt(root))) return
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'scripts/build.ts'], {
    cwd: root,
    stdio: 'inherit',
  })
  leaving.signal.addEventListener('abort', () => child.kill())
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new AlreadyReported('it was not built')
}

/** What the site's processes find by a path finds each of them, wherever its version lies. */
function absolute(env: NodeJS.ProcessEnv, { dataDir }: Settings): NodeJS.ProcessEnv {
  const paths = Object.entries(env).flatMap(([name, value]) =>
    value && !isAbsolute(value) && (/_FILE$/.test(name) || (name === 'BACKUP_URL' && !/^\w+:/.test(value)))
      ? [[name, resolve(value)]]
      : [],
  )
  return { ...env, ...Object.fromEntries(paths), DATA_DIR: dataDir }
}

async function open(): Promise<void> {
  let settings = readSettings(process.env)
  const versionOverride = await findVersionOverride(root, settings.dataDir)
  if (versionOverride) say(versionOverrideNotice(versionOverride))
  else await buildApart()
  try {
    const puerto = await takePuerto(settings.port, settings.host)
    // Port 0 asks the machine for a free one.
    settings = { ...settings, publicUrl: settings.publicUrl.replace(/:0$/, `:${puerto.port}`) }
    leaving.signal.throwIfAborted()
    const { dataDir, publicUrl } = settings
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    undo.push(await lockDataDir(dataDir, publicUrl))
    const log = createLog(settings.logLevel)
    const postgres = settings.databaseUrl
      ? undefined
      : await startPostgres(join(dataDir, 'postgres'), (message) => log.warn(message))
    if (postgres) undo.push(toItsEnd(() => postgres.stop()))
    leaving.signal.throwIfAborted()
    const warn = (fields: Record<string, unknown>, words: string) => log.warn(fields, words)
    const env = absolute(process.env, settings)
    supervisor = createSupervisor({ puerto, env, publicUrl, connection: postgres?.connection, warn })
    await supervisor.start(versionOverride?.carpeta ?? root)
    const hasEarlySnapshot = process.argv.includes('--aparta')
    const controlSocket = openControlRequests({
      conserje: supervisor,
      root,
      dataDir,
      publicUrl,
      aparta: hasEarlySnapshot,
      warn,
    })
    // Where the disk takes no sockets, the site does without: it is upgraded by stopping it.
    const closeControlSocket = await controlSocket.catch((error: unknown) =>
      warn({ err: error }, 'no orders can be taken'),
    )
    if (closeControlSocket) undo.push(closeControlSocket)
  } catch (error) {
    throw diskFault(error, settings.dataDir) ?? error
  }
}

try {
  opening = open()
  await opening
} catch (error) {
  if (stopping === undefined) {
    supervisor?.kill()
    await undoAll(undo).catch(() => {})
    if (error instanceof AlreadyReported) process.exit(1)
    endWith(error)
  }
}
