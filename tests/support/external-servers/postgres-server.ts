import { existsSync, readdirSync } from 'node:fs'
import { appendFile, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { canInstallPackages, installPackage } from '../../../scripts/debian.mjs'
import { freePort } from '../site/running-site.ts'
import { run, startProgram } from './program.ts'

const PROGRAMS_FOLDER = '/usr/lib/postgresql'
/** Unprivileged account under which tests that run as root start the server, since PostgreSQL refuses to run as root. */
const ACCOUNT = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534, cwd: '/' } : { cwd: '/' }

/** Returns the path of a program of Debian's PostgreSQL, whose major version differs from the npm packages'. */
function programPath(name: string): string {
  if (!existsSync(PROGRAMS_FOLDER) && canInstallPackages()) installPackage('postgresql')
  const version = existsSync(PROGRAMS_FOLDER) ? readdirSync(PROGRAMS_FOLDER).sort().at(-1) : undefined
  if (version === undefined) throw new Error('This needs PostgreSQL of Debian’s packages: apt-get install postgresql')
  return join(PROGRAMS_FOLDER, version, 'bin', name)
}

/** A PostgreSQL server besides the site's own, on a port of this machine. */
export interface PostgresServer {
  port: number
  url(database: string): string
  /** Runs SQL as the superuser. @returns the rows */
  sql(text: string, database?: string): Promise<Record<string, unknown>[]>
  /** Sends SIGKILL to the first process; the others end by themselves. */
  kill(): Promise<void>
  /** Starts a synchronous standby of this server. */
  startStandby(): Promise<PostgresServer>
  promote(): Promise<void>
  stop(): Promise<void>
}

/** Starts a server with the role `certamen` and databases of that role. */
export async function startPostgresServer(databases: readonly string[]): Promise<PostgresServer> {
  const folder = await newFolder()
  const dataFolder = join(folder, 'datos')
  const args = ['-D', dataFolder, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8']
  run(programPath('initdb'), args, ACCOUNT)
  const server = await launch(folder, dataFolder)
  await server.sql('create role certamen login')
  for (const name of databases) await server.sql(`create database ${name} owner certamen`)
  return server
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'certamen-servidor-'))
  if (ACCOUNT.uid !== undefined) await chown(folder, ACCOUNT.uid, ACCOUNT.gid)
  return folder
}

async function launch(folder: string, dataFolder: string): Promise<PostgresServer> {
  const port = await freePort()
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
    'wal_level=replica',
  ]
  const sql = async (text: string, database = 'postgres') => {
    const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database })
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }
  const program = await startProgram(
    programPath('postgres'),
    ['-D', dataFolder, ...settings.flatMap((setting) => ['-c', setting])],
    {
      ...ACCOUNT,
      stdio: 'ignore',
      endSignal: 'SIGQUIT',
      isReady: () =>
        sql('select 1').then(
          () => true,
          () => false,
        ),
    },
  )
  return {
    port,
    url: (database) => `postgres://certamen@127.0.0.1:${port}/${database}`,
    sql,
    kill: () => program.stop('SIGKILL'),
    async startStandby() {
      const standbyFolder = await newFolder()
      const standbyData = join(standbyFolder, 'datos')
      const sourceArgs = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres']
      run(programPath('pg_basebackup'), ['-D', standbyData, ...sourceArgs, '-R', '-X', 'stream'], ACCOUNT)
      await appendFile(
        join(standbyData, 'postgresql.auto.conf'),
        `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres application_name=espera'\n`,
      )
      const standbyServer = await launch(standbyFolder, standbyData)
      // A commit waits from now on until the standby has it.
      await sql(`alter system set synchronous_standby_names = 'espera'`)
      await sql('select pg_reload_conf()')
      for (let attempt = 0; attempt < 100; attempt++) {
        const rows = await sql(`select 1 from pg_stat_replication where sync_state = 'sync'`)
        if (rows.length > 0) return standbyServer
        await sleep(100)
      }
      throw new Error('The second server does not follow the first')
    },
    async promote() {
      await sql('select pg_promote()')
    },
    async stop() {
      await program.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
