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
import { markAtRest, markInUse, refuseLiveCopy } from './in-use-marker.server.ts'
import { startLogRotation } from './log-rotation.server.ts'
import {
  createCluster,
  findUnprivileged,
  nativeFolder,
  ownCluster,
  pathExists,
  SUPERUSER,
  type Unprivileged,
} from './native-binaries.server.ts'
import { end, endServerNow, removeStaleLock } from './shutdown.server.ts'

const SITE = 'certamen'
const PORT = 5432
/** A socket's path has at most 107 bytes (unix(7)); this many remain for the folder without the socket's name. */
const MAX_SOCKET_FOLDER = 85
const RESTART_MS = 500
const RETRY_MS = 2_000
/** The exit event of a server that has ended is waited for this long, in milliseconds. */
const REAP_MS = 1_000

export interface EmbeddedPostgres {
  /** The site's connection, as owner of its database and nothing else. */
  connection: pg.PoolConfig
  /** Tests that make and drop databases use this connection. */
  superuser: pg.PoolConfig
  pid(): number | undefined
  /** Stops the server by a fast shutdown, or by force when that takes too long; resolves when the server has ended. */
  stop(): Promise<void>
}

/**
 * Starts the PostgreSQL of npm's packages over `folder`, on a Unix socket that only this account reaches; creates the cluster the
 * first time. A server left behind by a killed site is stopped first; a server that dies is started again.
 * @throws StartError when PostgreSQL cannot run here, or the folder is a copy made while its server ran
 */
export async function startPostgres(folder: string, warn: (message: string) => void): Promise<EmbeddedPostgres> {
  const native = await nativeFolder()
  const asUser = await findUnprivileged(native)
  await mkdir(dirname(folder), { recursive: true })
  await refuseLiveCopy(folder)
  await stopLeftover(folder)
  if (!(await pathExists(join(folder, 'PG_VERSION')))) await createCluster(native, folder, asUser)
  await ownCluster(folder, asUser)
  await markInUse(folder, asUser.uid)

  const socketDir = await socketFolder(folder, asUser)
  const server = { host: socketDir, port: PORT }
  let child: ChildProcess | undefined
  let stopping = false
  // The server ends with this process, however the process ends, short of being killed.
  const endWithProcess = () => {
    if (isRunning(child)) endServerNow(child.pid, stopping)
    rmSync(socketDir, { recursive: true, force: true })
  }
  // This listener has to run before the exit listener that removes temporary folders, this one perhaps among them.
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
      if (stopping) return
      // The server gets a separate process group: Ctrl-C reaches the site alone, which ends its requests before it stops the
      // server.
      const started = spawn(...asUser.wrap(join(native, 'bin', 'postgres'), args), {
        ...asUser.options,
        detached: true,
        stdio: ['ignore', log.fd, log.fd],
      })
      child = started
      started.on('error', () => {})
      started.once('exit', (code, signal) => {
        if (stopping || child !== started) return
        warn(`PostgreSQL terminó (${signal ?? code}); se inicia de nuevo`)
        void relaunch()
      })
      await once(started, 'spawn')
    } finally {
      await log.close()
    }
  }
  /** Tries again to start the server until it starts, since the obstacle (a full disk, too many processes) may pass. */
  const relaunch = async () => {
    for (let pause = RESTART_MS; ; pause = RETRY_MS) {
      await sleep(pause)
      if (stopping) return
      try {
        return await launch()
      } catch (error) {
        warn(`PostgreSQL no se pudo iniciar (${errorCode(error) ?? error}); se intenta de nuevo`)
      }
    }
  }

  const stop = async () => {
    stopping = true
    if (isRunning(child)) {
      const ended = once(child, 'exit')
      const isOrderly = await end(child.pid)
      await Promise.race([ended, sleep(REAP_MS, undefined, { ref: false })])
      if (isOrderly && child.exitCode === 0) await markAtRest(folder)
    }
    await rm(socketDir, { recursive: true, force: true })
    process.removeListener('exit', endWithProcess)
    clearInterval(logRotation)
  }
  try {
    await launch()
    await waitUntilReady(
      { ...server, user: SUPERUSER, database: 'postgres' },
      () => child?.exitCode ?? undefined,
      folder,
    )
    await createDatabase({ ...server, user: SUPERUSER, database: 'postgres' })
  } catch (error) {
    await stop()
    throw error
  }

  return {
    connection: { ...server, user: SITE, database: SITE },
    superuser: { ...server, user: SUPERUSER, database: 'postgres' },
    pid: () => child?.pid,
    stop,
  }
}

