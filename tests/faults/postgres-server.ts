import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { appendFile, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { canInstallPackages, installPackage } from '../../scripts/debian.mjs'
import { freePort } from '../support/site/running-site.ts'

const HOME = '/usr/lib/postgresql'
/** PostgreSQL refuses to run as root: as root, the tests start the server under this unprivileged account. */
const [UID, GID] = process.getuid?.() === 0 ? [65_534, 65_534] : [undefined, undefined]

/** Folder of Debian's PostgreSQL programs, whose major version differs from the npm packages'. */
function programs(): string {
  if (!existsSync(HOME) && canInstallPackages()) installPackage('postgresql')
  const version = existsSync(HOME) ? readdirSync(HOME).sort().at(-1) : undefined
  if (version === undefined) throw new Error('This needs PostgreSQL of Debian’s packages: apt-get install postgresql')
  return join(HOME, version, 'bin')
}

/** A PostgreSQL server apart from the site's, on a port of this machine. */
export interface PostgresServer {
  port: number
  url(database: string): string
  sql(text: string, database?: string): Promise<Record<string, unknown>[]>
  /** SIGKILL to the first process; the others end by themselves. */
  kill(): Promise<void>
  /** Starts a synchronous standby of this server. */
  standby(): Promise<PostgresServer>
  promote(): Promise<void>
  stop(): Promise<void>
}

/** Starts a server with the role `certamen` and databases of that role. */
export async function startPostgresServer(databases: readonly string[]): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'certamen-servidor-'))
  if (UID !== undefined) await chown(folder, UID, GID!)
  const data = join(folder, 'datos')
  run('initdb', ['-D', data, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8'])
  const server = await launch(folder, data)
  await server.sql('create role certamen login')
  for (const name of databases) await server.sql(`create database ${name} owner certamen`)
  return server
}

function run(program: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(join(programs(), program), args, {
    uid: UID,
    gid: GID,
    cwd: '/',
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${program}: ${stderr}`)
}

async function launch(folder: string, data: string): Promise<PostgresServer> {
  const port = await freePort()
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
    'wal_level=replica',
  ]
  const child: ChildProcess = spawn(
    join(programs(), 'postgres'),
    ['-D', data, ...settings.flatMap((one) => ['-c', one])],
    {
      ...(UID === undefined ? {} : { uid: UID, gid: GID! }),
      cwd: '/',
      stdio: 'ignore',
    },
  )
  const gone = once(child, 'exit')
  const server: PostgresServer = {
    port,
    url: (database) => `postgres://certamen@127.0.0.1:${port}/${database}`,
    async sql(text, database = 'postgres') {
      const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database })
      await client.connect()
      try {
        return (await client.query(text)).rows
      } finally {
        await client.end()
      }
    },
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
    async standby() {
      const other = await mkdtemp(join(tmpdir(), 'certamen-servidor-'))
      if (UID !== undefined) await chown(other, UID, GID!)
      const copy = join(other, 'datos')
      run('pg_basebackup', ['-D', copy, '-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-R', '-X', 'stream'])
      await appendFile(
        join(copy, 'postgresql.auto.conf'),
        `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres application_name=espera'\n`,
      )
      const second = await launch(other, copy)
      // From now on a commit waits until the standby has it.
      await server.sql(`alter system set synchronous_standby_names = 'espera'`)
      await server.sql('select pg_reload_conf()')
      for (let turn = 0; turn < 100; turn++) {
        const rows = await server.sql(`select 1 from pg_stat_replication where sync_state = 'sync'`)
        if (rows.length > 0) return second
        await sleep(100)
      }
      throw new Error('The second server does not follow the first')
    },
    async promote() {
      await server.sql('select pg_promote()')
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGQUIT')
        await gone
      }
      await rm(folder, { recursive: true, force: true })
    },
  }
  for (const end = Date.now() + 30_000; ; await sleep(50)) {
    if (
      await server.sql('select 1').then(
        () => true,
        () => false,
      )
    )
      return server
    if (Date.now() > end || child.exitCode !== null) throw new Error('The server did not start')
  }
}
