import { loadEdicion } from '#app/edicion/contenido.server.ts'
import { diasDe } from '#app/edicion/programa.ts'
import { slugOf } from '#app/edicion/schema.ts'
import { originOf } from '#app/platform/services.server.ts'
import type { Route } from './+types/programa.resource'
import { comoEvento } from './eventos.server.ts'
import { answerIcs, icsDe } from './ics.server.ts'

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
