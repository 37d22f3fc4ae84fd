import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type pg from 'pg'
import { openPool } from '#app/core/db/database.server.ts'
import { startPostgres } from '#app/core/postgres/embedded.server.ts'
import { readOrCreateSecret } from '#app/core/process/session-secret.server.ts'
import type { ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { openS3Storage } from '#app/core/storage/s3-adapter.server.ts'
import { CLOCK } from '#tests/faults/site.ts'
import { startPooler } from '#tests/support/external-servers/pooler.ts'
import { isListening } from '#tests/support/external-servers/program.ts'
import { certify, startProxy } from '#tests/support/external-servers/proxies.ts'
import { startRadosgw } from '#tests/support/external-servers/radosgw.ts'
import { listenSmtp } from '#tests/support/mail/smtp-listener.ts'
import { type RunningSite, startSite } from '#tests/support/site/running-site.ts'
import { killEverything, listSiteProcesses, sendSignal } from '#tests/support/site/site-processes.ts'
import { root } from '../prepare.mjs'
import { until } from './smoke-test.ts'

/** Time for which a process is frozen, longer than the proxy waits. */
const FREEZE_MS = 7_000
const NAMES = ['uno', 'dos', 'tres'] as const

export const CRASHES = ['SIGKILL', 'SIGTERM', 'SIGSTOP'] as const
export type Crash = (typeof CRASHES)[number]

/** A process of the site with its own data folder and port. */
export class Machine {
  readonly name: string
  readonly port: number
  readonly url: string
  readonly env: () => Record<string, string>
  #running: RunningSite | undefined

  constructor(name: string, port: number, env: Machine['env']) {
    this.name = name
    this.port = port
    this.env = env
    this.url = `http://127.0.0.1:${port}`
  }

  /** Starts the process. @param folder of the project, or of another version */
  async start(folder = root): Promise<void> {
    this.#running = await startSite(this.env(), folder)
  }

  end(): Promise<void> | undefined {
    return this.#running?.end()
  }

  /** Brings the process down, and up again. */
  async crash(crash: Crash): Promise<void> {
    const site = this.#running!
    if (crash === 'SIGSTOP') {
      const siteProcesses = await listSiteProcesses(site)
      sendSignal(siteProcesses, 'SIGSTOP')
      await sleep(FREEZE_MS)
      sendSignal(siteProcesses, 'SIGCONT')
      return
    }
    await (crash === 'SIGKILL' ? killEverything(site) : site.end())
    // A process of the site that is killed after the longest stop holds the port until the system has cleared it away.
    await until('su puerto libre', async () => !(await isListening(this.port)))
    await this.start()
  }
}

/** Three machines behind haproxy, PostgreSQL behind pgbouncer, and a bucket of RadosGW. */
export interface Installation {
  /** The proxy's origin, which visitors use. */
  origin: string
  machines: readonly Machine[]
  /** Connection to PostgreSQL itself, without the pooler. */
  connection: pg.PoolConfig
  pool: pg.Pool
  poolerPort: number
  storage: ObjectStorage
  /** Folder of the whole installation, with the secret that the machines share. */
  work: string
}

/** application_name of a rig's own connections to PostgreSQL. */
export const OWN_CONNECTIONS = 'prueba'

/**
 * Starts proxy, pooler, database, storage and mail server, without the machines, and ends all of them after `use`.
 * @param firstPort the first of the ports of haproxy (two), pgbouncer, RadosGW (three) and the machines
 */
export async function withMachines(
  firstPort: number,
  use: (installation: Installation) => Promise<void>,
): Promise<void> {
  const [tlsPort, plainPort, poolerPort, s3Port, firstSitePort] = [0, 1, 2, 3, 6].map(
    (offset) => firstPort + offset,
  ) as [...[number, number, number, number, number]]
  const origin = `https://localhost:${tlsPort}`
  const work = await mkdtemp(join(tmpdir(), 'certamen-varios-'))
  const undo: (() => Promise<unknown>)[] = [() => rm(work, { recursive: true, force: true })]
  try {
    await chmod(work, 0o755)
    const radosgw = await startRadosgw(s3Port)
    undo.push(radosgw.stop)
    Object.assign(process.env, radosgw.env)
    const postgres = await startPostgres(join(work, 'postgres'), (line) => console.log(line))
    undo.push(postgres.stop)
    const connection = { ...postgres.connection, application_name: OWN_CONNECTIONS }
    const pool = openPool(connection, 2)
    undo.push(() => pool.end())
    const mail = await listenSmtp()
    undo.push(mail.close)
    const pooler = await startPooler(work, poolerPort, String(postgres.connection.host))
    undo.push(pooler.stop)

    const commonEnv = {
      PUBLIC_URL: origin,
      // Each voter and entrant has a different address, as if a further proxy in front of haproxy reported it.
      TRUSTED_PROXIES: '2',
      SESSION_SECRET: await readOrCreateSecret(work),
      ...radosgw.env,
      ...{ DATABASE_URL: `postgres://certamen@127.0.0.1:${poolerPort}/certamen`, STORAGE_URL: radosgw.url },
      SMTP_URL: mail.url,
      MAIL_FROM: 'avisos@azahares.example',
      LOG_LEVEL: 'silent',
      DISK_FLOOR: '1%',
    }
    const startMs = Date.now()
    const machines = NAMES.map((name, index) => {
      const ownEnv = { PORT: String(firstSitePort + index), DATA_DIR: join(work, name) }
      const siteTime = () => new Date(Date.parse(CLOCK) + Date.now() - startMs).toISOString()
      return new Machine(name, firstSitePort + index, () => ({ ...commonEnv, ...ownEnv, SITE_CLOCK: siteTime() }))
    })
    for (const { name } of machines) await mkdir(join(work, name))
    undo.push(() => Promise.all(machines.map((machine) => machine.end())))
    const authority = await certify(work, 'DNS:localhost')
    setDefaultCACertificates([...getCACertificates('default'), await readFile(authority, 'utf8')])
    const proxy = await startProxy('haproxy', { work, tlsPort, plainPort, sites: machines.map(({ port }) => port) })
    undo.push(proxy.stop)
    await use({ origin, machines, connection, pool, poolerPort, storage: openS3Storage(radosgw.url), work })
  } finally {
    for (const step of undo.reverse()) await step().catch(() => {})
  }
}
