import { cuentasOf } from '#app/cuentas/guards.server.ts'
import type { Direccion } from '#app/platform/direccion.server.ts'
import { ENVIO_AJENO, isOwnForm, sentence } from '#app/platform/origen.server.ts'
import { servicesOf } from '#app/platform/services.server.ts'
import { votacionOf } from './guards.server.ts'
import { answerVoto } from './voto.server.ts'

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
