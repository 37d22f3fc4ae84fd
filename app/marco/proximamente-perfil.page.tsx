import { data } from 'react-router'
import { loadEdicion } from '#app/contenido/contenido.server.ts'
import type { Route } from './+types/proximamente-perfil.page'
import Proximamente, { handle, meta } from './proximamente.page.tsx'

export async function loader({ params }: Route.LoaderArgs) {
  const maestro = (await loadEdicion()).maestros.find(({ slug }) => slug === params.slug)
  if (!maestro) throw data(null, { status: 404 })
  return { titulo: maestro.nombre, texto: 'Estamos preparando su semblanza, sus fotografías y su video.' }
}

export { handle, meta }
export default Proximamente
