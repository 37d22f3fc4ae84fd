import { servicesOf } from '#app/core/http/services.server.ts'
import { folioTracesOf, registrationsOf } from '#app/entries/submission/guards.server.ts'
import { answerInit } from '#app/entries/submission/schema.ts'
import type { Route } from './+types/replace-document.resource'

export const handle = { takesFiles: true }

/** Receives a requested document from the page's own script, and answers with JSON. */
export async function action({ request, context }: Route.ActionArgs) {
  const { facts } = servicesOf(context)
  const result = await registrationsOf(context).receiveReplacement(request, facts, folioTracesOf(context))
  const { status, headers } = answerInit(result)
  return Response.json(result, { status, headers: { ...headers, 'cache-control': 'no-store' } })
}
