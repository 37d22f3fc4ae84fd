import { refused, requireOrganizador } from '#app/panel/guards.server.ts'
import type { Route } from './+types/image.resource'
import { readImagen } from './handbook.server.ts'

/** A picture of the handbook, for organisers. */
export async function loader({ params, request, context }: Route.LoaderArgs) {
  await requireOrganizador(request, context, 'organizadores')
  const imagen = await readImagen(params.imagen)
  if (!imagen) return refused('El manual no tiene esa imagen. Vuelve a abrirlo desde «El sitio».', 404)
  return new Response(imagen, {
    headers: { 'content-type': 'image/jpeg', 'cache-control': 'private, max-age=3600' },
  })
}
