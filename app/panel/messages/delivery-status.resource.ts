import { servicesOf } from '#app/core/http/services.server.ts'
import { listSuertes } from '#app/mail/data.server.ts'
import { requireOrganizador } from '#app/panel/guards.server.ts'
import { readFiltro } from '#app/panel/rules.ts'
import type { Route } from './+types/delivery-status.resource'

/** What has become of messages to people who registered, for a screen that waits for it. */
export async function loader({ request, context }: Route.LoaderArgs) {
  await requireOrganizador(request, context, 'mensajes')
  const { ids = [] } = readFiltro(new URL(request.url).searchParams, 0)
  const suertes = await listSuertes(servicesOf(context).services.db, ids)
  return Response.json(suertes, { headers: { 'cache-control': 'private, no-store' } })
}
