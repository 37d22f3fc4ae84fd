import { data } from 'react-router'
import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { listProgrammeDays } from '#app/cms/programme.ts'
import { originOf } from '#app/core/http/services.server.ts'
import type { Route } from './+types/event.resource'
import { buildIcs, icsResponse } from './ics.server.ts'
import { toCalendarEvent } from './programme-event.server.ts'

/** Serves an event of the fair's programme as a calendar file: /programa/2025-09-12-desfile.ics. */
export async function loader({ params, context }: Route.LoaderArgs) {
  const edition = await loadEdition()
  const event = listProgrammeDays(edition)
    .flatMap(({ eventos }) => eventos)
    .find(({ id }) => `${id}.ics` === params.archivo)
  if (!event) throw data(null, { status: 404 })
  const title = `${edition.feria.nombre} ${edition.anio}`
  return icsResponse(buildIcs(title, [toCalendarEvent(event, edition, originOf(context))], new Date()), event.id)
}
