import { servicesOf } from '#app/platform/services.server.ts'
import { loadEleccion } from '#app/popularidad/data.server.ts'
import type { Route } from './+types/acta-json.resource'
import { answerActa } from './acta.server.ts'

/** The published act, for whoever wants to count again. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const { services } = servicesOf(context)
  const { edicion } = await loadEleccion()
  const answer = await answerActa(services, edicion, request)
  return answer ?? new Response('El acta se publica al cerrar la votación.', { status: 404 })
}
