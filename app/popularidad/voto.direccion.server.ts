import { cuentasOf } from '#app/cuentas/guards.server.ts'
import type { Direccion } from '#app/platform/direccion.server.ts'
import { ENVIO_AJENO, isOwnForm, sentence } from '#app/platform/origen.server.ts'
import { servicesOf } from '#app/platform/services.server.ts'
import { STATUS_DE_VOTO } from './schema.ts'
import { castForm } from './voto.server.ts'

const MAX_VOTE_BYTES = 2_000

/** A vote: what a whole town sends at once goes no further than it must. */
export const voto: Direccion = {
  paths: ['/misspopularidad/voto'],
  methods: ['POST'],
  async answer(request, context) {
    const { services, facts } = servicesOf(context)
    if (!isOwnForm(request, services.settings.publicUrl)) return sentence(ENVIO_AJENO, 403)
    if (!(Number(request.headers.get('content-length')) <= MAX_VOTE_BYTES))
      return sentence('Este envío es demasiado largo.', 413)
    const form = new URLSearchParams(await request.text())
    const answer = await castForm(services, facts, await cuentasOf(context).getSession(request), form)
    const status = answer.ok ? 200 : STATUS_DE_VOTO[answer.reason]
    return Response.json(answer, { status, headers: { 'cache-control': 'private, no-store' } })
  },
}
