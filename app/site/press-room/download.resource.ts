import { requireRoleForFile } from '#app/accounts/guards.server.ts'
import { editionServicesOf } from '#app/cms/context.server.ts'
import type { Route } from './+types/download.resource'
import { openDownload } from './data.server.ts'

export async function loader({ params, request, context }: Route.LoaderArgs) {
  await requireRoleForFile(request, context, 'prensa')
  return (
    (await openDownload(params.archivo, request, editionServicesOf(context).mediaCache)) ??
    new Response('Ese archivo no existe.', { status: 404 })
  )
}
