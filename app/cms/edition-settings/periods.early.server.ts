import type { RouterContextProvider } from 'react-router'
import { type Edition, loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { fairDayOf, listCurrentEvents, listProgrammeDays } from '#app/cms/programme.ts'
import type { EarlyRoute } from '#app/core/http/early-route.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { formatMomentInWords } from '#app/core/time/mexico-dates.ts'
import { readEditionSettings } from './data.server.ts'
import { fairSkyAt } from './fair-sky.server.ts'
import { outcomeContext, phaseAt } from './phase.server.ts'
import { periodStateOf } from './rules.ts'
import type { CurrentEvent, Period, PeriodStatus, Periods, Phase } from './schema.ts'

/**
 * Answers prerendered screens with the state of both registrations, the edition's phase, the fair's sky and the current events.
 * Each visit requests /periodos, so the answer bypasses the router.
 */
export const periods: EarlyRoute = {
  paths: ['/periodos'],
  methods: ['GET'],
  async answer(_request, context) {
    return Response.json(await readPeriods(context), { headers: { 'cache-control': 'no-store' } })
  },
}

export async function readPeriods(context: Readonly<RouterContextProvider>): Promise<Periods & Phase> {
  const { db, clock } = servicesOf(context).services
  const now = clock.now()
  const [edition, settings] = await Promise.all([loadEdition(), readEditionSettings(db)])
  const { 'registro.candidatas': candidates, 'registro.trajes': costumes } = settings
  return {
    ahora: now.toISOString(),
    candidatas: periodStatusOf(candidates, now),
    trajes: periodStatusOf(costumes, now),
    ...phaseAt(edition, settings, now, context.get(outcomeContext)(edition.anio)),
    ambiente: fairSkyAt(now, edition.fechas.coronacion),
    hoy: currentEventsOf(edition, now),
  }
}

function currentEventsOf(edition: Edition, now: Date): CurrentEvent[] | undefined {
  const today = listProgrammeDays(edition).find(({ fecha }) => fecha === fairDayOf(now))
  return (
    today &&
    listCurrentEvents(today, now).map(({ label, event: { hora, que, lugar } }) => ({
      marca: label,
      hora,
      que,
      lugar,
    }))
  )
}

function periodStatusOf(period: Period, now: Date): PeriodStatus {
  const state = periodStateOf(period, now)
  const { abre, cierra } = period
  const isAhead = state === 'antes'
  return { estado: state, abre, cierra, cuando: formatMomentInWords(new Date(isAhead ? abre : cierra), now, !isAhead) }
}
