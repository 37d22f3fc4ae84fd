import { data, Form, redirect, redirectDocument, useNavigation } from 'react-router'
import { accountsOf } from '#app/accounts/guards.server.ts'
import { findPasswordLink, setPasswordByLink } from '#app/accounts/passwords/mailed-links.server.ts'
import { NewPasswordFields, type PasswordFault } from '#app/accounts/passwords/new-password-fields.tsx'
import { PASSWORD_REFUSAL_MESSAGES } from '#app/accounts/passwords/refusal-messages.ts'
import { may } from '#app/accounts/rules.ts'
import styles from '#app/accounts/sign-in/login-wall.module.css'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { mailSenderOf } from '#app/mail/mutations.server.ts'
import { Button, buttonLook } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { Emblem } from '#app/ui/ornaments/emblem.tsx'
import type { Route } from './+types/choose-password.page'
import { linkCookieOf } from './link-cookie.server.ts'

export const handle = { prefetch: false, noindex: true }

/**
 * Moves the secret of the mailed link from the URL into a cookie (link-cookie.server.ts). Without a secret in the URL, returns what
 * the screen shows of the account whose link is in the cookie.
 */
export async function loader({ request, context }: Route.LoaderArgs) {
  const { services } = servicesOf(context)
  const { pathname, searchParams } = new URL(request.url)
  const secretInUrl = searchParams.get('llave')
  if (secretInUrl !== null)
    throw redirect(pathname, { headers: { 'set-cookie': linkCookieOf(context, 'llave').setCookie(secretInUrl) } })
  const secret = linkCookieOf(context, 'llave').read(request)
  const account = await findPasswordLink(services.db, secret, services.clock.now())
  return { email: account?.email, outlet: account?.outlet, isOrganiser: may(account?.role, 'organizadores') }
}

export async function action({ request, context }: Route.ActionArgs) {
  const { services, facts } = servicesOf(context)
  const form = await request.formData()
  const [password, repeatedPassword] = [form.get('nueva'), form.get('repetida')]
  const refuse = (field: PasswordFault['field'], message: string) => data({ field, message }, { status: 400 })
  if (typeof password !== 'string' || password !== repeatedPassword)
    return refuse('repetida', PASSWORD_REFUSAL_MESSAGES.different)
  const mailContext = { sender: mailSenderOf(services), now: services.clock.now() }
  const clientTrace = accountsOf(context).traceOf(facts.client)
  const cookie = linkCookieOf(context, 'llave')
  const result = await setPasswordByLink(services.db, cookie.read(request), password, clientTrace, mailContext)
  if (!result.ok && result.reason !== 'invalidLink') return refuse('nueva', PASSWORD_REFUSAL_MESSAGES[result.reason])
  // The loader reports a link that is not valid any more.
  const clearedCookie = cookie.clearCookie()
  if (!result.ok) return redirect('/medios/clave', { headers: { 'set-cookie': clearedCookie } })
  const headers = new Headers({ 'set-cookie': clearedCookie })
  // The link's owner need not wait, even if other people's wrong passwords keep the account waiting.
  const bypassCookie = await accountsOf(context).waitBypassLinks.cookieFor(result.userId)
  if (bypassCookie) headers.append('set-cookie', bypassCookie)
  // The panel is loaded as a document, since this document's content security policy forbids frames; after a client-side redirect
  // use-reload-on-frame-policy.ts would have to reload the panel.
  if (may(result.role, 'organizadores')) return redirectDocument('/organizadores?aviso=clave', { headers })
  return redirect('/medios?aviso=clave', { headers })
}

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Elige tu contraseña' }, args)

/** Screen on which the owner of a mailed link chooses the first password, or a new one after a reset. */
export default function ChoosePasswordPage({
  loaderData: { email, outlet, isOrganiser },
  actionData,
}: Route.ComponentProps) {
  const isBusy = useNavigation().state === 'submitting'
  if (!email)
    return (
      <section className={styles.wall}>
        <Emblem isBackground />
        <h1>Este enlace ya no sirve</h1>
        <p className={styles.message}>
          Cada enlace vale una sola vez: el de una cuenta nueva por siete días, el de una contraseña olvidada por una
          hora. Si ya elegiste tu contraseña, entra con ella; si no, pide al comité organizador que te mande otro.
        </p>
        <div className={styles.exits}>
          <Link to="/medios" className={buttonLook('outline')}>
            Ir a la sala de prensa
          </Link>
          <Link to="/organizadores" className={buttonLook('outline')}>
            Ir al panel de la organización
          </Link>
        </div>
      </section>
    )
  return (
    <section className={styles.wall}>
      <Emblem isBackground />
      <h1 id="clave-titulo">Elige tu contraseña</h1>
      <p className={styles.message}>
        Con ella y con <b className={styles.email}>{email}</b>{' '}
        {isOrganiser ? (
          'entrarás al panel de la organización.'
        ) : (
          <>entrará {outlet ?? 'tu medio'} a la sala de prensa.</>
        )}
      </p>
      <Form
        method="post"
        className={styles.access}
        aria-labelledby="clave-titulo"
        onSubmit={(event) => isBusy && event.preventDefault()}
      >
        {/* Password managers store the password under this name. */}
        <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
        <NewPasswordFields fault={actionData} />
        <Button type="submit" look="main" isBusy={isBusy}>
          Guardar contraseña
        </Button>
      </Form>
    </section>
  )
}
