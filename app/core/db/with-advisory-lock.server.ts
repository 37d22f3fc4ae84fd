import type pg from 'pg'

/** After so long the database takes the lock back from a machine that is gone; nobody would be told of that otherwise. */
const GONE_MS = 60_000

/**
 * Does long work under a lock over all processes. It is a transaction's, so that it holds behind a pooler that hands every
 * transaction another connection, and goes with this process, or soon after its machine.
 * @param client a connection for this alone
 * @param lock one of ADVISORY_LOCKS
 * @returns undefined when somebody else has the lock
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
