import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Tables } from './tables.ts'

export type Database = Kysely<Tables>

// bigint is read as a number: no count or id of this site passes 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number)

/**
 * After so long the database takes back the locks of a process that vanished in a transaction (its machine lost power,
 * say). The site never pauses for longer between two statements. A single statement has no limit: counting ten million
 * votes is one.
 */
const IDLE_IN_TRANSACTION = '5min'

/** When the pool doubts that its database is there, and how long it waits to be told. */
const TIMES = {
  /** How long somebody keeps a connection before the pool asks. */
  quietMs: 10_000,
  connectMs: 5_000,
  lookMs: 1_000,
}
/** One question that fails may be a moment's trouble. */
const MISSES = 2

/**
 * A pool over which nobody waits for ever: where the network or the server has gone without a word, what waits fails
 * within half a minute. A statement that takes long while the server is there has no limit.
 * @param connection a connection string, or host (a socket folder) and names
 */
export function openPool(connection: string | pg.PoolConfig, max = 10, change: Partial<typeof TIMES> = {}): pg.Pool {
  const times = { ...TIMES, ...change }
  const config = typeof connection === 'string' ? { connectionString: connection } : connection
  const pool = new pg.Pool({
    ...config,
    max,
    connectionTimeoutMillis: times.connectMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    // Ten questions follow, a second apart: a connection that rests over a dead network is gone within 20 s.
    keepAliveInitialDelayMillis: 10_000,
    // A query sets it, not a parameter of the connection: poolers in between refuse parameters that they do not know.
    onConnect: (client) => client.query(`set idle_in_transaction_session_timeout = '${IDLE_IN_TRANSACTION}'`),
  })
  // Without listeners, a connection that breaks between two queries would end the process; the next query reports it.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  watchOver(pool, config, times)
  return pool
}

/**
 * Ends connections that somebody keeps while the database cannot be reached on another one. The system itself would
 * wait a quarter of an hour for what it has sent over a dead network, and for ever for a server that stands still.
 */
function watchOver(pool: pg.Pool, config: pg.ClientConfig, { quietMs, connectMs, lookMs }: typeof TIMES): void {
  const kept = new Map<pg.PoolClient, number>()
  pool.on('acquire', (client) => kept.set(client, performance.now()))
  pool.on('release', (_error, client) => kept.delete(client))
  let misses = 0
  let isAsking = false
  const look = async () => {
    if (pool.ended) return clearInterval(timer)
    const long = [...kept].filter(([, since]) => performance.now() - since > quietMs).map(([client]) => client)
    if (long.length === 0) misses = 0
    if (long.length === 0 || isAsking) return
    isAsking = true
    misses = (await isThere({ ...config, connectionTimeoutMillis: connectMs })) ? 0 : misses + 1
    isAsking = false
    if (misses < MISSES) return
    for (const client of long) if (kept.has(client)) void (client as unknown as pg.Client).end().catch(() => {})
  }
  const timer = setInterval(() => void look(), lookMs).unref()
}

/** Whether the server says anything at all, be it that it takes no connection now. */
async function isThere(config: pg.ClientConfig): Promise<boolean> {
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

export const openDatabase = (pool: pg.Pool): Database => new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
