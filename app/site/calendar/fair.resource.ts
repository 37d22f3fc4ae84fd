import { loadEdicion } from '#app/cms/editions/displayed-edition.server.ts'
import { slugOf } from '#app/cms/schema/edition-documents.ts'
import { originOf } from '#app/core/http/services.server.ts'
import type { Route } from './+types/fair.resource'
import { answerIcs, icsDe } from './ics.server.ts'

export const handle = { ahead: true }

/** The fair and its final, for the visitor's own calendar. */
export async function loader({ context }: Route.LoaderArgs) {
  const { nombre, anio, feria, fechas, lugar, descripcion } = await loadEdicion()
  const donde = {
    lugar: `${lugar.domicilio}, ${lugar.ciudad}, ${lugar.estado}`,
    url: `${originOf(context)}/`,
  }
  const titulo = `${feria.nombre} ${anio}`
  const ics = icsDe(
    titulo,
    [
      {
        uid: `feria-${anio}@${slugOf(nombre)}`,
        titulo,
        descripcion,
        inicia: feria.inicia,
        termina: feria.termina,
        ...donde,
      },
      {
        uid: `coronacion-${anio}@${slugOf(nombre)}`,
        titulo: `Coronación de ${nombre} ${anio}`,
        inicia: fechas.coronacion,
        ...donde,
      },
    ],
    new Date(),
  )
  return answerIcs(ics, slugOf(titulo))
}
