import { cuentasOf } from '#app/accounts/guards.server.ts'
import { networksOf } from '#app/core/http/client-networks.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { registrosOf } from '#app/entries/submission/guards.server.ts'
import { answerInit } from '#app/entries/submission/schema.ts'
import type { Route } from './+types/replace-document.resource'

export const handle = { archivos: true }

/** A document that was asked for again, for the page's own script: its outcome as data instead of a document. */
export async function action({ request, context }: Route.ActionArgs) {
  const { facts } = servicesOf(context)
  const trazas = networksOf(facts.client).map((red) => cuentasOf(context).traceOf(`folio:${red}`))
  const resultado = await registrosOf(context).receiveReposicion(request, facts, trazas)
  const { status, headers } = answerInit(resultado)
  return Response.json(resultado, { status, headers: { ...headers, 'cache-control': 'no-store' } })
}
