import { data, redirect, redirectDocument } from 'react-router'
import { accountsOf, getSession } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import { useSessionMark } from '#app/accounts/sessions/browser-signals.ts'
import { PasswordForm } from '#app/accounts/sign-in/password-form.tsx'
import { refusalOf } from '#app/accounts/sign-in/refusal.ts'
import { countHelpRequest } from '#app/accounts/throttling/help-requests.server.ts'
import { readEditionSettings } from '#app/cms/edition-settings/data.server.ts'
import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { readWork } from '#app/core/http/proof-of-work.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { typedText } from '#app/core/text/typed-text.ts'
import { submitPressRequest } from '#app/entries/help-requests.server.ts'
import { PhotoHeader } from '#app/ui/photos/photo-header.tsx'
import type { Route } from './+types/press-room.page'
import { AccreditationRequest } from './accreditation-request.tsx'
import styles from './press-room.module.css'
import { PressWelcome, PublicPressMaterial, SignedIn } from './signed-in.tsx'

export const handle = { prefetch: false, hasOwnSignOut: true }

/** Text of every failed sign-in, so that it does not reveal which accounts exist. @source §8 */
const REFUSAL_MESSAGE = 'Error al iniciar sesión. Verifica tus credenciales.'

const NOTICES: Readonly<Record<string, string>> = {
  acceso: 'Ese material es para los medios acreditados: entra con tu cuenta para verlo.',
  clave: 'Tu contraseña quedó guardada. Entra con ella.',
  'sin-permiso': 'Tu cuenta no es de prensa. Si tu medio está acreditado, entra con la cuenta que te dio el comité.',
}

export async function loader({ request, context }: Route.LoaderArgs) {
  const { salaDePrensa, candidatas } = await loadEdition()
  const settings = await readEditionSettings(servicesOf(context).services.db)
  const session = await getSession(request, context)
  const notice = new URL(request.url).searchParams.get('aviso') ?? ''
  return {
    ...salaDePrensa,
    hasCandidates: candidatas.length > 0,
    notice: Object.hasOwn(NOTICES, notice) ? NOTICES[notice] : undefined,
    // A visitor who is still signed in may continue or sign out, since the screen does not remember the signed-in view (§4).
    email: session?.email,
    isPublic: settings['prensa.publica'],
    isPress: may(session?.role, 'prensa'),
  }
}

export async function action({ request, context }: Route.ActionArgs) {
  const { services, facts } = servicesOf(context)
  const accounts = accountsOf(context)
  const form = await request.formData()
  const intent = form.get('hacer')
  if (intent === 'acreditacion') return answerAccreditationRequest(context, form)
  if (intent === 'salir') return redirect('/medios', { headers: await accounts.signOut(request, facts.client) })
  if (intent === 'seguir') {
    const session = await getSession(request, context)
    return may(session?.role, 'prensa') ? data({ ok: true as const }) : redirect('/medios?aviso=acceso')
  }
  const result = await accounts
    .signInPassword(request, facts.client, form.get('correo'), form.get('clave'), readWork(form))
    .catch((error: unknown) => {
      services.log.error({ id: facts.id, err: error }, 'sign-in failed')
      return undefined
    })
  if (!result) return data(refusal(form), 503)
  if (result.ok) return data({ ok: true as const }, { headers: result.headers })
  // An organiser who signs in here passes the second factor at the panel's login wall.
  if (result.reason === 'segundo') return redirectDocument('/organizadores', { headers: result.headers })
  return data(refusal(form, result), {
    status: result.reason === 'credenciales' ? 401 : 429,
    ...(result.retrySeconds !== undefined && { headers: { 'retry-after': String(result.retrySeconds) } }),
  })
}

/**
 * Reports a missing response: to a sign-in, in the words of every failed sign-in; to an accreditation request, with the typed
 * values. Throws redirects and other responses, for the router, and the errors of the forms for signed-in visitors.
 * @source §8
 */
