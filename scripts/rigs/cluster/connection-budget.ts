import { setTimeout as sleep } from 'node:timers/promises'
import { expect, type SmokeTest } from '../smoke-test.ts'
import { type Installation, MAX_DATABASE_CONNECTIONS, TEST_APPLICATION_NAME } from './machines.ts'

/** Limit of one process's connections, as docs/operacion.md says. */
const CONNECTIONS_PER_PROCESS = 30
/** How long a connection may be waited for behind the pooler, in seconds. */
const MAX_WAIT_S = 5

export interface Counts {
  /** Ends the counting, and checks the highest counts against the limits. */
  end(smokeTest: SmokeTest): Promise<void>
}

/** Counts connections from now on, twice a second: those of PostgreSQL, and those of the sites to the pooler. */
export function countConnections(place: Installation): Counts {
  const most = { database: 0, clients: 0, waitS: 0 }
  let isOver = false
  const counting = (async () => {
    while (!isOver) {
      await look().catch(() => {})
      await sleep(500)
    }
  })()
  async function look() {
    const { rows } = await place.pool.query(
      `select count(*)::int as n from pg_stat_activity where usename = 'certamen' and application_name <> $1`,
      [TEST_APPLICATION_NAME],
    )
    most.database = Math.max(most.database, rows[0].n)
    const pools = (await place.pooler('show pools')).filter(({ database }) => database === 'certamen')
    const sum = (...names: string[]) =>
      pools.reduce((total, pool) => total + names.reduce((all, name) => all + Number(pool[name] ?? 0), 0), 0)
    most.clients = Math.max(most.clients, sum('cl_active', 'cl_waiting'))
    most.waitS = Math.max(most.waitS, sum('maxwait'))
  }
  return {
    async end({ holds }) {
      isOver = true
      await counting
      const clients = CONNECTIONS_PER_PROCESS * place.processes.length
      const said = `${most.database} de PostgreSQL, ${most.clients} de los procesos a pgbouncer, espera de ${most.waitS} s`
      console.log(`    lo más que hubo: ${said}`)
      await holds(
        `las conexiones no pasan de ${MAX_DATABASE_CONNECTIONS} de PostgreSQL y ${CONNECTIONS_PER_PROCESS} por proceso, y ninguna espera más de ${MAX_WAIT_S} s`,
        async () =>
          expect(
            most.database <= MAX_DATABASE_CONNECTIONS &&
              most.clients <= clients &&
              most.waitS <= MAX_WAIT_S &&
              most.database > 0,
            said,
          ),
      )
    },
  }
}
