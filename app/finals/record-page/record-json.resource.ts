import { servicesOf } from '#app/core/http/services.server.ts'
import { recordFileOf } from '#app/finals/record/data.server.ts'
import type { Route } from './+types/record-json.resource'
import { readVisibleRecord } from './visible-record.server.ts'

/**
 * Serves the sealed record of the final: to accounts of the notary's table, and to every visitor once the organisers have
 * published it. An altered record is answered like a missing one.
 */
export async function loader({ request, context }: Route.LoaderArgs) {
  const visibleRecord = await readVisibleRecord(request, context, servicesOf(context).services)
  const text = visibleRecord && recordFileOf(visibleRecord.record)
  if (text === undefined)
    return new Response('No hay nada aquí.', { status: 404, headers: { 'cache-control': 'private, no-store' } })
  return new Response(text, {
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'private, no-store' },
  })
}
