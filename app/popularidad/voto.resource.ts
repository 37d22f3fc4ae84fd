import { getSession } from '#app/cuentas/guards.server.ts'
import { servicesOf } from '#app/platform/services.server.ts'
import type { Route } from './+types/voto.resource'
import { type RespuestaDeVoto, STATUS_DE_VOTO } from './schema.ts'
import { castForm } from './voto.server.ts'

/** A vote, from the page's script: `vote`, `intento`, and the work done where some was asked for. */
export async function action({ request, context }: Route.ActionArgs) {
  const { services, facts } = servicesOf(context)
  const form = await request.formData()
  const answer: RespuestaDeVoto = await castForm(services, facts, await getSession(request, context), form)
  return Response.json(answer, {
    status: answer.ok ? 200 : STATUS_DE_VOTO[answer.reason],
    headers: { 'cache-control': 'private, no-store' },
  })
}
