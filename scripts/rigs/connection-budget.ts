import { setTimeout as sleep } from 'node:timers/promises'
import { MAX_DATABASE_CONNECTIONS, readPools } from '#tests/support/external-servers/pooler.ts'
import { type Installation, OWN_CONNECTIONS } from './machines.ts'
import { expect, type SmokeTest } from './smoke-test.ts'

/** Most connections of a process, as docs/operacion.md says. */
const CONNECTIONS_PER_PROCESS = 30
/** Longest wait for a connection of the pooler. */
const MAX_WAIT_SECONDS = 5

/**
 * Counts connections twice a second: those of PostgreSQL, and those of the sites to the pooler.
 * @returns a function that ends the counting, and checks the highest counts against the limits
 */
export function countConnections({ pool, poolerPort, machines }: Installation) {
  const most = { database: 0, clients: 0, waitS: 0 }
  let isOver = false
  const counting = (async () => {
    for (; !isOver; await sleep(500)) await look().catch(() => {})
  })()
  async function look() {
    const { rows } = await pool.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity where usename = 'certamen' and application_name <> $1`,
      [OWN_CONNECTIONS],
    )
    most.database = Math.max(most.database, rows[0]!.n)
    const pools = await readPools(poolerPort)
    const sum = (...names: string[]) =>
      pools.reduce((total, one) => total + names.reduce((all, name) => all + Number(one[name] ?? 0), 0), 0)
    most.clients = Math.max(most.clients, sum('cl_active', 'cl_waiting'))
    most.waitS = Math.max(most.waitS, sum('maxwait'))
  }
  return async ({ holds }: SmokeTest) => {
    isOver = true
    await counting
    const { database, clients, waitS } = most
    const said = `${database} de PostgreSQL, ${clients} de los procesos a pgbouncer, espera de ${waitS} s`
    console.log(`    lo más que hubo: ${said}`)
    const isWithin =
      database <= MAX_DATABASE_CONNECTIONS &&
      clients <= CONNECTIONS_PER_PROCESS * machines.length &&
      waitS <= MAX_WAIT_SECONDS &&
      database > 0
    await holds(
      `las conexiones no pasan de ${MAX_DATABASE_CONNECTIONS} de PostgreSQL y ${CONNECTIONS_PER_PROCESS} por proceso, y ninguna espera más de ${MAX_WAIT_SECONDS} s`,
      async () => expect(isWithin, said),
    )
  }
}
