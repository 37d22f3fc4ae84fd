import { accountsOf } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import type { PasskeyPurpose } from '#app/accounts/schema.ts'
import { loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import type { Route } from './+types/passkey.resource'

const PURPOSES: readonly PasskeyPurpose[] = ['entrar', 'segundo', 'confirmo', 'alta']

/** GET /cuentas/llave?para=… answers with WebAuthn options to make or prove a passkey. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const accounts = accountsOf(context)
  const givenPurpose = new URL(request.url).searchParams.get('para')
  const purpose = PURPOSES.find((knownPurpose) => knownPurpose === givenPurpose)
  const refuse = (status: number) => Response.json({ ok: false }, { status, headers: { 'cache-control': 'no-store' } })
  if (!purpose) return refuse(400)
  const session = await accounts.getSession(request)
  const organiser = session && may(session.role, 'organizadores') ? session : undefined
  if ((purpose === 'alta' || purpose === 'confirmo') && !organiser) return refuse(403)
  // A new passkey needs a recent password, so that a session left open does not suffice.
  if (purpose === 'alta' && !organiser!.isRecentlyAuthenticated) return refuse(401)
  const { nombre } = await loadEditionCard()
  const passkeyOptions = await accounts.passkeyOptions(request, purpose, organiser, nombre)
  if (!passkeyOptions) return refuse(403)
  passkeyOptions.headers.set('cache-control', 'no-store')
  return Response.json(passkeyOptions.options, { headers: passkeyOptions.headers })
}
