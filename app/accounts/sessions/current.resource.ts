import { redirect } from 'react-router'
import { accountsOf, getSession } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import type { CurrentSession } from '#app/accounts/schema.ts'
import { PRIVATE_HEADERS } from '#app/core/http/private-headers.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import type { Route } from './+types/current.resource'

/** Answers with the current session or null, for the frame of the page. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const session = await getSession(request, context)
  const currentSession: CurrentSession | null = session
    ? {
        correo: session.email,
        rol: session.role,
        quedanMs: session.remainingMs,
        esDeOrganizacion: may(session.role, 'organizadores'),
        resultadosMs: session.remainingResultsAccessMs,
      }
    : null
  return Response.json(currentSession, { headers: PRIVATE_HEADERS })
}

/** With `hacer=seguir`, restarts the idle timeout while a person is at work; any other form signs out. */
export async function action({ request, context }: Route.ActionArgs) {
  const { facts } = servicesOf(context)
  const isForm = request.headers.get('content-type')?.startsWith('application/x-www-form-urlencoded')
  if (isForm && (await request.clone().formData()).get('hacer') === 'seguir') {
    await accountsOf(context).touchSession(request)
    return new Response(null, { status: 204, headers: PRIVATE_HEADERS })
  }
  return redirect('/', { headers: await accountsOf(context).signOut(request, facts.client) })
}
