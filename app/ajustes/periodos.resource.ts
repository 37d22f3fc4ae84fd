import { comoSeDice } from '#app/platform/fechas.ts'
import { servicesOf } from '#app/platform/services.server.ts'
import type { Route } from './+types/periodos.resource'
import { readAjustes } from './data.server.ts'
import { estadoDe } from './rules.ts'
import type { Periodo, PeriodoDicho, Periodos } from './schema.ts'

/** Whether each registration takes entries now, and until or from when: for screens that were rendered long before. */
export async function loader({ context }: Route.LoaderArgs) {
  const { db, clock } = servicesOf(context).services
  const now = clock.now()
  const { 'registro.candidatas': candidatas, 'registro.trajes': trajes } = await readAjustes(db)
  const periodos: Periodos = {
    ahora: now.toISOString(),
    candidatas: dicho(candidatas, now),
    trajes: dicho(trajes, now),
  }
  return Response.json(periodos, { headers: { 'cache-control': 'no-store' } })
}

function dicho(periodo: Periodo, now: Date): PeriodoDicho {
  const estado = estadoDe(periodo, now)
  const { abre, cierra } = periodo
  const isAhead = estado === 'antes'
  return { estado, abre, cierra, cuando: comoSeDice(new Date(isAhead ? abre : cierra), now, !isAhead) }
}
