import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import pg from 'pg'
import { type Database, openDatabase, openPool } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { startPostgres } from '#app/core/postgres/embedded.server.ts'
import { nativeFolder, unprivileged } from '#app/core/postgres/native-binaries.server.ts'
import { readSettings } from '#app/core/process/env.server.ts'
import { createLog } from '#app/core/process/log.server.ts'
import { keysOf } from '#app/core/process/session-secret.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { openS3Storage } from '#app/core/storage/s3-adapter.server.ts'
import { createClock } from '#app/core/time/clock.server.ts'
import { listenSmtp, type SmtpListener } from '#tests/support/mail/smtp-listener.ts'
import { unpackPackages } from '../../debian.mjs'
import { root } from '../../prepare.mjs'
import { startRadosgw } from '../radosgw.ts'
import { expect, until } from '../smoke-test.ts'

/** During the vote; registrations are opened by a setting. */
const CLOCK = Date.parse('2025-09-20T12:00:00-06:00')
const NAMES = ['uno', 'dos', 'tres'] as const
/** Limit of the pooler's connections to PostgreSQL, as docs/operacion.md says. */
export const MAX_DATABASE_CONNECTIONS = 40
/** application_name of this check's own connections to PostgreSQL. */
export const TEST_APPLICATION_NAME = 'prueba'
const SECRET = 'secreto-de-las-varias-maquinas-de-prueba'

/** One process of the site, which stands for a separate machine: it has its own data folder, pictures and port. */
export interface RunningProcess {
  name: string
  port: number
  dataDir: string
  /** The process, while it runs. */
  child: ChildProcess | undefined
  /** Starts the process, and resolves once it answers. @param folder an opened package */
  start(folder?: string): Promise<void>
  /** Ends the process by a signal, and resolves once it has ended. */
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
  isServing(): Promise<boolean>
}

/** Three processes behind haproxy, PostgreSQL behind pgbouncer, and RadosGW. */
export interface Installation {
  /** The proxy's origin, which visitors use. */
  origin: string
  processes: readonly RunningProcess[]
  /** Straight to PostgreSQL, past the pooler. */
  pool: pg.Pool
  db: Database
  storage: ObjectStorage
  services: Services
  smtp: SmtpListener
  /** Settings that all processes share. */
  env: Record<string, string>
  /** Runs a command in pgbouncer's console. */
  pooler(command: string): Promise<Record<string, unknown>[]>
  /** Moment of the site's clock. */
  now(): Date
  work: string
  stop(): Promise<void>
}

export interface PortRange {
  /** The first of the ports of haproxy (two), pgbouncer, RadosGW (three) and the processes. */
  firstPort: number
  /** How many processes. */
  processCount?: number
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket
      .once('error', () => resolve(true))
      .once('connect', () => {
        socket.destroy()
        resolve(false)
      })
  })

