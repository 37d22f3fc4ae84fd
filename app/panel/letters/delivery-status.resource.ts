import { servicesOf } from '#app/core/http/services.server.ts'
import { listDeliveryStatuses } from '#app/mail/data.server.ts'
import { requireOrganiserForFile } from '#app/panel/guards.server.ts'
import { readFilter } from '#app/panel/rules.ts'
import type { Route } from './+types/delivery-status.resource'

/** Returns the delivery statuses of mails, by their ids (`id`), to a screen that polls them. */
export async function loader({ request, context }: Route.LoaderArgs) {
  await requireOrganiserForFile(request, context, 'mensajes')
  const { ids = [] } = readFilter(new URL(request.url).searchParams, 0)
  const deliveryStatuses = await listDeliveryStatuses(servicesOf(context).services.db, ids)
  return Response.json(deliveryStatuses, { headers: { 'cache-control': 'private, no-store' } })
}
