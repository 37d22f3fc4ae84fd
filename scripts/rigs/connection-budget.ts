import { setTimeout as sleep } from 'node:timers/promises'
import { MAX_DATABASE_CONNECTIONS, readPools } from '#tests/support/external-servers/pooler.ts'
import { type Installation, OWN_CONNECTIONS } from './machines.ts'
import { expect, type SmokeTest } from './smoke-test.ts'

/** Maximum connections of a process, as docs/operacion.md says. */
const CONNECTIONS_PER_PROCESS = 30
/** Longest wait for a connection of the pooler. */
const MAX_WAIT_SECONDS = 5

/**
 * Counts connections twice a second: the connections to PostgreSQL, and the sites' connections to the pooler.
 * @returns a function that ends the counting, and checks the highest counts against the limits
 */
export function countConnections({ pool, poolerPort, machines }: Installation) {
  const peak = { databaseCount: 0, clientCount: 0, waitSeconds: 0 }
  let hasEnded = false
  const counting = (async () => {
    for (; !hasEnded; await sleep(500)) await takeSample().catch(() => {})
  })()
  async function takeSample() {
    const { rows } = await pool.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity where usename = 'certamen' and application_name <> $1`,
      [OWN_CONNECTIONS],
    )
    peak.databaseCount = Math.max(peak.databaseCount, rows[0]!.n)
    const pools = await readPools(poolerPort)
    const sum = (...columns: string[]) =>
      pools.reduce(
        (total, row) => total + columns.reduce((rowTotal, column) => rowTotal + Number(row[column] ?? 0), 0),
        0,
      )
    peak.clientCount = Math.max(peak.clientCount, sum('cl_active', 'cl_waiting'))
    peak.waitSeconds = Math.max(peak.waitSeconds, sum('maxwait'))
  }
  return async ({ check }: SmokeTest) => {
    hasEnded = true
    await counting
    const { databaseCount, clientCount, waitSeconds } = peak
    const summary = `${databaseCount} de PostgreSQL, ${clientCount} de los procesos a pgbouncer, espera de ${waitSeconds} s`
    console.log(`    lo más que hubo: ${summary}`)
    const isWithin =
      databaseCount <= MAX_DATABASE_CONNECTIONS &&
      clientCount <= CONNECTIONS_PER_PROCESS * machines.length &&
      waitSeconds <= MAX_WAIT_SECONDS &&
      databaseCount > 0
    await check(
      `las conexiones no pasan de ${MAX_DATABASE_CONNECTIONS} de PostgreSQL y ${CONNECTIONS_PER_PROCESS} por proceso, y ninguna espera más de ${MAX_WAIT_SECONDS} s`,
      async () => expect(isWithin, summary),
    )
  }
}
