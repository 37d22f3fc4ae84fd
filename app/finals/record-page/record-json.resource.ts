import { servicesOf } from '#app/core/http/services.server.ts'
import { recordFileOf } from '#app/finals/proceedings/data.server.ts'
import type { Route } from './+types/record-json.resource'
import { readVisible } from './visible-record.server.ts'

/** The sealed record of the final: for the notary's table, and for every visitor once the organisers have published it. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const visible = await readVisible(request, context, servicesOf(context).services)
  const text = visible && recordFileOf(visible.record)
  if (text === undefined)
    return new Response('No hay nada aquí.', { status: 404, headers: { 'cache-control': 'private, no-store' } })
  return new Response(text, {
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'private, no-store' },
  })
}
