import { data } from 'react-router'
import { loadEdicion } from '#app/cms/editions/displayed-edition.server.ts'
import { diasDe } from '#app/cms/schema/programme.ts'
import { originOf } from '#app/core/http/services.server.ts'
import type { Route } from './+types/event.resource'
import { answerIcs, icsDe } from './ics.server.ts'
import { comoEvento } from './programme-event.server.ts'

/** One event of the fair's programme, for the visitor's own calendar: /programa/2025-09-12-desfile.ics. */
export async function loader({ params, context }: Route.LoaderArgs) {
  const edicion = await loadEdicion()
  const evento = diasDe(edicion)
    .flatMap(({ eventos }) => eventos)
    .find(({ id }) => `${id}.ics` === params.archivo)
  if (!evento) throw data(null, { status: 404 })
  const titulo = `${edicion.feria.nombre} ${edicion.anio}`
  return answerIcs(icsDe(titulo, [comoEvento(evento, edicion, originOf(context))], new Date()), evento.id)
}
