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

/** @param connection a connection string, or host (a socket folder) and names */
export function openPool(connection: string | pg.PoolConfig, max = 10): pg.Pool {
  const config = typeof connection === 'string' ? { connectionString: connection } : connection
  const pool = new pg.Pool({
    ...config,
    max,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    // A query sets it, not a parameter of the connection: poolers in between refuse parameters that they do not know.
    onConnect: (client) => client.query(`set idle_in_transaction_session_timeout = '${IDLE_IN_TRANSACTION}'`),
  })
  // Without a listener, a connection that breaks between two queries would end the process; the next query reports it.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

export const openDatabase = (pool: pg.Pool): Database => new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
