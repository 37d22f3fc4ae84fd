import { loadEleccion } from '#app/popularidad/data.server.ts'
import type { Route } from './+types/acta-json.resource'
import { escrutinioOf } from './guards.server.ts'

/** The published act, for anybody who wants to count it again. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const { edicion } = await loadEleccion()
  const answer = await escrutinioOf(context).actas.answer(edicion, request)
  return answer ?? new Response('El acta se publica al cerrar la votación.', { status: 404 })
}
