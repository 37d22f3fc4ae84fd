import { servicesOf } from '#app/core/http/services.server.ts'
import { finalRecordFile } from '#app/finals/record/data.server.ts'
import type { Route } from './+types/record-json.resource'
import { readVisibleRecord } from './visible-record.server.ts'

/**
 * Serves the sealed record of the final to accounts of the judging table and, once it is public, to everyone. An altered
 * record is answered like a missing one.
 */
export async function loader({ request, context }: Route.LoaderArgs) {
  const visibleRecord = await readVisibleRecord(request, context, servicesOf(context).services)
  const text = visibleRecord && finalRecordFile(visibleRecord.record)
  if (text === undefined)
    return new Response('No hay nada aquí.', { status: 404, headers: { 'cache-control': 'private, no-store' } })
  return new Response(text, {
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'private, no-store' },
  })
}
