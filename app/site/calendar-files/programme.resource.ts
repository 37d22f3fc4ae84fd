import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { listProgrammeDays } from '#app/cms/programme.ts'
import { slugOf } from '#app/cms/schema/slug.ts'
import { originOf } from '#app/core/http/services.server.ts'
import type { Route } from './+types/programme.resource'
import { buildIcs, icsResponse } from './ics.server.ts'
import { toCalendarEvent } from './programme-event.server.ts'

export const handle = { prerender: true }

export async function loader({ context }: Route.LoaderArgs) {
  const edition = await loadEdition()
  const title = `Programa de la ${edition.feria.nombre} ${edition.anio}`
  const events = listProgrammeDays(edition).flatMap(({ eventos }) => eventos)
  return icsResponse(
    buildIcs(
      title,
      events.map((event) => toCalendarEvent(event, edition, originOf(context))),
      new Date(),
    ),
    slugOf(title),
  )
}
