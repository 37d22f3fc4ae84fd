import { conEdicion, loadEdicionPasada } from '#app/cms/editions/displayed-edition.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { loadEleccion } from '#app/voting/election/data.server.ts'
import { escrutinioOf } from '#app/voting/tally/guards.server.ts'
import { answerActa } from '#app/voting/tally/record-file.server.ts'
import { readSellada } from '#app/voting/tally/sealed-record.server.ts'
import type { Route } from './+types/record-json.resource'

/** The published act, for anybody who wants to count it again; `edicion`: that of a year that is over. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const asked = Number(new URL(request.url).searchParams.get('edicion') ?? Number.NaN)
  const pasada = await loadEdicionPasada(asked)
  const answer = pasada ? await conEdicion(pasada.puesta, published) : await published()
  return answer ?? new Response('El acta se publica al cerrar la votación.', { status: 404 })

  async function published(): Promise<Response | undefined> {
    const eleccion = await loadEleccion()
    const { edicion } = eleccion
    const own = await escrutinioOf(context).actas.answer(edicion, request)
    if (own) return own
    const sealed = await readSellada(servicesOf(context).services, eleccion)
    return sealed?.muestra && answerActa(sealed.muestra.file, edicion, sealed.sello, request)
  }
}
