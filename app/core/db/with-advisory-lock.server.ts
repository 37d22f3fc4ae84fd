import type pg from 'pg'

/** PostgreSQL ends a session after this time without a query, so that a crashed machine does not keep the lock. */
const IDLE_TIMEOUT_MS = 60_000

/**
 * Runs long work under an advisory lock that all processes share. The lock belongs to a transaction, so it also holds behind a
 * pooler that gives every transaction another connection, and it is released when this process ends, or soon after its machine
 * has crashed. If the connection breaks, the lock is released while the work goes on. The work must therefore check at its end
 * that it may still write.
 * @param client a connection that is used only for the lock
 * @param lockKey one of ADVISORY_LOCKS
 * @returns undefined if another session has the lock
 */
export async function withAdvisoryLock<Result>(
  client: pg.ClientBase,
  lockKey: number,
  work: () => Promise<Result>,
  idleTimeoutMs = IDLE_TIMEOUT_MS,
): Promise<Result | undefined> {
  let keepAlive: NodeJS.Timeout | undefined
  try {
    await client.query('begin')
    await client.query(`set local idle_in_transaction_session_timeout = ${idleTimeoutMs}`)
    const { rows } = await client.query('select pg_try_advisory_xact_lock($1) as is_acquired', [lockKey])
    if (!rows[0].is_acquired) return undefined
    keepAlive = setInterval(() => void client.query('select 1').catch(() => {}), idleTimeoutMs / 4)
    return await work()
  } finally {
    clearInterval(keepAlive)
    await client.query('rollback').catch(() => {})
  }
}
