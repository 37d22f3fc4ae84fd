import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { chmod, chown, lstat, mkdir, open, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { errorCode } from '#app/core/process/durable-files.server.ts'
import { isSocketAnswering } from '#app/core/process/liveness-socket.server.ts'
import { commandLine, isAlive, isZombie } from '#app/core/process/pid-info.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { MINUTE_MS } from '#app/core/time/durations.ts'
import { assertNotCopiedLive, markAtRest, markInUse } from './in-use-marker.server.ts'
import { startLogRotation } from './log-rotation.server.ts'
import {
  createCluster,
  findUnprivileged,
  nativeFolder,
  ownCluster,
  pathExists,
  SUPERUSER,
  type UnprivilegedAccount,
} from './native-binaries.server.ts'
import { endServer, endServerNow, removeStaleLock } from './shutdown.server.ts'

const SITE_ROLE = 'certamen'
const PORT = 5432
/** The path of a socket's folder has at most this many bytes: with the name in it, a path has at most 107 bytes (unix(7)). */
const MAX_SOCKET_FOLDER_BYTES = 85
/** Delay before the first attempt to start a server that has ended. */
const RESTART_DELAY_MS = 500
/** Delay before each further attempt to start that server. */
const RETRY_DELAY_MS = 2_000
/** Once a server has ended, its exit event is awaited for at most this long. */
const EXIT_EVENT_TIMEOUT_MS = 1_000

export interface EmbeddedPostgres {
  /** Connection as the site's role, which owns the site's database and has no other rights. */
  connection: pg.PoolConfig
  /** Connection as superuser, for tests that create and drop databases. */
  superuser: pg.PoolConfig
  pid(): number | undefined
  /** Stops the server by a fast shutdown or, if that takes too long, by force. Resolves when the server has ended. */
  stop(): Promise<void>
}

/**
 * Starts the PostgreSQL of the npm packages over the cluster `folder`, on a Unix socket that only this account reaches. Stops a
 * server that a killed site left behind, creates a missing cluster, and restarts a server that dies.
 * @throws StartError if this machine or the folder lets no server start, for example since the folder was copied from a running one
 */
export async function startPostgres(folder: string, warn: (message: string) => void): Promise<EmbeddedPostgres> {
  const nativePath = await nativeFolder()
  const account = await findUnprivileged(nativePath)
  await mkdir(dirname(folder), { recursive: true })
  await assertNotCopiedLive(folder)
  await stopLeftover(folder)
  if (!(await pathExists(join(folder, 'PG_VERSION')))) await createCluster(nativePath, folder, account)
  await ownCluster(folder, account)
  await markInUse(folder, account.uid)

  const socketDir = await createSocketFolder(folder, account)
  const serverAddress = { host: socketDir, port: PORT }
  let child: ChildProcess | undefined
  let isStopping = false
  // The server ends with this process, unless the process is killed.
  const endWithProcess = () => {
    if (isRunning(child)) endServerNow(child.pid, isStopping)
    rmSync(socketDir, { recursive: true, force: true })
  }
  // This listener must run before the exit listener that removes temporary folders, since `folder` may lie in a temporary folder.
  process.prependOnceListener('exit', endWithProcess)

  const logRotation = startLogRotation(`${folder}.log`)

  const launch = async () => {
    const log = await open(`${folder}.log`, 'a', 0o600)
    const settings = {
      listen_addresses: '',
      unix_socket_directories: `"${socketDir}"`,
      unix_socket_permissions: '0700',
      port: String(PORT),
      max_connections: '100',
      shared_buffers: '64MB',
      jit: 'off',
    }
    const args = ['-D', folder, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
    try {
      if (isStopping) return
      // In its own process group the server does not get Ctrl-C: the site ends its requests before it stops the server.
      const newChild = spawn(...account.wrap(join(nativePath, 'bin', 'postgres'), args), {
        ...account.options,
        detached: true,
        stdio: ['ignore', log.fd, log.fd],
      })
      child = newChild
      newChild.on('error', () => {})
      newChild.once('exit', (code, signal) => {
        if (isStopping || child !== newChild) return
        warn(`PostgreSQL terminó (${signal ?? code}); se inicia de nuevo`)
        void relaunch()
      })
      await once(newChild, 'spawn')
    } finally {
      await log.close()
    }
  }
  /** Tries to start the server until it starts, since an obstacle such as a full disk may pass. */
  const relaunch = async () => {
    for (let delayMs = RESTART_DELAY_MS; ; delayMs = RETRY_DELAY_MS) {
      await sleep(delayMs)
      if (isStopping) return
      try {
        return await launch()
      } catch (error) {
        warn(`PostgreSQL no se pudo iniciar (${errorCode(error) ?? error}); se intenta de nuevo`)
      }
    }
  }

  const stop = async () => {
    isStopping = true
    if (isRunning(child)) {
      const exitEvent = once(child, 'exit')
      const isOrderly = await endServer(child.pid)
      await Promise.race([exitEvent, sleep(EXIT_EVENT_TIMEOUT_MS, undefined, { ref: false })])
      if (isOrderly && child.exitCode === 0) await markAtRest(folder)
    }
    await rm(socketDir, { recursive: true, force: true })
    process.removeListener('exit', endWithProcess)
    clearInterval(logRotation)
  }
  try {
    await launch()
    await waitUntilReady({ ...serverAddress, user: SUPERUSER, database: 'postgres' }, () => isRunning(child), folder)
    await createDatabase({ ...serverAddress, user: SUPERUSER, database: 'postgres' })
  } catch (error) {
    await stop()
    throw error
  }

  return {
    connection: { ...serverAddress, user: SITE_ROLE, database: SITE_ROLE },
    superuser: { ...serverAddress, user: SUPERUSER, database: 'postgres' },
    pid: () => child?.pid,
    stop,
  }
}

/** Returns the path of a socket's folder: beside the cluster or, if that path is too long, in the system's temporary folder. */
function socketFolderOf(folder: string, pid: number): string {
  const besideFolder = `${folder}.sockets`
  return Buffer.byteLength(besideFolder) <= MAX_SOCKET_FOLDER_BYTES
    ? besideFolder
    : join(tmpdir(), `certamen-${pid}-${createHash('sha256').update(folder).digest('hex').slice(0, 6)}`)
}

/** Returns the connection to the database that process `pid` of this machine runs over `folder`. */
export const connectionTo = (folder: string, pid: number): pg.PoolConfig => ({
  host: socketFolderOf(folder, pid),
  port: PORT,
  user: SITE_ROLE,
  database: SITE_ROLE,
})

async function createSocketFolder(folder: string, { uid }: UnprivilegedAccount): Promise<string> {
  const path = socketFolderOf(folder, process.pid)
  await mkdir(path, { recursive: true, mode: 0o700 })
  const pathStat = await lstat(path)
  const isOwn = pathStat.isDirectory() && [process.getuid?.(), uid].includes(pathStat.uid)
  if (!isOwn) throw new StartError(`La carpeta ${path} es de otra cuenta. Elige otra carpeta con DATA_DIR.`)
  await chmod(path, 0o700)
  if (uid !== undefined) await chown(path, uid, uid)
  return path
}

/**
 * Ends the server that a killed process left running over a cluster, if there is one.
 * @throws StartError for a server in another process id namespace, such as another container's
 */
export async function stopLeftover(folder: string): Promise<void> {
  const [firstLine] = (await readFile(join(folder, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  const pid = Number(firstLine)
  if (!pid) return
  const commandWords = isAlive(pid) ? await commandLine(pid) : []
  // An unrelated process may have the process id by now, and must not be ended.
  const isOurs = commandWords.length > 0 ? commandWords.includes(folder) : isAlive(pid) && (await servesFolder(folder))
  if (isOurs) await endServer(pid)
  else if ((await servesFolder(folder)) || (await isSocketAnswering(`${folder}.sockets`, `.s.PGSQL.${PORT}`)))
    throw new StartError(
      `La base de datos de ${folder} la tiene abierta un proceso que no se ve desde aquí, quizá en otro contenedor. Detenlo, o elige otra carpeta con DATA_DIR.`,
    )
  // In a restarted container another process often has the process id. PostgreSQL would take it for its server and not start.
  if (isZombie(pid) || (!isOurs && commandWords.length > 0)) await removeStaleLock(folder)
}

/** Returns whether the server that a cluster's lock file names answers and serves this cluster. */
export async function servesFolder(folder: string): Promise<boolean> {
  const [, , , port, host] = (await readFile(join(folder, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  if (!port || !host) return false
  const client = new pg.Client({
    host,
    port: Number(port),
    user: SUPERUSER,
    database: 'postgres',
    connectionTimeoutMillis: 2_000,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ data_directory: string }>('show data_directory')
    return (await realpath(rows[0]!.data_directory)) === (await realpath(folder))
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

/**
 * Waits for the server for up to two minutes, in which it may recover from a crash.
 * @throws StartError if the server cannot start, or does not answer in time
 */
async function waitUntilReady(config: pg.ClientConfig, isServerRunning: () => boolean, folder: string): Promise<void> {
  for (const deadlineMs = Date.now() + 2 * MINUTE_MS; Date.now() < deadlineMs; await sleep(25)) {
    const client = new pg.Client({ ...config, connectionTimeoutMillis: 2_000 })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.end()
      return
    } catch {
      await client.end().catch(() => {})
    }
    if (!isServerRunning()) {
      const log = (await readFile(`${folder}.log`, 'utf8').catch(() => '')).trim().split('\n').slice(-3).join(' ')
      // The server was restarted while its log was read, so the log may already be the new server's.
      if (isServerRunning()) continue
      if (/No space left/i.test(log))
        throw new StartError(`No queda espacio en el disco de ${folder}. Libera espacio y vuelve a ejecutar npm start.`)
      // A process of a killed server may hold the shared memory for up to 20 s. Meanwhile the server is restarted.
      if (!/shared memory|lock file|postmaster\.pid/i.test(log) || Date.now() > deadlineMs - 100_000)
        throw new StartError(
          `La base de datos no arranca; su registro está en ${folder}.log. Lo último que dice: ${log}`,
        )
    }
  }
  throw new StartError(`La base de datos no contestó en dos minutos; su registro está en ${folder}.log.`)
}

async function createDatabase(config: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(config)
  await client.connect()
  try {
    const roles = await client.query('select 1 from pg_roles where rolname = $1', [SITE_ROLE])
    if (roles.rows.length === 0) await client.query(`create role ${SITE_ROLE} login`)
    const databases = await client.query('select 1 from pg_database where datname = $1', [SITE_ROLE])
    if (databases.rows.length === 0) await client.query(`create database ${SITE_ROLE} owner ${SITE_ROLE}`)
  } finally {
    await client.end()
  }
}

const isRunning = (child: ChildProcess | undefined): child is ChildProcess & { pid: number } =>
  child?.pid !== undefined && child.exitCode === null && child.signalCode === null
