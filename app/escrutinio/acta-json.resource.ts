import { servicesOf } from '#app/platform/services.server.ts'
import { loadEleccion } from '#app/popularidad/data.server.ts'
import type { Route } from './+types/acta-json.resource'
import { answerActa } from './acta.server.ts'
import { escrutinioOf } from './guards.server.ts'
import { readSellada } from './sellada.server.ts'

/** The published act, for anybody who wants to count it again. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const eleccion = await loadEleccion()
  const { edicion } = eleccion
  const answer = (await escrutinioOf(context).actas.answer(edicion, request)) ?? (await ofTheSample())
  return answer ?? new Response('El acta se publica al cerrar la votación.', { status: 404 })

  async function ofTheSample() {
    const sealed = await readSellada(servicesOf(context).services, eleccion)
    return sealed?.muestra && answerActa(sealed.muestra.file, edicion, sealed.sello, request)
  }
}