export async function clientAction({ request, serverAction }: Route.ClientActionArgs) {
  const sentRequest = request.clone()
  try {
    return await serverAction()
  } catch (error) {
    if (error instanceof Response) throw error
    const form = await sentRequest.formData()
    // After a status of 5xx the router does not load the screen's data again, which would fail over a broken connection, too.
    if (form.get('hacer') === 'acreditacion')
      return data({ ...accreditationFieldsOf(form), isTaken: false, message: NO_ANSWER_MESSAGE }, 503)
    if (form.get('hacer') !== 'entrar') throw error
    return data(refusal(form), 503)
  }
}

const NO_ANSWER_MESSAGE = 'No llegó la respuesta. Revisa tu conexión e inténtalo de nuevo.'

/** Reads the typed values, cut to 320 characters, the length of the longest field. */
function accreditationFieldsOf(form: FormData) {
  const fieldText = (name: string) =>
    String(form.get(name) ?? '')
      .replaceAll('\0', '')
      .slice(0, 320)
  return { outlet: fieldText('medio'), name: fieldText('nombre'), email: fieldText('correo-medio') }
}

async function answerAccreditationRequest(context: Route.ActionArgs['context'], form: FormData) {
  const { services } = servicesOf(context)
  const typedFields = accreditationFieldsOf(form)
  const waitSeconds = await countHelpRequest(context, 'acreditacion')
  const requestResult =
    waitSeconds > 0 ? ({ ok: false, reason: 'full' } as const) : await submitPressRequest(services.db, typedFields)
  return requestResult.ok
    ? data({
        ...typedFields,
        isTaken: true,
        message: `Listo. El comité lo revisa y te contesta a ${typedText(typedFields.email)}.`,
      })
    : data(
        { ...typedFields, isTaken: false, message: REQUEST_REFUSALS[requestResult.reason] },
        { status: waitSeconds > 0 ? 429 : 422 },
      )
}

const REQUEST_REFUSALS = {
  address: 'Ese correo no es una dirección válida. Revísalo: sólo letras sin acento, números y signos usuales.',
  names: 'Escribe tu nombre y el de tu medio, con 120 caracteres como máximo.',
  full: 'Ahora no podemos recibir más peticiones. Inténtalo más tarde, o llama al comité.',
}

const refusal = (form: FormData, signInResult?: Parameters<typeof refusalOf>[2]) => ({
  ok: false as const,
  ...refusalOf(form, REFUSAL_MESSAGE, signInResult),
})

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders

export const meta: Route.MetaFunction = (args) =>
  pageMeta({ screen: 'Prensa', description: args.loaderData?.bienvenida[0] }, args)

/** Renders the sign-in of journalists (§2.12) and, until the page is left, the view after it. */
export default function PressRoomPage({ loaderData, actionData }: Route.ComponentProps) {
  const { banner, bienvenida, gracias, notice, email, isPublic, isPress, hasCandidates } = loaderData
  const accreditationAnswer = actionData && 'isTaken' in actionData ? actionData : undefined
  const signInAnswer = actionData && 'ok' in actionData ? actionData : undefined
  useSessionMark(email !== undefined || signInAnswer?.ok === true)
  return (
    <>
      <PhotoHeader picture={banner} title="PRENSA" className={styles.strip} />
      {signInAnswer?.ok ? (
        <PressWelcome thanks={gracias} hasCandidates={hasCandidates} />
      ) : (
        <div className={styles.room}>
          <div className={styles.before}>
            <p className={styles.greeting}>{bienvenida[0]}</p>
            {isPublic && <PublicPressMaterial />}
          </div>
          <div className={styles.signIn}>
            {email && <SignedIn email={email} mayContinue={isPress} />}
            <PasswordForm
              headingId="acceso"
              submitLabel="Entrar"
              look={email && isPress ? 'outline' : 'main'}
              className={styles.access}
              refusal={signInAnswer?.ok === false ? signInAnswer : undefined}
            >
              <h2 id="acceso">Iniciar Sesión</h2>
              {notice && <p className={styles.notice}>{notice}</p>}
            </PasswordForm>
          </div>
          {/* For visitors without an account; on a phone it is below the form. */}
          <div className={styles.unaccredited}>
            <p>{bienvenida[1]}</p>
            <AccreditationRequest answer={accreditationAnswer} />
            <p>
              {/* The panel has a document of its own. */}
              <a href="/organizadores">Soy de la organización</a>
            </p>
          </div>
        </div>
      )}
    </>
  )
}
