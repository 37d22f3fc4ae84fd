import { requireRolForFile } from '#app/accounts/guards.server.ts'
import { edicionesOf } from '#app/cms/context.server.ts'
import type { Route } from './+types/download.resource'
import { openDescarga } from './data.server.ts'

export async function loader({ params, request, context }: Route.LoaderArgs) {
  await requireRolForFile(request, context, 'prensa')
  return (
    (await openDescarga(params.archivo, request, edicionesOf(context).acervo)) ??
    new Response('Ese archivo no existe.', { status: 404 })
  )
}
