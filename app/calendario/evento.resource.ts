import { data } from 'react-router'
import { loadEdicion } from '#app/edicion/contenido.server.ts'
import { diasDe } from '#app/edicion/programa.ts'
import { originOf } from '#app/platform/services.server.ts'
import type { Route } from './+types/evento.resource'
import { comoEvento } from './eventos.server.ts'
import { answerIcs, icsDe } from './ics.server.ts'

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
