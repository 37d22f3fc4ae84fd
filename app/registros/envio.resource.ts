import { servicesOf } from '#app/platform/services.server.ts'
import type { Route } from './+types/envio.resource'
import { receiveRegistro } from './mutations.server.ts'
import { statusOf } from './schema.ts'

/** The form's action for the page's own script: the same reception, its outcome as data instead of a document. */
export async function action({ request, context }: Route.ActionArgs) {
  const { services, facts } = servicesOf(context)
  const resultado = await receiveRegistro(request, services, facts)
  return Response.json(resultado, {
    status: resultado.ok ? 200 : statusOf(resultado.reason),
    headers: { 'cache-control': 'no-store' },
  })
}
