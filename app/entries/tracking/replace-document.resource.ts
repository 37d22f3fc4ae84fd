import { servicesOf } from '#app/core/http/services.server.ts'
import { receiveReplacement } from '#app/entries/submission/document-replacement.server.ts'
import { answerInit } from '#app/entries/submission/schema.ts'
import { folioTracesOf, registrationsOf } from '#app/entries/submission/uploads.early.server.ts'
import type { Route } from './+types/replace-document.resource'

export const handle = { takesFiles: true }

/** Receives a requested document from the page's script, and answers with JSON. */
export async function action({ request, context }: Route.ActionArgs) {
  const { facts } = servicesOf(context)
  const result = await receiveReplacement(request, registrationsOf(context), facts, folioTracesOf(context))
  const { status, headers } = answerInit(result)
  return Response.json(result, { status, headers: { ...headers, 'cache-control': 'no-store' } })
}
