import { redirect } from 'react-router'
import { cuentasOf, getSession } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import type { SesionDicha } from '#app/accounts/schema.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import type { Route } from './+types/current.resource'

/** Tells the frame who is signed in, which screens rendered ahead cannot know. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const sesion = await getSession(request, context)
  const dicha: SesionDicha | null = sesion
    ? {
        correo: sesion.correo,
        rol: sesion.rol,
        quedanMs: sesion.quedanMs,
        esDeOrganizacion: may(sesion.rol, 'organizadores'),
        resultadosMs: sesion.resultadosMs,
      }
    : null
  return Response.json(dicha, { headers: { 'cache-control': 'private, no-store' } })
}

/** «Cerrar sesión», from any screen; with `hacer=seguir`, that somebody is at work in the one that is open. */
export async function action({ request, context }: Route.ActionArgs) {
  const { facts } = servicesOf(context)
  const isForm = request.headers.get('content-type')?.startsWith('application/x-www-form-urlencoded')
  if (isForm && (await request.clone().formData()).get('hacer') === 'seguir') {
    await cuentasOf(context).useSesion(request)
    return new Response(null, { status: 204, headers: { 'cache-control': 'private, no-store' } })
  }
  return redirect('/', { headers: await cuentasOf(context).signOut(request, facts.client) })
}
