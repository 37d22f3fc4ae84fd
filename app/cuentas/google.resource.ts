import { servicesOf } from '#app/platform/services.server.ts'
import type { Route } from './+types/google.resource'
import { cuentasOf } from './guards.server.ts'

/** /cuentas/google?next=… leads a voter to Google, /cuentas/callback/google is where Google sends them back to. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const cuentas = cuentasOf(context)
  if (!cuentas.hasGoogle) throw new Response('Aquí no hay ninguna página.', { status: 404 })
  const { pathname, searchParams } = new URL(request.url)
  if (pathname === '/cuentas/google') return cuentas.beginGoogle(request, searchParams.get('next'))
  const answer = await cuentas.endGoogle(request, servicesOf(context).facts.client)
  const to = answer.headers.get('location')
  if (to === null || new URL(to, request.url).pathname !== '/cuentas/error') return answer
  // Too old, used before, or never begun in this browser: the vote's page says so.
  const headers = new Headers(answer.headers)
  headers.set('location', '/misspopularidad?error=google')
  return new Response(null, { status: answer.status, headers })
}
