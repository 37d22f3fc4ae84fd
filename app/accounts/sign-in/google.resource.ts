import { GOOGLE_FAILED_PATH } from '#app/accounts/auth.server.ts'
import { accountsOf } from '#app/accounts/guards.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import type { Route } from './+types/google.resource'

/**
 * Redirects a voter from /cuentas/google?next=… to Google, which redirects the voter to /cuentas/callback/google. Both paths are
 * unknown (404) without Google's keys.
 */
export async function loader({ request, context }: Route.LoaderArgs) {
  const accounts = accountsOf(context)
  if (!accounts.hasGoogle) throw new Response('Aquí no hay ninguna página.', { status: 404 })
  // A HEAD request does not begin a sign-in.
  if (request.method === 'HEAD') return new Response(null, { status: 204 })
  const { pathname, searchParams } = new URL(request.url)
  const { client } = servicesOf(context).facts
  if (pathname === '/cuentas/google') return accounts.beginGoogle(request, client, searchParams.get('next'))
  const response = await accounts.endGoogle(request, client)
  const location = response.headers.get('location')
  if (location === null || new URL(location, request.url).pathname !== '/cuentas/error') return response
  // The callback is too old, was used before, or was never begun in this browser; the vote's page reports it.
  const headers = new Headers(response.headers)
  headers.set('location', GOOGLE_FAILED_PATH)
  return new Response(null, { status: response.status, headers })
}
