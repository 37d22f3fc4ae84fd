import { redirect } from 'react-router'
import { servicesOf } from '#app/platform/services.server.ts'
import type { Route } from './+types/sesion.resource'
import { cuentasOf, getSession } from './guards.server.ts'
import type { SesionDicha } from './schema.ts'

/** Tells the frame who is signed in, which screens rendered ahead cannot know. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const sesion = await getSession(request, context)
  const dicha: SesionDicha | null = sesion
    ? { correo: sesion.correo, rol: sesion.rol, quedanMs: sesion.quedanMs }
    : null
  return Response.json(dicha, { headers: { 'cache-control': 'private, no-store' } })
}

/** «Cerrar sesión», from any screen. */
export async function action({ request, context }: Route.ActionArgs) {
  const { facts } = servicesOf(context)
  return redirect('/', { headers: await cuentasOf(context).signOut(request, facts.client) })
}
