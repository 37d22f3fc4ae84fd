import { servicesOf } from '#app/platform/services.server.ts'
import type { Route } from './+types/google.resource'
import { cuentasOf } from './guards.server.ts'

/** /cuentas/google?next=… leads a voter to Google, /cuentas/callback/google is where Google sends them back to. */
export function loader({ request, context }: Route.LoaderArgs) {
  const cuentas = cuentasOf(context)
  if (!cuentas.hasGoogle) throw new Response('Aquí no hay ninguna página.', { status: 404 })
  const { pathname, searchParams } = new URL(request.url)
  if (pathname === '/cuentas/google') return cuentas.beginGoogle(request, searchParams.get('next'))
  return cuentas.endGoogle(request, servicesOf(context).facts.client)
}
