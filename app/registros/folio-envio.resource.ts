import { cuentasOf } from '#app/cuentas/guards.server.ts'
import { networksOf } from '#app/platform/redes.server.ts'
import { servicesOf } from '#app/platform/services.server.ts'
import type { Route } from './+types/folio-envio.resource'
import { registrosOf } from './guards.server.ts'
import { answerInit } from './schema.ts'

export const handle = { archivos: true }

/** A document that was asked for again, for the page's own script: its outcome as data instead of a document. */
export async function action({ request, context }: Route.ActionArgs) {
  const { facts } = servicesOf(context)
  const trazas = networksOf(facts.client).map((red) => cuentasOf(context).traceOf(`folio:${red}`))
  const resultado = await registrosOf(context).receiveReposicion(request, facts, trazas)
  const { status, headers } = answerInit(resultado)
  return Response.json(resultado, { status, headers: { ...headers, 'cache-control': 'no-store' } })
}
