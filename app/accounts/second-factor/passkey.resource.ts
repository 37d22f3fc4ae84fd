import { accountsOf } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import type { PasskeyPurpose } from '#app/accounts/schema.ts'
import { loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import type { Route } from './+types/passkey.resource'

const PURPOSES: readonly PasskeyPurpose[] = ['entrar', 'segundo', 'confirmo', 'alta']

/**
 * Answers GET /cuentas/llave?para=… with WebAuthn options to create or prove a passkey: 400 for an unknown purpose, 401 if a new
 * passkey needs a reauthentication first, 403 if the purpose needs an organiser's session or a pending sign-in that is missing.
 */
export async function loader({ request, context }: Route.LoaderArgs) {
  const accounts = accountsOf(context)
  const givenPurpose = new URL(request.url).searchParams.get('para')
  const purpose = PURPOSES.find((knownPurpose) => knownPurpose === givenPurpose)
  const refuse = (status: number) => Response.json({ ok: false }, { status, headers: { 'cache-control': 'no-store' } })
  if (!purpose) return refuse(400)
  const session = await accounts.getSession(request)
  const organiser = session && may(session.role, 'organizadores') ? session : undefined
  if ((purpose === 'alta' || purpose === 'confirmo') && !organiser) return refuse(403)
  // A new passkey needs a recent authentication, so that a session left open does not suffice.
  if (purpose === 'alta' && !organiser!.isRecentlyAuthenticated) return refuse(401)
  const { nombre } = await loadEditionCard()
  const passkeyOptions = await accounts.passkeyOptions(request, purpose, organiser, nombre)
  if (!passkeyOptions) return refuse(403)
  passkeyOptions.headers.set('cache-control', 'no-store')
  return Response.json(passkeyOptions.options, { headers: passkeyOptions.headers })
}
