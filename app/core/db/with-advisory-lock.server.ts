import type pg from 'pg'

/**
 * PostgreSQL ends the session, and so releases the lock, when its holder has sent no query for this many milliseconds; without
 * this limit a crashed machine would keep the lock.
 */
const GONE_MS = 60_000

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
  goneMs = GONE_MS,
): Promise<Result | undefined> {
  let alive: NodeJS.Timeout | undefined
  try {
    await client.query('begin')
    await client.query(`set local idle_in_transaction_session_timeout = ${goneMs}`)
    const { rows } = await client.query('select pg_try_advisory_xact_lock($1) as ours', [lock])
    if (!rows[0].ours) return undefined
    alive = setInterval(() => void client.query('select 1').catch(() => {}), goneMs / 4)
    return await work()
  } finally {
    clearInterval(alive)
    await client.query('rollback').catch(() => {})
  }
}
