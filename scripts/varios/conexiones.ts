import { setTimeout as sleep } from 'node:timers/promises'
import { expect, type Paseo } from '../paseo.ts'
import { CONEXIONES_DE_BASE, type Lugar, PRUEBA } from './lugar.ts'

/** Connections of one process at most, as docs/operacion.md says it. */
const POR_PROCESO = 30
/** How long a connection may be waited for behind the pooler. */
const ESPERA_S = 5

export interface Conteo {
  /** Ends the counting, and checks what was counted against the budget. */
  end(paseo: Paseo): Promise<void>
}

/** Counts connections from now on, twice a second: those of PostgreSQL, and those of the sites to the pooler. */
export function countConexiones(lugar: Lugar): Conteo {
  const most = { base: 0, clientes: 0, esperaS: 0 }
  let isOver = false
  const counting = (async () => {
    while (!isOver) {
      await look().catch(() => {})
      await sleep(500)
    }
  })()
  async function look() {
    const { rows } = await lugar.pool.query(
      `select count(*)::int as n from pg_stat_activity where usename = 'certamen' and application_name <> $1`,
      [PRUEBA],
    )
    most.base = Math.max(most.base, rows[0].n)
    const pools = (await lugar.pooler('show pools')).filter(({ database }) => database === 'certamen')
    const sum = (...names: string[]) =>
      pools.reduce((total, pool) => total + names.reduce((all, name) => all + Number(pool[name] ?? 0), 0), 0)
    most.clientes = Math.max(most.clientes, sum('cl_active', 'cl_waiting'))
    most.esperaS = Math.max(most.esperaS, sum('maxwait'))
  }
  return {
    async end({ holds }) {
      isOver = true
      await counting
      const clientes = POR_PROCESO * lugar.procesos.length
      const said = `${most.base} de PostgreSQL, ${most.clientes} de los procesos a pgbouncer, espera de ${most.esperaS} s`
      console.log(`    lo más que hubo: ${said}`)
      await holds(
        `las conexiones no pasan de ${CONEXIONES_DE_BASE} de PostgreSQL y ${POR_PROCESO} por proceso, y ninguna espera más de ${ESPERA_S} s`,
        async () =>
          expect(
            most.base <= CONEXIONES_DE_BASE && most.clientes <= clientes && most.esperaS <= ESPERA_S && most.base > 0,
            said,
          ),
      )
    },
  }
}
