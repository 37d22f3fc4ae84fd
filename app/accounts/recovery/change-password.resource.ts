import { redirect } from 'react-router'
import { getSession } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import { PRIVATE_HEADERS } from '#app/core/http/private-headers.ts'
import type { Route } from './+types/change-password.resource'

/**
 * Leads password managers to the screen where a password is changed: for a signed-in organiser the own account's, for other people
 * the screen that mails a link.
 * @source A Well-Known URL for Changing Passwords, w3.org/TR/change-password-url
 */
export async function loader({ request, context }: Route.LoaderArgs) {
  const session = await getSession(request, context)
  return redirect(may(session?.role, 'organizadores') ? '/organizadores/cuenta' : '/medios/recuperar', {
    headers: PRIVATE_HEADERS,
  })
}
