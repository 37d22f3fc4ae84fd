import { useEffect, useRef } from 'react'
import { data, Form, redirect, redirectDocument, useNavigation } from 'react-router'
import { accountsOf } from '#app/accounts/guards.server.ts'
import { findPasswordLink, setPasswordByLink } from '#app/accounts/passwords/mailed-links.server.ts'
import { may } from '#app/accounts/rules.ts'
import { MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS } from '#app/accounts/schema.ts'
import { createCookies } from '#app/accounts/sessions/cookies.server.ts'
import styles from '#app/accounts/sign-in/login-wall.module.css'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { mailSenderOf } from '#app/mail/mutations.server.ts'
import { Banner } from '#app/ui/components/banner.tsx'
import { Button, buttonLook } from '#app/ui/components/button.tsx'
import { TextField } from '#app/ui/forms/field.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { Emblem } from '#app/ui/ornaments/emblem.tsx'
import type { Route } from './+types/choose-password.page'

export const handle = { prefetch: false, noindex: true }

const COOKIE = 'llave'

const REASONS = {
  corta: `Tu contraseña necesita al menos ${MIN_PASSWORD_CHARACTERS} caracteres. Una frase de varias palabras se recuerda bien.`,
  larga: `Tu contraseña puede tener hasta ${MAX_PASSWORD_CHARACTERS} caracteres: usa una más corta.`,
  comun: `Esa contraseña se adivina: está hecha de nombres, palabras o números que mucha gente usa. Junta tres o cuatro palabras que no tengan que ver entre sí, ni con la feria ni con tu nombre, como «sandía violín martes costal» (pero no éstas): con ${MIN_PASSWORD_CHARACTERS} caracteres o más basta, sin números ni signos.`,
  distintas: 'Las dos contraseñas no son iguales. Escríbelas otra vez.',
}

/**
 * The mailed link leads here. Its key moves into a cookie at once, so that no history and no address bar keeps the key.
 */
export async function loader({ request, context }: Route.LoaderArgs) {
  const { services } = servicesOf(context)
  const { pathname, searchParams } = new URL(request.url)
  const key = searchParams.get('llave')
  if (key !== null)
    throw redirect(pathname, {
      headers: { 'set-cookie': cookiesOf(context).line(COOKIE, readLinkToken(key), 3600) },
    })
  const link = await findPasswordLink(services.db, linkTokenOf(request, context), services.clock.now())
  return { correo: link?.email, medio: link?.outlet, esOrganizacion: may(link?.role, 'organizadores') }
}

export async function action({ request, context }: Route.ActionArgs) {
  const { services, facts } = servicesOf(context)
  const form = await request.formData()
  const [password, repeated] = [form.get('nueva'), form.get('repetida')]
  const refuse = (message: string) => data({ mensaje: message }, { status: 400 })
  if (typeof password !== 'string' || password !== repeated) return refuse(REASONS.distintas)
  const mailContext = { sender: mailSenderOf(services), now: services.clock.now() }
  const from = accountsOf(context).traceOf(facts.client)
  const result = await setPasswordByLink(services.db, linkTokenOf(request, context), password, from, mailContext)
  if (!result.ok && result.reason !== 'enlace') return refuse(REASONS[result.reason])
  // When the link was used meanwhile, in another tab, the loader says so.
  const gone = cookiesOf(context).line(COOKIE, '', 0)
  if (!result.ok) return redirect('/medios/clave', { headers: { 'set-cookie': gone } })
  const headers = new Headers({ 'set-cookie': gone })
  // Other people's wrong passwords may keep the account waiting: the link's owner gets past the wait.
  const step = await accountsOf(context).waitBypassLinks.cookieFor(result.userId)
  if (step) headers.append('set-cookie', step)
  // The panel frames the site, which this document's content security policy forbids: the panel would load twice.
  if (may(result.role, 'organizadores')) return redirectDocument('/organizadores?aviso=clave', { headers })
  return redirect('/medios?aviso=clave', { headers })
}

const cookiesOf = (context: Route.LoaderArgs['context']) =>
  createCookies(servicesOf(context).services.settings.publicUrl)

/** The key; '' where the text cannot be a key. */
const readLinkToken = (key: string) => (/^[\w-]{1,100}$/.test(key) ? key : '')

const linkTokenOf = (request: Request, context: Route.LoaderArgs['context']): string =>
  readLinkToken(cookiesOf(context).read(request, COOKIE) ?? '')

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Elige tu contraseña' }, args)

/** The screen where an accredited journalist, or a new organiser, chooses the password. */
export default function ChoosePasswordPage({
  loaderData: { correo, medio, esOrganizacion },
  actionData,
}: Route.ComponentProps) {
  const banner = useRef<HTMLDivElement>(null)
  const busy = useNavigation().state === 'submitting'
  useEffect(() => {
    if (actionData) banner.current?.focus()
  }, [actionData])
  if (!correo)
    return (
      <section className={styles.door}>
        <Emblem isBackground />
        <h1>Este enlace ya no sirve</h1>
        <p className={styles.message}>
          Cada enlace vale una sola vez y por siete días. Si ya elegiste tu contraseña, entra con ella; si no, pide al
          comité organizador que te mande otro.
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
    <section className={styles.door}>
      <Emblem isBackground />
      <h1 id="clave-titulo">Elige tu contraseña</h1>
      <p className={styles.message}>
        Con ella y con <b className={styles.email}>{correo}</b>{' '}
        {esOrganizacion ? (
          'entrarás al panel de la organización.'
        ) : (
          <>entrará {medio ?? 'tu medio'} a la sala de prensa.</>
        )}
      </p>
      <Form
        method="post"
        className={styles.access}
        aria-labelledby="clave-titulo"
        onSubmit={(event) => busy && event.preventDefault()}
      >
        {actionData && <Banner ref={banner} tone="bad" message={actionData.mensaje} />}
        {/* Password managers keep the password under this name. */}
        <input type="hidden" name="username" autoComplete="username" value={correo} readOnly />
        <TextField
          id="nueva"
          name="nueva"
          type="password"
          label="Contraseña nueva"
          hint={`Al menos ${MIN_PASSWORD_CHARACTERS} caracteres. Varias palabras que no van juntas son fáciles de recordar y difíciles de adivinar.`}
          autoComplete="new-password"
          required
        />
        <TextField
          id="repetida"
          name="repetida"
          type="password"
          label="Escríbela otra vez"
          autoComplete="new-password"
          required
        />
        <Button type="submit" look="main" busy={busy}>
          Guardar contraseña
        </Button>
      </Form>
    </section>
  )
}
