import { accountsOf } from '#app/accounts/guards.server.ts'
import type { CodeRequestRefusal, SignInResponse, WorkOffer } from '#app/accounts/schema.ts'
import { PRIVATE_HEADERS } from '#app/core/http/private-headers.ts'
import { readWork } from '#app/core/http/proof-of-work.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import type { Route } from './+types/sign-in.resource'

/** Issues the proof-of-work challenge for a browser's next code; the page's script asks for it while the visitor types. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const { reto, headers } = await accountsOf(context).issueWorkChallenge(request, servicesOf(context).facts.client)
  headers.set('cache-control', PRIVATE_HEADERS['cache-control'])
  return Response.json({ reto } satisfies WorkOffer, { headers })
}

/**
 * Signs voters in for the page's script: `hacer=pedir` (with `correo`, and after proof of work `reto` and `respuesta`) mails a code
 * for this browser, `hacer=envio` (with `correo`) tells whether the mail was refused or waits, `hacer=codigo` (with `correo` and
 * `codigo`) signs in.
 */
export async function action({ request, context }: Route.ActionArgs) {
  const { facts } = servicesOf(context)
  const accounts = accountsOf(context)
  const form = await request.formData()
  const respond = (body: SignInResponse, status: number, headers = new Headers()) => {
    headers.set('cache-control', PRIVATE_HEADERS['cache-control'])
    if (!body.ok && body.retrySeconds !== undefined) headers.set('retry-after', String(body.retrySeconds))
    return Response.json(body, { status, headers })
  }
  const [email, intent] = [form.get('correo'), form.get('hacer')]
  if (intent === 'pedir') {
    const { headers, ...requestResult } = await accounts.requestCode(request, facts.client, email, readWork(form))
    return respond(requestResult, requestResult.ok ? 200 : REFUSAL_STATUS[requestResult.reason], headers)
  }
  if (intent === 'envio') return respond(await accounts.checkCodeDelivery(request, email), 200)
  if (intent === 'codigo') {
    const signInResult = await accounts.signInCode(request, facts.client, email, form.get('codigo'))
    if (signInResult.ok) return respond({ ok: true }, 200, signInResult.headers)
    return respond(
      signInResult,
      signInResult.reason === 'credenciales' || signInResult.reason === 'cookies' ? 401 : 429,
    )
  }
  return respond({ ok: false, reason: 'peticion' }, 400)
}

const REFUSAL_STATUS: Record<CodeRequestRefusal, number> = {
  correo: 400,
  cookies: 400,
  trabajo: 428,
  espera: 429,
  'red-llena': 429,
  cuota: 429,
}
