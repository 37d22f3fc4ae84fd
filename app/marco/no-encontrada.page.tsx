import { data } from 'react-router'
import { cabeza } from '#app/edicion/cabeza.ts'
import type { Route } from './+types/no-encontrada.page'
import { NoEncontrada } from './no-encontrada.tsx'

/** Takes every address that is no screen. It is a route of its own, so that header and footer have their data. */
export const loader = () => data(null, { status: 404 })

export const handle = { noindex: true }

export const meta: Route.MetaFunction = (args) => cabeza({ pantalla: 'Página no encontrada' }, args)

export default NoEncontrada
