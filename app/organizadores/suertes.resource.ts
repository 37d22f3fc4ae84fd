import { listSuertes } from '#app/correo/data.server.ts'
import { servicesOf } from '#app/platform/services.server.ts'
import type { Route } from './+types/suertes.resource'
import { requireOrganizador } from './guards.server.ts'
import { readFiltro } from './rules.ts'

/** What has become of messages to people who registered, for a screen that waits for it. */
export async function loader({ request, context }: Route.LoaderArgs) {
  await requireOrganizador(request, context, 'mensajes')
  const { ids = [] } = readFiltro(new URL(request.url).searchParams, 0)
  const suertes = await listSuertes(servicesOf(context).services.db, ids)
  return Response.json(suertes, { headers: { 'cache-control': 'private, no-store' } })
}
