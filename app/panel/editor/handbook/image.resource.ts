import { requireOrganiserForFile, textRefusalResponse } from '#app/panel/guards.server.ts'
import type { Route } from './+types/image.resource'
import { readHandbookImage } from './handbook.server.ts'

export async function loader({ params, request, context }: Route.LoaderArgs) {
  await requireOrganiserForFile(request, context, 'organizadores')
  const picture = await readHandbookImage(params.imagen)
  if (!picture) return textRefusalResponse('El manual no tiene esa imagen. Vuelve a abrirlo desde «El sitio».', 404)
  return new Response(picture, {
    headers: { 'content-type': 'image/jpeg', 'cache-control': 'private, max-age=3600' },
  })
}
