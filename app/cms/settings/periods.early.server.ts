import { loadEdicion } from '#app/cms/editions/displayed-edition.server.ts'
import type { Direccion } from '#app/core/http/early-route.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { comoSeDice } from '#app/core/time/mexico-dates.ts'
import { llamadoDe } from './call-to-action.server.ts'
import { readAjustes } from './data.server.ts'
import { ambienteDe } from './fair-sky.server.ts'
import { estadoDe } from './rules.ts'
import type { Periodo, PeriodoDicho, Periodos } from './schema.ts'

/**
 * Whether each registration takes entries now, until or from when, and what the site asks of visitors: for screens that
 * were rendered long before. Every screen asks for it, so it is answered without the router.
 */
export const periodos: Direccion = {
  paths: ['/periodos'],
  methods: ['GET'],
  async answer(_request, context) {
    const { db, clock } = servicesOf(context).services
    const now = clock.now()
    const [edicion, ajustes] = await Promise.all([loadEdicion(), readAjustes(db)])
    const { 'registro.candidatas': candidatas, 'registro.trajes': trajes, 'votacion.ganadora': proclamada } = ajustes
    const said: Periodos = {
      ahora: now.toISOString(),
      candidatas: dicho(candidatas, now),
      trajes: dicho(trajes, now),
      llamado: llamadoDe(
        {
          hayCandidatas: edicion.candidatas.length > 0,
          hayGanadora: (proclamada ?? edicion.popularidad.ganadora) !== undefined,
          cierreVotacion: edicion.fechas.cierreVotacion,
          registro: candidatas,
          anio: edicion.anio,
        },
        now,
      ),
      ambiente: ambienteDe(now, edicion.fechas.coronacion),
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
