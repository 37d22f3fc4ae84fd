import { setTimeout as sleep } from 'node:timers/promises'
import { data, Form, useNavigation } from 'react-router'
import { accountsOf } from '#app/accounts/guards.server.ts'
import { PASSWORD_RESET_MINUTES } from '#app/accounts/rules.ts'
import { parseEmail } from '#app/accounts/schema.ts'
import wall from '#app/accounts/sign-in/login-wall.module.css'
import { loadEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { typedText } from '#app/core/text/typed-text.ts'
import { readMailAvailability } from '#app/mail/data.server.ts'
import { Banner } from '#app/ui/components/banner.tsx'
import { Button, buttonLook } from '#app/ui/components/button.tsx'
import { GoButton } from '#app/ui/components/go-button.tsx'
import { TextField } from '#app/ui/forms/field.tsx'
import { Link } from '#app/ui/navigation/link.tsx'
import { PhotoHeader } from '#app/ui/photos/photo-header.tsx'
import type { Route } from './+types/forgot-password.page'
import styles from './forgot-password.module.css'

export const handle = { prefetch: false, noindex: true }

/** Least time of the answer to a valid address, so that its delay does not tell whether there is such an account. */
const MIN_ANSWER_MS = 600

export const loader = async () => ({ banner: (await loadEdition()).salaDePrensa.banner })

export async function action({ request, context }: Route.ActionArgs) {
  const { services, facts } = servicesOf(context)
  const form = await request.formData()
  const typedEmail = form.get('correo')
  const purpose = form.get('para') === 'paso' ? 'paso' : 'clave'
  const email = typeof typedEmail === 'string' ? typedEmail.slice(0, 320) : ''
  if (!parseEmail(email))
    return data(
      {
        email,
        error: 'Escribe tu correo completo, como nombre@ejemplo.mx, sin acentos ni espacios.',
        sentPurpose: undefined,
      },
      { status: 400 },
    )
  // Whether mail goes out is read at the same time, since later the fate of the account's own mail could show.
  const [waitSeconds, outlook] = await Promise.all([
    accountsOf(context).requestRecoveryLink(facts.client, email, purpose),
    readMailAvailability(services),
    sleep(MIN_ANSWER_MS),
  ])
  if (waitSeconds > 0)
    return data(
      {
        email,
        error: `Ya se pidió varias veces. Podrás pedir otro en ${Math.ceil(waitSeconds / 60)} min; mientras, revisa tu correo.`,
        sentPurpose: undefined,
      },
      { status: 429, headers: { 'retry-after': String(waitSeconds) } },
    )
  return data({ email, error: undefined, sentPurpose: purpose, outlook })
}

const NO_MAIL_MESSAGES = {
  none: 'Este sitio todavía no manda correos, y no te puede llegar ninguno. Pide el enlace a alguien de la organización: lo saca del panel, en «Personas». Si tu cuenta lleva todo el panel, pide otra contraseña a quien cuida el servidor.',
  waits:
    'Ahora mismo el servidor de correo del sitio no recibe mensajes: si tienes una cuenta, el tuyo sale solo en cuanto vuelva a recibirlos. Si te urge, pide el enlace a alguien de la organización.',
}

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Olvidé mi contraseña' }, args)

const TITLE = '¿Olvidaste tu contraseña?'

/** Screen on which organisers and journalists ask for a link to set a new password, or for a wait-bypass link. */
export default function ForgotPasswordPage({ loaderData, actionData }: Route.ComponentProps) {
  const isBusy = useNavigation().state === 'submitting'
  return (
    <>
      <PhotoHeader picture={loaderData.banner} title={TITLE} />
      <div className={styles.below}>
        {actionData?.sentPurpose ? (
          <>
            {actionData.outlook === 'goes' ? (
              <Banner
                tone="good"
                message={`Si ${typedText(actionData.email)} tiene una cuenta de prensa o de la organización, ya va en camino un correo con el enlace para ${actionData.sentPurpose === 'paso' ? 'entrar sin esperar' : 'elegir otra contraseña'}.`}
              />
            ) : (
              <Banner tone="bad" message={NO_MAIL_MESSAGES[actionData.outlook]} />
            )}
            {actionData.outlook !== 'none' && (
              <p className={wall.message}>
                El enlace sirve una vez, durante {PASSWORD_RESET_MINUTES} minutos. Si no llega, revisa el correo no
                deseado.
              </p>
            )}
            <Link to="/medios" className={buttonLook('outline')}>
              Volver a la sala de prensa
            </Link>
          </>
        ) : (
          <>
            <p className={wall.message}>
              Escribe el correo de tu cuenta de prensa o de la organización, y te mandamos un enlace para elegir otra.
              Para votar no hace falta contraseña.
            </p>
            <Form
              method="post"
              className={styles.form}
              aria-label={TITLE}
              noValidate
              onSubmit={(event) => isBusy && event.preventDefault()}
            >
              <TextField
                id="correo"
                name="correo"
                type="email"
                label="Correo electrónico"
                autoComplete="username"
                defaultValue={actionData?.email}
                error={actionData?.error}
              />
              <Button type="submit" look="main" isBusy={isBusy}>
                Enviarme el enlace
              </Button>
              <p id="sin-esperar">
                ¿Sabes tu contraseña, y el sitio te hace esperar porque alguien probó otras? Pide un enlace que deja
                entrar con ella sin esperar.
              </p>
              <Button type="submit" look="outline" isBusy={isBusy} name="para" value="paso">
                Enlace para entrar sin esperar
              </Button>
            </Form>
            <GoButton to="/" look="quiet" className={wall.wayBack}>
              Regresar al inicio
            </GoButton>
          </>
        )}
      </div>
    </>
  )
}
