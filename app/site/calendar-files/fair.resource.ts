import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { slugOf } from '#app/cms/schema/slug.ts'
import { originOf } from '#app/core/http/services.server.ts'
import type { Route } from './+types/fair.resource'
import { buildIcs, icsResponse } from './ics.server.ts'

export const handle = { prerender: true }

/** Serves a calendar file with the fair and the final. */
export async function loader({ context }: Route.LoaderArgs) {
  const { nombre, anio, feria, fechas, lugar, descripcion } = await loadEdition()
  const placeFields = {
    location: `${lugar.domicilio}, ${lugar.ciudad}, ${lugar.estado}`,
    url: `${originOf(context)}/`,
  }
  const title = `${feria.nombre} ${anio}`
  const ics = buildIcs(
    title,
    [
      {
        uid: `feria-${anio}@${slugOf(nombre)}`,
        title,
        description: descripcion,
        start: feria.inicia,
        end: feria.termina,
        ...placeFields,
      },
      {
        uid: `coronacion-${anio}@${slugOf(nombre)}`,
        title: `Coronación de ${nombre} ${anio}`,
        start: fechas.coronacion,
        ...placeFields,
      },
    ],
    new Date(),
  )
  return icsResponse(ics, slugOf(title))
}
