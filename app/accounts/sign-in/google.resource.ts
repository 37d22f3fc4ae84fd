import { GOOGLE_FAILED_PATH } from '#app/accounts/auth.server.ts'
import { accountsOf } from '#app/accounts/guards.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import type { Route } from './+types/google.resource'

/** Leads a voter from /cuentas/google?next=… to Google, which sends the voter back to /cuentas/callback/google. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const accounts = accountsOf(context)
  if (!accounts.hasGoogle) throw new Response('Aquí no hay ninguna página.', { status: 404 })
  // A HEAD request begins no sign-in.
  if (request.method === 'HEAD') return new Response(null, { status: 204 })
  const { pathname, searchParams } = new URL(request.url)
  const { client } = servicesOf(context).facts
  if (pathname === '/cuentas/google') return accounts.beginGoogle(request, client, searchParams.get('next'))
  const answer = await accounts.endGoogle(request, client)
  const to = answer.headers.get('location')
  if (to === null || new URL(to, request.url).pathname !== '/cuentas/error') return answer
  // The callback is too old, was used before, or was never begun in this browser: the vote's page says so.
  const headers = new Headers(answer.headers)
  headers.set('location', GOOGLE_FAILED_PATH)
  return new Response(null, { status: answer.status, headers })
}
