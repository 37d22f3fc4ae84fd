import type { Route } from './+types/descarga.resource'
import { openDescarga } from './data.server.ts'

export async function loader({ params, request }: Route.LoaderArgs) {
  return (await openDescarga(params.archivo, request)) ?? new Response('Ese archivo no existe.', { status: 404 })
}
