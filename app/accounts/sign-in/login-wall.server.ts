import { data, type RouterContextProvider, redirect } from 'react-router'
import { accountsOf, getSession, mustAddSecondFactor } from '#app/accounts/guards.server.ts'
import { localPathOr, may, type Resource } from '#app/accounts/rules.ts'
import { type AwaitingReauthentication, REAUTH_PASSKEY_FIELD, REAUTH_PASSWORD_FIELD } from '#app/accounts/schema.ts'
import { secondFactorMethods } from '#app/accounts/second-factor/totp.server.ts'
import type { Session } from '#app/accounts/sessions/store.server.ts'
import { PRIVATE_HEADERS } from '#app/core/http/private-headers.ts'
import { readWork } from '#app/core/http/proof-of-work.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import type { AwaitingSignIn, LoginWallState } from './login-wall.tsx'
import { ORGANISER_REFUSAL_MESSAGE, refusalOf } from './refusal.ts'

type Context = Readonly<RouterContextProvider>
/** Resources of the panel's screens. */
export type PanelResource = Exclude<Resource, 'prensa' | 'archivos' | 'jurado'>

/** Resources that a session opens only for some time after the sign-in (RESULTS_ACCESS_MS; §6, §9). */
const RESULTS_RESOURCES: readonly Resource[] = ['resultados', 'votos']

const FORBIDDEN_MESSAGE =
  'Tu cuenta no abre esta parte del panel. Si la necesitas, pídesela a quien lleva «Personas» en la organización.'

const TOO_LONG_MESSAGE =
  'Este envío es más largo que cualquier formulario del panel. Regresa, acórtalo e inicia sesión de nuevo.'

const textResponse = (text: string, status: number) =>
  new Response(text, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', ...PRIVATE_HEADERS },
  })

/**
 * Decides whether an organisers' screen opens, or shows the login wall (<LoginWall>, §2.15).
 * @param resource that the screen needs
 * @param options whether the screen opens even without the second factor that SECOND_FACTOR requires
 * @throws 403 with a message for an organiser whose role does not open the resource; the results show the login wall instead
 */
export async function checkLoginWall(
  request: Request,
  context: Context,
  resource: PanelResource,
  { withoutSecondFactor = false }: { withoutSecondFactor?: boolean } = {},
): Promise<{ isOpen: true; session: Session } | { isOpen: false; loginWall: LoginWallState }> {
  const session = await getSession(request, context)
  const accounts = accountsOf(context)
  if (session && may(session.role, resource)) {
    if (RESULTS_RESOURCES.includes(resource) && session.remainingResultsAccessMs <= 0)
      return { isOpen: false, loginWall: { state: 'signed-out', isTooOld: true } }
    if (!withoutSecondFactor && mustAddSecondFactor(accounts, session))
      return { isOpen: false, loginWall: { state: 'no-second-factor' } }
    return { isOpen: true, session }
  }
  if (session && may(session.role, 'organizadores') && !RESULTS_RESOURCES.includes(resource))
    throw textResponse(FORBIDDEN_MESSAGE, 403)
  if (session) return { isOpen: false, loginWall: { state: 'forbidden', email: session.email } }
  const methods = await accounts.secondFactorMethods(request)
  return { isOpen: false, loginWall: methods ? { state: 'second-factor', ...methods } : { state: 'signed-out' } }
}

/**
 * Checks the session at the beginning of an organisers' action, and records its use. If it has ended, or is too old for the
 * results, the form is put on hold: <ReauthenticationBoundary> shows the login wall, and after the sign-in sends the fields of
 * `fieldsOf` again.
 * @throws the form on hold, for <ReauthenticationBoundary>; a redirect to the panel for an account that is no organiser's, lacks
 *   its second factor or does not open the results; else like `checkLoginWall` and `fieldsOf`
 */
export async function requireOrganiser(
  request: Request,
  context: Context,
  resource: PanelResource,
  options?: { withoutSecondFactor?: boolean },
): Promise<Session> {
  const wallCheck = await checkLoginWall(request, context, resource, options)
  if (wallCheck.isOpen) {
    await accountsOf(context).touchSession(request)
    return wallCheck.session
  }
  if (['forbidden', 'no-second-factor'].includes(wallCheck.loginWall.state)) throw redirect('/organizadores')
  const fields = fieldsOf(await request.clone().formData())
  throw data({ isAwaitingSignIn: true, fields, loginWall: wallCheck.loginWall } satisfies AwaitingSignIn, {
    status: 401,
  })
}

