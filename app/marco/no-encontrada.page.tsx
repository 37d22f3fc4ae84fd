import { data } from 'react-router'
import { tituloDePagina } from '#app/contenido/titulo.ts'
import type { Route } from './+types/no-encontrada.page'
import { NoEncontrada } from './no-encontrada.tsx'

/** Any address that is no screen: a route of its own, so that header and footer have their data. */
export const loader = () => data(null, { status: 404 })

export const meta: Route.MetaFunction = ({ matches }) => [
  { title: tituloDePagina('Página no encontrada', matches) },
  { name: 'robots', content: 'noindex' },
]

export default NoEncontrada
