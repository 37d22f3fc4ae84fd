import { Form, redirect, redirectDocument, useNavigation } from 'react-router'
import { accountsOf } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import { createCookies } from '#app/accounts/sessions/cookies.server.ts'
import styles from '#app/accounts/sign-in/login-wall.module.css'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { Button, buttonLook } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { Emblem } from '#app/ui/ornaments/emblem.tsx'
import type { Route } from './+types/wait-bypass.page'

export const handle = { prefetch: false, noindex: true }

const COOKIE = 'paso'

/** The mailed link leads here; its secret moves into a cookie at once, so that no history keeps the secret. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const { pathname, searchParams } = new URL(request.url)
  const key = searchParams.get('llave')
  if (key !== null)
    throw redirect(pathname, { headers: { 'set-cookie': cookiesOf(context).line(COOKIE, readLinkToken(key), 3600) } })
  return { correo: (await accountsOf(context).waitBypassLinks.find(linkTokenOf(request, context)))?.email }
}

/** Spends the link only when a person presses the button: mail scanners open links, and would use them up. */
export async function action({ request, context }: Route.ActionArgs) {
  const used = await accountsOf(context).waitBypassLinks.use(linkTokenOf(request, context))
  const headers = new Headers({ 'set-cookie': cookiesOf(context).line(COOKIE, '', 0) })
  // The loader says that the link has served.
  if (!used) return redirect('/medios/paso', { headers })
  headers.append('set-cookie', used.cookie)
  // The panel's document has another content security policy.
  return may(used.role, 'organizadores')
    ? redirectDocument('/organizadores', { headers })
    : redirect('/medios', { headers })
}

const cookiesOf = (context: Route.LoaderArgs['context']) =>
  createCookies(servicesOf(context).services.settings.publicUrl)

/** The secret; '' where the text cannot be a secret. */
const readLinkToken = (key: string) => (/^[\w.-]{1,120}$/.test(key) ? key : '')

const linkTokenOf = (request: Request, context: Route.LoaderArgs['context']): string =>
  readLinkToken(cookiesOf(context).read(request, COOKIE) ?? '')

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Entrar sin esperar' }, args)

/** The screen where a mailed link lets the browser past the waits that other people's wrong passwords have caused. */
export default function WaitBypassPage({ loaderData: { correo } }: Route.ComponentProps) {
  const busy = useNavigation().state === 'submitting'
  return (
    <section className={styles.door}>
      <Emblem isBackground />
      <h1>{correo ? 'Entra sin esperar' : 'Este enlace ya no sirve'}</h1>
      {correo ? (
        <Form method="post" className={styles.access} onSubmit={(event) => busy && event.preventDefault()}>
          <p className={styles.message}>
            En este equipo, <b className={styles.email}>{correo}</b> entra con su contraseña sin esperar, aunque alguien
            más haya probado otras.
          </p>
          <Button type="submit" look="main" busy={busy}>
            Ir a escribir mi contraseña
          </Button>
        </Form>
      ) : (
        <>
          <p className={styles.message}>Cada enlace vale una sola vez, durante una hora. Pide otro si te hace falta.</p>
          <Link to="/medios/recuperar" className={buttonLook('outline')}>
            Pedir otro enlace
          </Link>
        </>
      )}
    </section>
  )
}