/** Fields that are never sent back: the proofs of a reauthentication, and the passwords of a change. */
const PASSWORD_FIELDS = [REAUTH_PASSWORD_FIELD, REAUTH_PASSKEY_FIELD, 'actual', 'nueva', 'repetida']

/** Limits of a form on hold. No form of the panel is larger; the longest lists 500 entries. */
const MAX_HELD_FORM = { fields: 600, characters: 64_000 }

/**
 * Returns all submitted fields but passwords and files, to be rendered again.
 * @throws 413 with a message for a form beyond the limits, since rendering it costs the site far more than sending it costs a
 *   client
 */
function fieldsOf(form: FormData): [string, string][] {
  const fields = [...form.entries()].flatMap(([name, value]): [string, string][] =>
    PASSWORD_FIELDS.includes(name) || typeof value !== 'string' ? [] : [[name, value]],
  )
  const characters = fields.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  if (fields.length > MAX_HELD_FORM.fields || characters > MAX_HELD_FORM.characters)
    throw textResponse(TOO_LONG_MESSAGE, 413)
  return fields
}

const pathOf = (request: Request) => new URL(request.url).pathname.replace(/\.data$/, '')

const SECOND_FACTOR_MESSAGES = {
  codigo: 'Ese código no es, o ya se usó. Espera a que tu aplicación muestre el siguiente y escríbelo.',
  respaldo: 'Ese código de respaldo no es, o ya se usó. Revisa tu lista y escribe otro.',
  llave: 'Esa llave de acceso no abre esta cuenta, o tardó demasiado. Inténtalo de nuevo, o entra de otra forma.',
  expired: 'Pasó mucho tiempo, o fueron muchos intentos. Escribe de nuevo tu correo y tu contraseña.',
  espera: 'Fueron muchos intentos seguidos.',
} as const

async function passSecondFactor(
  request: Request,
  context: Context,
  form: FormData,
  via: 'codigo' | 'respaldo' | 'llave',
) {
  const { facts } = servicesOf(context)
  const accounts = accountsOf(context)
  const presentedText = form.get(via === 'llave' ? 'llave' : 'codigo')
  const signInResult = await accounts.passSecondFactor(request, facts.client, {
    via,
    text: typeof presentedText === 'string' ? presentedText : '',
  })
  if (signInResult.ok) return redirect(pathOf(request), { headers: signInResult.headers })
  if (signInResult.reason === 'expired')
    return data(refusalOf(form, SECOND_FACTOR_MESSAGES.expired), {
      status: 401,
      headers: await accounts.leaveSecondFactor(request),
    })
  const retryHeaders =
    signInResult.retrySeconds === undefined ? undefined : { 'retry-after': String(signInResult.retrySeconds) }
  return data(
    refusalOf(
      form,
      signInResult.reason === 'espera' ? SECOND_FACTOR_MESSAGES.espera : SECOND_FACTOR_MESSAGES[via],
      signInResult,
    ),
    {
      status: signInResult.reason === 'credenciales' ? 401 : 429,
      ...(retryHeaders && { headers: retryHeaders }),
    },
  )
}

/**
 * Carries out the buttons of the login wall: `hacer=entrar`, `hacer=salir`, and the buttons of passkeys, of the second factor and
 * of its hint.
 * @returns undefined for any other form, whose request can still be read
 */
