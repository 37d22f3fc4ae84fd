import { servicesOf } from '#app/core/http/services.server.ts'
import type { Route } from './+types/send.resource'
import { registrationsOf } from './guards.server.ts'
import { answerInit } from './schema.ts'

export const handle = { takesFiles: true }

/** Receives a form from the page's own script, and answers with JSON. */
export async function action({ request, context }: Route.ActionArgs) {
  const type = new URL(request.url).pathname.startsWith('/registro-traje-tipico/') ? 'traje' : 'candidata'
  const result = await registrationsOf(context).receive(type, request, servicesOf(context).facts)
  const { status, headers } = answerInit(result)
  return Response.json(result, { status, headers: { ...headers, 'cache-control': 'no-store' } })
}