function socketPath(folder: string, pid: number): string {
  const besideFolder = `${folder}.sockets`
  return Buffer.byteLength(besideFolder) <= MAX_SOCKET_FOLDER
    ? besideFolder
    : join(tmpdir(), `certamen-${pid}-${createHash('sha256').update(folder).digest('hex').slice(0, 6)}`)
}

/** Returns the connection to the database that process `pid` of this machine runs over `folder`. */
export const connectionTo = (folder: string, pid: number): pg.PoolConfig => ({
  host: socketPath(folder, pid),
  port: PORT,
  user: SITE,
  database: SITE,
})

async function socketFolder(folder: string, { uid }: Unprivileged): Promise<string> {
  const path = socketPath(folder, process.pid)
  await mkdir(path, { recursive: true, mode: 0o700 })
  const { isOwn } = await lstat(path).then((found) => ({
    isOwn: found.isDirectory() && [process.getuid?.(), uid].includes(found.uid),
  }))
  if (!isOwn) throw new StartError(`La carpeta ${path} es de otra cuenta. Elige otra carpeta con DATA_DIR.`)
  await chmod(path, 0o700)
  if (uid !== undefined) await chown(path, uid, uid)
  return path
}

/**
 * Ends a server that a killed process left over a cluster, if there is one.
 * @throws StartError for a server that cannot be seen from here, another container's perhaps
 */
export async function stopLeftover(folder: string): Promise<void> {
  const first = (await readFile(join(folder, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')[0]
  const pid = Number(first)
  if (!pid) return
  const commandWords = isAlive(pid) ? await commandLine(pid) : []
  // The process id may belong to an unrelated process by now, which is left alone.
  const isOurs = commandWords.length > 0 ? commandWords.includes(folder) : isAlive(pid) && (await servesFolder(folder))
  if (isOurs) await end(pid)
  else if ((await servesFolder(folder)) || (await isSocketAnswering(`${folder}.sockets`, `.s.PGSQL.${PORT}`)))
    throw new StartError(
      `La base de datos de ${folder} la tiene abierta un proceso que no se ve desde aquí, quizá en otro contenedor. Detenlo, o elige otra carpeta con DATA_DIR.`,
    )
  // In a restarted container the process id is often in use again: PostgreSQL would take that process for its server, and not
  // start.
  if (isZombie(pid) || (!isOurs && commandWords.length > 0)) await removeStaleLock(folder)
}

/**
 * Returns whether the server named in a cluster's lock file answers and serves this cluster. The question is needed where the
 * system does not show the command line of a process.
 */
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
 * Waits up to two minutes for the server, through crash recovery if needed.
 * @throws StartError when the server ends, or does not answer in time
 */
async function waitUntilReady(
  config: pg.ClientConfig,
  exitCode: () => number | undefined,
  folder: string,
): Promise<void> {
  for (const end = Date.now() + 120_000; Date.now() < end; await sleep(25)) {
    const client = new pg.Client({ ...config, connectionTimeoutMillis: 2_000 })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.end()
      return
    } catch {
      await client.end().catch(() => {})
    }
    if (exitCode() !== undefined) {
      const log = (await readFile(`${folder}.log`, 'utf8').catch(() => '')).trim().split('\n').slice(-3).join(' ')
      // The server was restarted while its log was read: the log may be the new server's, which is starting.
      if (exitCode() === undefined) continue
      if (/No space left/i.test(log))
        throw new StartError(`No queda espacio en el disco de ${folder}. Libera espacio y vuelve a ejecutar npm start.`)
      // A backend of a killed server may hold the shared memory for a moment; meanwhile the server is restarted.
      if (!/shared memory|lock file|postmaster\.pid/i.test(log) || Date.now() > end - 100_000)
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
    const { rows } = await client.query('select 1 from pg_roles where rolname = $1', [SITE])
    if (rows.length === 0) await client.query(`create role ${SITE} login`)
    const found = await client.query('select 1 from pg_database where datname = $1', [SITE])
    if (found.rows.length === 0) await client.query(`create database ${SITE} owner ${SITE}`)
  } finally {
    await client.end()
  }
}

const isRunning = (child: ChildProcess | undefined): child is ChildProcess & { pid: number } =>
  child?.pid !== undefined && child.exitCode === null && child.signalCode === null