export async function loginWallAction(request: Request, context: Context) {
  const { services, facts } = servicesOf(context)
  const accounts = accountsOf(context)
  const form = await request.clone().formData()
  const intent = form.get('hacer')
  if (intent === 'salir') return redirect('/', { headers: await accounts.signOut(request, facts.client) })
  if (intent === 'segundo') return passSecondFactor(request, context, form, 'codigo')
  if (intent === 'respaldo') return passSecondFactor(request, context, form, 'respaldo')
  if (intent === 'segundo-llave') return passSecondFactor(request, context, form, 'llave')
  if (intent === 'llave') {
    const passkeyText = form.get('llave')
    const signInResult = await accounts.signInByPasskey(
      request,
      facts.client,
      typeof passkeyText === 'string' ? passkeyText : '',
    )
    if (signInResult.ok) return redirect(pathOf(request), { headers: signInResult.headers })
    return data(refusalOf(form, SECOND_FACTOR_MESSAGES.llave, signInResult), {
      status: signInResult.reason === 'credenciales' ? 401 : 429,
    })
  }
  if (intent === 'otra-cuenta') return redirect(pathOf(request), { headers: await accounts.leaveSecondFactor(request) })
  if (intent === 'aplazar') {
    await accounts.postponeSecondFactor(request)
    return redirect(localPathOr(form.get('volver'), '/organizadores'))
  }
  if (intent !== 'entrar') return undefined
  const signInResult = await accounts
    .signInPassword(request, facts.client, form.get('correo'), form.get('clave'), readWork(form))
    .catch((error: unknown) => {
      services.log.error({ id: facts.id, err: error }, 'sign-in failed')
      return undefined
    })
  if (!signInResult) return data(refusalOf(form, ORGANISER_REFUSAL_MESSAGE), 503)
  if (signInResult.ok || signInResult.reason === 'segundo')
    return redirect(pathOf(request), { headers: signInResult.headers })
  const retryHeaders =
    signInResult.retrySeconds === undefined ? undefined : { 'retry-after': String(signInResult.retrySeconds) }
  return data(refusalOf(form, ORGANISER_REFUSAL_MESSAGE, signInResult), {
    status: signInResult.reason === 'credenciales' ? 401 : 429,
    ...(retryHeaders && { headers: retryHeaders }),
  })
}

export const REAUTHENTICATION_MESSAGES = {
  password: 'Esa no es tu contraseña. Escríbela de nuevo.',
  passkey: 'Esa llave de acceso no es de esta cuenta, o tardó demasiado. Inténtalo de nuevo, o escribe tu contraseña.',
  overload: 'Está entrando mucha gente a la vez. Inténtalo de nuevo en un momento.',
  wait: 'Fueron muchos intentos seguidos: espera un momento antes del siguiente.',
} as const

/**
 * Guards actions that a session left open must not allow. If the last authentication is not recent (REAUTHENTICATION_MS), and the
 * form has no right password or passkey, the form is put on hold; <ReauthenticationBoundary> asks for one of them, and sends the
 * fields of `fieldsOf` again.
 * @throws the form on hold, for <ReauthenticationBoundary>; else like `fieldsOf`
 */
export async function requireReauthentication(
  request: Request,
  context: Context,
  session: Session,
  form: FormData,
): Promise<void> {
  if (session.isRecentlyAuthenticated) return
  const [password, passkeyText] = [form.get(REAUTH_PASSWORD_FIELD), form.get(REAUTH_PASSKEY_FIELD)]
  const fields = fieldsOf(form)
  const { services, facts } = servicesOf(context)
  const hasPasskey = (await secondFactorMethods(services.db, session.userId))?.hasPasskey ?? false
  const createPrompt = (message?: string) =>
    data(
      {
        isAwaitingReauthentication: true,
        fields,
        hasPasskey,
        ...(message && { message }),
      } satisfies AwaitingReauthentication,
      { status: 401 },
    )
  const proof =
    typeof passkeyText === 'string' && passkeyText !== ''
      ? { passkey: passkeyText }
      : typeof password === 'string'
        ? { password }
        : undefined
  if (!proof) throw createPrompt()
  const reauthenticationResult = await accountsOf(context).reauthenticate(request, facts.client, session, proof)
  if (!reauthenticationResult.ok) throw createPrompt(REAUTHENTICATION_MESSAGES[reauthenticationResult.reason])
}

/**
 * Guards a file download, like `requireReauthentication`.
 * @throws a redirect to the screen that asks for the password and leads on to the file
 */
export function requireReauthenticationForFile(request: Request, session: Session): void {
  if (session.isRecentlyAuthenticated) return
  const { pathname, search } = new URL(request.url)
  throw redirect(`/organizadores/confirmar?ir=${encodeURIComponent(pathname + search)}`)
}