/** @param packagePath an opened package, which the processes run */
export async function openMachines(
  packagePath: string,
  { firstPort, processCount = 3 }: PortRange,
): Promise<Installation> {
  const undo: (() => Promise<unknown> | unknown)[] = []
  const work = await mkdtemp(join(tmpdir(), 'certamen-varios-'))
  await chmod(work, 0o755)
  undo.push(() => rm(work, { recursive: true, force: true }))
  const started = new Set<ChildProcess>()
  // All child processes end with this process, unless it is killed.
  const cut = () => {
    for (const child of started) child.kill('SIGKILL')
  }
  process.once('exit', cut)
  undo.push(() => process.removeListener('exit', cut))
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await Promise.resolve(step()).catch(() => {})
  }
  try {
    return await open()
  } catch (error) {
    await stop()
    throw error
  }

  async function open(): Promise<Installation> {
    const [tls, plain, pooling, s3, first] = [firstPort, firstPort + 1, firstPort + 2, firstPort + 3, firstPort + 6]
    const origin = `https://localhost:${tls}`
    const began = Date.now()
    const now = () => new Date(CLOCK + Date.now() - began)

    const radosgw = await startRadosgw(s3)
    undo.push(() => radosgw.stop())
    Object.assign(process.env, radosgw.env)
    const postgres = await startPostgres(join(work, 'postgres'), (line) => console.log(line))
    undo.push(() => postgres.stop())
    const pool = openPool({ ...postgres.connection, application_name: TEST_APPLICATION_NAME }, 4)
    undo.push(() => pool.end())
    const email = await listenSmtp()
    undo.push(() => email.close())

    const launch = (program: string, args: string[], options: Parameters<typeof spawn>[2]) => {
      const child = spawn(program, args, options)
      started.add(child)
      undo.push(() => ended(child, 'SIGKILL'))
      return child
    }
    await startPooler(launch, work, pooling, String(postgres.connection.host))
    const databaseUrl = `postgres://certamen@127.0.0.1:${pooling}/certamen`

    const common = {
      ...{ PUBLIC_URL: origin, TRUSTED_PROXIES: '1', DATABASE_URL: databaseUrl, STORAGE_URL: radosgw.url },
      ...{ SESSION_SECRET: SECRET, SMTP_URL: email.url, MAIL_FROM: 'avisos@azahares.example', LOG_LEVEL: 'warn' },
      ...{ DISK_FLOOR: '1%', ...radosgw.env },
    }
    const processes = NAMES.slice(0, processCount).map((name, at): RunningProcess => {
      const dataDir = join(work, name)
      const port = first + at
      const runningProcess: RunningProcess = {
        name,
        port,
        dataDir,
        child: undefined,
        async start(folder = packagePath) {
          await mkdir(dataDir, { recursive: true })
          // A process of the site outlives its supervisor for a moment.
          await until(`el puerto ${port} libre`, () => isFree(port))
          const log = createWriteStream(join(work, `${name}.log`), { flags: 'a' })
          const node = join(folder, 'node_modules/.bin/node')
          const child = spawn(node, ['--disable-warning=ExperimentalWarning', 'scripts/serve.ts'], {
            cwd: folder,
            stdio: ['ignore', 'pipe', 'pipe'],
            env: {
              ...{ PATH: process.env.PATH, ...common, PORT: String(port), DATA_DIR: dataDir },
              SITE_CLOCK: now().toISOString(),
            },
          })
          runningProcess.child = child
          started.add(child)
          child.once('exit', () => started.delete(child))
          for (const stream of [child.stdout!, child.stderr!]) stream.pipe(log, { end: false })
          await until(`el proceso ${name}`, async () => {
            expect(child.exitCode === null && child.signalCode === null, `${name}: ${await said(work, name)}`)
            return runningProcess.isServing()
          })
        },
        async kill(signal) {
          if (runningProcess.child) await ended(runningProcess.child, signal)
        },
        isServing: () =>
          fetch(`http://127.0.0.1:${port}/healthz`).then(
            ({ status }) => status === 200,
            () => false,
          ),
      }
      undo.push(() => runningProcess.kill('SIGKILL'))
      return runningProcess
    })

    await certify(work)
    setDefaultCACertificates([...getCACertificates('default'), await readFile(join(work, 'cert.pem'), 'utf8')])
    await startProxy(launch, work, { tls, plain }, processes)
    const storage = openS3Storage(radosgw.url)
    const db = openDatabase(pool)
    const settings = readSettings({ DATA_DIR: join(work, 'prueba'), PUBLIC_URL: origin })
    return {
      ...{ origin, processes, pool, db, storage, smtp: email, now, work, stop, env: common },
      services: {
        ...{ settings, db, storage, log: createLog('silent'), keyed: keysOf(SECRET) },
        clock: createClock(now().toISOString()),
      },
      async pooler(command) {
        const client = new pg.Client({ host: '127.0.0.1', port: pooling, user: 'pgbouncer', database: 'pgbouncer' })
        await client.connect()
        try {
          // The console accepts only simple queries, without parameters.
          return (await client.query(command)).rows as Record<string, unknown>[]
        } finally {
          await client.end()
        }
      },
    }
  }
}

async function ended(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill(signal)
  await exit
}

