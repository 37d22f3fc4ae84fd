import { data } from 'react-router'
import { cabeza } from '#app/contenido/cabeza.ts'
import { Mensaje } from '#app/ui/mensaje.tsx'
import type { Route } from './+types/proximamente.page'

const PANTALLAS: Record<string, { titulo: string; texto: string }> = {
  '/registro-traje-tipico': {
    titulo: 'Registro de traje típico',
    texto: 'El registro de trajes típicos todavía no abre. Aquí podrás inscribir el tuyo.',
  },
}

export const handle = { ahead: true, noindex: true }

export function loader({ url }: Route.LoaderArgs) {
  const pantalla = PANTALLAS[url.pathname]
  if (!pantalla) throw data(null, { status: 404 })
  return pantalla
}

export const meta: Route.MetaFunction = (args) =>
  cabeza({ pantalla: args.loaderData?.titulo, descripcion: args.loaderData?.texto }, args)

/** A screen of the site that is not built yet. */
export default function Proximamente({ loaderData: { titulo, texto } }: Route.ComponentProps) {
  return (
    <Mensaje rotulo="Próximamente" titulo={titulo}>
      <p>{texto}</p>
    </Mensaje>
  )
}
