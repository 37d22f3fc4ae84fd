import { Form, redirect, redirectDocument, useNavigation } from 'react-router'
import { accountsOf } from '#app/accounts/guards.server.ts'
import { may } from '#app/accounts/rules.ts'
import styles from '#app/accounts/sign-in/login-wall.module.css'
import { pageMeta } from '#app/cms/page-meta.ts'
import { Button, buttonLook } from '#app/ui/components/button.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { Emblem } from '#app/ui/ornaments/emblem.tsx'
import type { Route } from './+types/wait-bypass.page'
import { linkCookieOf } from './link-cookie.server.ts'

export const handle = { prefetch: false, noindex: true }

/**
 * Moves the secret of the mailed link from the URL into a cookie (link-cookie.server.ts). Without a secret in the URL, returns the
 * email of the account whose link is in the cookie.
 */
export async function loader({ request, context }: Route.LoaderArgs) {
  const { pathname, searchParams } = new URL(request.url)
  const secretInUrl = searchParams.get('llave')
  if (secretInUrl !== null)
    throw redirect(pathname, { headers: { 'set-cookie': linkCookieOf(context, 'paso').setCookie(secretInUrl) } })
  return {
    email: (await accountsOf(context).waitBypassLinks.find(linkCookieOf(context, 'paso').read(request)))?.email,
  }
}

/** Uses the link up only when a person presses the button, since mail scanners open links. */
export async function action({ request, context }: Route.ActionArgs) {
  const cookie = linkCookieOf(context, 'paso')
  const bypass = await accountsOf(context).waitBypassLinks.use(cookie.read(request))
  const headers = new Headers({ 'set-cookie': cookie.clearCookie() })
  // The loader reports that the link is not valid.
  if (!bypass) return redirect('/medios/paso', { headers })
  headers.append('set-cookie', bypass.cookie)
  // The panel is loaded as a document, since its content security policy allows frames, and this document's does not.
  return may(bypass.role, 'organizadores')
    ? redirectDocument('/organizadores', { headers })
    : redirect('/medios', { headers })
}

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Entrar sin esperar' }, args)

/** Screen on which a mailed link lets the browser past the waits after wrong passwords. */
export default function WaitBypassPage({ loaderData: { email } }: Route.ComponentProps) {
  const isBusy = useNavigation().state === 'submitting'
  return (
    <section className={styles.wall}>
      <Emblem isBackground />
      <h1>{email ? 'Entra sin esperar' : 'Este enlace ya no sirve'}</h1>
      {email ? (
        <Form method="post" className={styles.access} onSubmit={(event) => isBusy && event.preventDefault()}>
          <p className={styles.message}>
            En este equipo, <b className={styles.email}>{email}</b> entra con su contraseña sin esperar, aunque alguien
            más haya probado otras.
          </p>
          <Button type="submit" look="main" isBusy={isBusy}>
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
