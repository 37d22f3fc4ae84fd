import { redirect } from 'react-router'
import { accountsOf, getSession } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import type { CurrentSession } from '#app/accounts/schema.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import type { Route } from './+types/current.resource'

/** Answers with the session for the frame of the page, which prerendered screens cannot know. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const session = await getSession(request, context)
  const currentSession: CurrentSession | null = session
    ? {
        correo: session.email,
        rol: session.role,
        quedanMs: session.remainingMs,
        esDeOrganizacion: may(session.role, 'organizadores'),
        resultadosMs: session.resultsAccessMs,
      }
    : null
  return Response.json(currentSession, { headers: { 'cache-control': 'private, no-store' } })
}

/** Signs out for «Cerrar sesión» on any screen; `hacer=seguir` defers the idle timeout while a person is at work. */
export async function action({ request, context }: Route.ActionArgs) {
  const { facts } = servicesOf(context)
  const isForm = request.headers.get('content-type')?.startsWith('application/x-www-form-urlencoded')
  if (isForm && (await request.clone().formData()).get('hacer') === 'seguir') {
    await accountsOf(context).touchSession(request)
    return new Response(null, { status: 204, headers: { 'cache-control': 'private, no-store' } })
  }
  return redirect('/', { headers: await accountsOf(context).signOut(request, facts.client) })
}
