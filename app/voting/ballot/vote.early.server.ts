import { cuentasOf } from '#app/accounts/guards.server.ts'
import type { Direccion } from '#app/core/http/early-route.server.ts'
import { ENVIO_AJENO, isOwnForm, sentence } from '#app/core/http/same-origin.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { votacionOf } from './guards.server.ts'
import { answerVoto } from './vote-request.server.ts'

/** The address that takes votes. It stands before the router, since a whole town may vote at once. */
export const voto: Direccion = {
  paths: ['/misspopularidad/voto'],
  methods: ['POST'],
  async answer(request, context) {
    const { services, facts } = servicesOf(context)
    if (!isOwnForm(request, services.settings.publicUrl)) return sentence(ENVIO_AJENO, 403)
    const { getSession } = cuentasOf(context)
    return answerVoto(request, { votacion: votacionOf(context), getSession, client: facts.client })
  },
}
