import { data } from 'react-router'
import { loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import { slugOf } from '#app/cms/schema/slug.ts'
import { originOf, servicesOf } from '#app/core/http/services.server.ts'
import { isUuid } from '#app/core/text/uuid.ts'
import { findAppointment } from '#app/entries/letters/appointments.server.ts'
import type { Route } from './+types/appointment.resource'
import { buildIcs, icsResponse } from './ics.server.ts'

/** Serves an entrant's appointment as a calendar file, which names neither the entrant nor the folio. */
export async function loader({ params, context }: Route.LoaderArgs) {
  const { db, clock } = servicesOf(context).services
  const code = params.archivo.replace(/\.ics$/, '')
  const appointment = isUuid(code) ? await findAppointment(db, code, clock.now()) : undefined
  if (!appointment) throw data(null, { status: 404 })
  const { nombre, anio } = await loadEditionCard()
  const title = `Cita con ${nombre} ${anio}`
  const event = {
    uid: `${code}@${slugOf(nombre)}`,
    title,
    start: appointment.at.toISOString(),
    location: appointment.place,
    url: `${originOf(context)}/folio`,
  }
  return icsResponse(buildIcs(title, [event], clock.now()), 'cita')
}
