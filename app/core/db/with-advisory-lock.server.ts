import type pg from 'pg'

/**
 * PostgreSQL ends the session, and so releases the lock, when its holder has sent no query for this many milliseconds; without
 * this limit a crashed machine would keep the lock.
 */
const IDLE_TIMEOUT_MS = 60_000

/**
 * Runs long work under an advisory lock across all processes. The lock belongs to a transaction: it holds behind a pooler that
 * hands every transaction another connection, and is released with this process, or soon after its machine has crashed.
 * @param client a connection used for nothing else
 * @param lock one of ADVISORY_LOCKS
 * @returns undefined when another session has the lock
 */
export async function withAdvisoryLock<Result>(
  client: pg.ClientBase,
  lock: number,
  work: () => Promise<Result>,
  idleTimeoutMs = IDLE_TIMEOUT_MS,
): Promise<Result | undefined> {
  let keepAlive: NodeJS.Timeout | undefined
  try {
    await client.query('begin')
    await client.query(`set local idle_in_transaction_session_timeout = ${idleTimeoutMs}`)
    const { rows } = await client.query('select pg_try_advisory_xact_lock($1) as ours', [lock])
    if (!rows[0].ours) return undefined
    keepAlive = setInterval(() => void client.query('select 1').catch(() => {}), idleTimeoutMs / 4)
    return await work()
  } finally {
    clearInterval(keepAlive)
    await client.query('rollback').catch(() => {})
  }
}