/** The end of a process's log. */
const said = async (work: string, name: string): Promise<string> =>
  (await readFile(join(work, `${name}.log`), 'utf8').catch(() => '')).slice(-600)

type Launch = (program: string, args: string[], options: Parameters<typeof spawn>[2]) => ChildProcess

/** Starts pgbouncer in transaction mode, under PostgreSQL's account: it refuses to run as root. */
async function startPooler(launch: Launch, work: string, port: number, sockets: string): Promise<void> {
  const { folder, env } = await unpackPackages('pgbouncer', ['pgbouncer'], 'usr/sbin/pgbouncer')
  const file = join(work, 'pgbouncer.ini')
  await writeFile(
    file,
    `[databases]
certamen = host=${sockets} port=5432 dbname=certamen user=certamen connect_query='set idle_in_transaction_session_timeout = ''5min'''
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${MAX_DATABASE_CONNECTIONS}
max_client_conn = 200
query_wait_timeout = 30
`,
  )
  const { wrap, options } = await unprivileged(await nativeFolder())
  const [program, args] = wrap(join(folder, 'usr/sbin/pgbouncer'), [file])
  let words = ''
  const child = launch(program, [...args], { ...options, env, stdio: ['ignore', 'ignore', 'pipe'] })
  child.stderr!.on('data', (chunk) => {
    words = `${words}${chunk}`.slice(-2_000)
  })
  await until('pgbouncer', async () => {
    expect(child.exitCode === null, `pgbouncer: ${words}`)
    const client = new pg.Client({ host: '127.0.0.1', port, user: 'certamen', database: 'certamen' })
    return client
      .connect()
      .then(() => client.end())
      .then(
        () => true,
        () => false,
      )
  })
}

async function certify(work: string): Promise<void> {
  const [key, certificate] = [join(work, 'key.pem'), join(work, 'cert.pem')]
  const done = spawnSync(
    'openssl',
    [
      ...'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost'.split(
        ' ',
      ),
      ...['-keyout', key, '-out', certificate],
    ],
    { encoding: 'utf8' },
  )
  expect(done.status === 0, `openssl: ${done.stderr}`)
  await writeFile(join(work, 'certamen.pem'), Buffer.concat([await readFile(key), await readFile(certificate)]))
}

/** Starts haproxy with deploy/haproxy.cfg, in which ports, certificate, pages and server lines are replaced. */
async function startProxy(
  launch: Launch,
  work: string,
  { tls, plain }: { tls: number; plain: number },
  processes: readonly RunningProcess[],
): Promise<void> {
  const { folder, env } = await unpackPackages('haproxy', ['haproxy'], 'usr/sbin/haproxy')
  const each = (line: string) =>
    processes
      .map(({ name, port }) => line.replaceAll('uno', name).replace('127.0.0.1:3000', `127.0.0.1:${port}`))
      .join('\n')
  const chosen = ({ name }: RunningProcess) => `  use-server ${name} if { hdr(x-por) ${name} }`
  const conf = (await readFile(join(root, 'deploy/haproxy.cfg'), 'utf8'))
    .replaceAll('/opt/certamen/actual/deploy', join(root, 'deploy'))
    .replace('bind :80', `bind 127.0.0.1:${plain}`)
    .replace('bind :443', `bind 127.0.0.1:${tls}`)
    .replace('/etc/haproxy/certamen.pem', join(work, 'certamen.pem'))
    .replaceAll(/^ {2}server uno .*$/gm, each)
    // For this check, `x-proceso` names the process that answered, and `x-por` chooses one.
    .replaceAll(/^backend \w+$/gm, '$&\n  http-response set-header x-proceso %s')
    .replace(/^backend certamen$/m, (line) => [line, ...processes.map(chosen)].join('\n'))
  await writeFile(join(work, 'haproxy.cfg'), conf)
  let words = ''
  const child = launch(join(folder, 'usr/sbin/haproxy'), ['-W', '-db', '-f', join(work, 'haproxy.cfg')], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (chunk) => {
      words = `${words}${chunk}`.slice(-2_000)
    })
  await sleep(300)
  expect(child.exitCode === null, `haproxy: ${words}`)
}
