import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Settings } from '#app/core/process/env.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import type { Tables } from './tables.ts'

export type Database = Kysely<Tables>

// A bigint, or a sum of bigints (numeric), is read as a number, since no count, sum or id of this site passes 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number)

/**
 * PostgreSQL's idle_in_transaction_session_timeout, which frees the locks of a process that vanished within a transaction, for
 * example by a power cut. A transaction that may pause for longer sets its own (`prepareDumpTransaction`).
 */
const IDLE_IN_TRANSACTION_TIMEOUT = '5min'

const DEFAULT_TIMES = {
  /** If a connection is in use for longer, the pool checks whether the database answers. */
  longUseMs: 10_000,
  connectMs: 5_000,
  checkMs: 1_000,
}
/** Connections in long use are ended after this many failed checks in a row, since a single failure may be an accident. */
const MAX_FAILED_CHECKS = 2

/**
 * Opens a pool in which no query waits for ever: if the network or the server disappears silently, pending queries fail within
 * half a minute. While the server answers, a statement may take any time.
 * @param connection a connection string, or pg's options
 */
export function openPool(
  connection: string | pg.PoolConfig,
  max = 10,
  timeOverrides: Partial<typeof DEFAULT_TIMES> = {},
): pg.Pool {
  const times = { ...DEFAULT_TIMES, ...timeOverrides }
  const config = typeof connection === 'string' ? { connectionString: connection } : connection
  const pool = new pg.Pool({
    ...config,
    max,
    connectionTimeoutMillis: times.connectMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    // After this delay ten TCP keepalive probes follow, a second apart: an idle connection over a dead network ends within 20 s.
    keepAliveInitialDelayMillis: 10_000,
    // A query sends the setting, since poolers refuse connection parameters that they do not know.
    onConnect: (client) => client.query(`set idle_in_transaction_session_timeout = '${IDLE_IN_TRANSACTION_TIMEOUT}'`),
  })
  // Without these listeners, a connection that breaks between two queries would end the process. The next query reports its
  // error.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  endHungConnections(pool, config, times)
  return pool
}

/**
 * Ends connections in long use if the database does not answer over a new connection. The operating system would wait a quarter
 * of an hour for bytes sent over a dead network, and for ever for a stopped server.
 */
function endHungConnections(
  pool: pg.Pool,
  config: pg.ClientConfig,
  { longUseMs, connectMs, checkMs }: typeof DEFAULT_TIMES,
): void {
  const acquiredAtMsByClient = new Map<pg.PoolClient, number>()
  pool.on('acquire', (client) => acquiredAtMsByClient.set(client, performance.now()))
  pool.on('release', (_error, client) => acquiredAtMsByClient.delete(client))
  let failedChecks = 0
  let isChecking = false
  const checkServer = async () => {
    if (pool.ended) return clearInterval(timer)
    const clientsInLongUse = [...acquiredAtMsByClient]
      .filter(([, acquiredAtMs]) => performance.now() - acquiredAtMs > longUseMs)
      .map(([client]) => client)
    if (clientsInLongUse.length === 0) failedChecks = 0
    if (clientsInLongUse.length === 0 || isChecking) return
    isChecking = true
    failedChecks = (await isServerAnswering({ ...config, connectionTimeoutMillis: connectMs })) ? 0 : failedChecks + 1
    isChecking = false
    if (failedChecks < MAX_FAILED_CHECKS) return
    for (const client of clientsInLongUse)
      if (acquiredAtMsByClient.has(client)) void (client as unknown as pg.Client).end().catch(() => {})
  }
  const timer = setInterval(() => void checkServer(), checkMs).unref()
}

/** Returns whether the server answers, even if only to refuse the connection. */
async function isServerAnswering(config: pg.ClientConfig): Promise<boolean> {
  const client = new pg.Client(config)
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch (error) {
    return error instanceof pg.DatabaseError
  } finally {
    await client.end().catch(() => {})
  }
}

/** @throws StartError if the database does not answer, with the place to look at */
export async function assertDatabaseAnswers(
  pool: pg.Pool,
  { databaseUrl, dataDir }: Pick<Settings, 'databaseUrl' | 'dataDir'>,
): Promise<void> {
  await pool.query('select 1').catch((error: Error) => {
    throw new StartError(
      databaseUrl
        ? `La base de datos de DATABASE_URL no responde (${error.message}). Revisa la dirección y que el servidor esté en marcha.`
        : `La base de datos no responde (${error.message}). Su registro está en ${dataDir}/postgres.log.`,
    )
  })
}

export const openDatabase = (pool: pg.Pool): Database => new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
