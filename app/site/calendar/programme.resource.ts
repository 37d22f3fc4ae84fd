import { loadEdicion } from '#app/cms/editions/displayed-edition.server.ts'
import { slugOf } from '#app/cms/schema/edition-documents.ts'
import { diasDe } from '#app/cms/schema/programme.ts'
import { originOf } from '#app/core/http/services.server.ts'
import type { Route } from './+types/programme.resource'
import { answerIcs, icsDe } from './ics.server.ts'
import { comoEvento } from './programme-event.server.ts'

export const handle = { ahead: true }

/** All of the fair's programme, for the visitor's own calendar. */
export async function loader({ context }: Route.LoaderArgs) {
  const edicion = await loadEdicion()
  const titulo = `Programa de la ${edicion.feria.nombre} ${edicion.anio}`
  const eventos = diasDe(edicion).flatMap(({ eventos }) => eventos)
  return answerIcs(
    icsDe(
      titulo,
      eventos.map((evento) => comoEvento(evento, edicion, originOf(context))),
      new Date(),
    ),
    slugOf(titulo),
  )
}
