import type { Direccion } from '#app/platform/direccion.server.ts'
import { comoSeDice } from '#app/platform/fechas.ts'
import { servicesOf } from '#app/platform/services.server.ts'
import { readAjustes } from './data.server.ts'
import { estadoDe } from './rules.ts'
import type { Periodo, PeriodoDicho, Periodos } from './schema.ts'

/**
 * Whether each registration takes entries now, and until or from when: for screens that were rendered long before. Every
 * screen asks for it, so it is answered without the router.
 */
export const periodos: Direccion = {
  paths: ['/periodos'],
  methods: ['GET'],
  async answer(_request, context) {
    const { db, clock } = servicesOf(context).services
    const now = clock.now()
    const { 'registro.candidatas': candidatas, 'registro.trajes': trajes } = await readAjustes(db)
    const said: Periodos = {
      ahora: now.toISOString(),
      candidatas: dicho(candidatas, now),
      trajes: dicho(trajes, now),
    }
    return Response.json(said, { headers: { 'cache-control': 'no-store' } })
  },
}

function dicho(periodo: Periodo, now: Date): PeriodoDicho {
  const estado = estadoDe(periodo, now)
  const { abre, cierra } = periodo
  const isAhead = estado === 'antes'
  return { estado, abre, cierra, cuando: comoSeDice(new Date(isAhead ? abre : cierra), now, !isAhead) }
}
