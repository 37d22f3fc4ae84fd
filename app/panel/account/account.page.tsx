import { data, Form, redirect, redirectDocument } from 'react-router'
import { accountsOf, actorOf } from '#app/accounts/guards.server.ts'
import type { PasswordFault } from '#app/accounts/passwords/new-password-fields.tsx'
import { PASSWORD_REFUSAL_MESSAGES } from '#app/accounts/passwords/refusal-messages.ts'
import { resendPasswordLink } from '#app/accounts/people/another-link.server.ts'
import { confirmEmailChange, findEmailChange, requestEmailChange } from '#app/accounts/people/email-change.server.ts'
import { changePassword } from '#app/accounts/people/mutations.server.ts'
import { EMAIL_CHANGE_MINUTES, findPasswordRefusal, may } from '#app/accounts/rules.ts'
import { listPasskeys } from '#app/accounts/second-factor/passkeys.server.ts'
import { readSecondFactor } from '#app/accounts/second-factor/totp.server.ts'
import { deviceNameOf } from '#app/accounts/sessions/device-name.ts'
import type { Session } from '#app/accounts/sessions/store.server.ts'
import {
  checkLoginWall,
  REAUTHENTICATION_MESSAGES,
  requireOrganiser,
  requireReauthentication,
} from '#app/accounts/sign-in/login-wall.server.ts'
import { writeAuditLog } from '#app/audit/mutations.server.ts'
import { loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { formatDateTime } from '#app/core/time/mexico-dates.ts'
import { readMailAvailability } from '#app/mail/data.server.ts'
import { mailSenderOf } from '#app/mail/mutations.server.ts'
import { readDigestFrequency, setDigestFrequency } from '#app/panel/digest/digest.server.ts'
import { OutcomeNotice } from '#app/panel/outcome-notice.tsx'
import { readField } from '#app/panel/rules.ts'
import { ScreenHeading } from '#app/panel/screen-heading.tsx'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { Button } from '#app/ui/components/button.tsx'
import { TextField } from '#app/ui/forms/field.tsx'
import type { Route } from './+types/account.page'
import styles from './account.module.css'
import { DigestChoice } from './digest-choice.tsx'
import { Passkeys } from './passkeys.tsx'
import { PasswordChange } from './password-change.tsx'
import { AuthenticatorApp, RecoveryCodes } from './second-factor.tsx'
import { secondFactorAction } from './second-factor-actions.server.ts'

export async function loader({ request, context }: Route.LoaderArgs) {
  const access = await checkLoginWall(request, context, 'organizadores', { withoutSecondFactor: true })
  if (!access.isOpen) return null
  const { session } = access
  const { services } = servicesOf(context)
  const accounts = accountsOf(context)
  const { nombre } = await loadEditionCard()
  const [sessions, pendingEmail, secondFactor, passkeys] = await Promise.all([
    accounts.listSessions(request, session.userId),
    findEmailChange(services, session.userId),
    readSecondFactor(services, session, nombre),
    listPasskeys(services.db, session.userId),
  ])
  const digestFrequency = may(session.role, 'inscripciones')
    ? await readDigestFrequency(services.db, session.userId)
    : undefined
  const requiresSecondFactor = accounts.requiresSecondFactor
  return {
    email: session.email,
    digestFrequency,
    pendingEmail,
    sessions,
    secondFactor,
    passkeys,
    isSecondFactorRequired: requiresSecondFactor,
    lacksSecondFactor: session.secondFactor !== 'set',
    hasMailServer: services.settings.smtpUrl !== undefined,
  }
}

const EMAIL_REFUSAL_MESSAGES: Record<string, string> = {
  address: 'Ese correo no es una dirección válida. Revísalo: sólo letras sin acento, números y signos usuales.',
  alreadyUsed: 'Esa dirección ya tiene una cuenta aquí. Usa otra.',
  wrongCode: 'Ese código no es, o ya venció. Revisa los seis dígitos del último correo, o pide otro.',
}

const NO_MAIL_MESSAGES = {
  none: 'Este sitio todavía no manda correos, y esto va por correo. Tu contraseña la cambias aquí, con la de ahora; lo demás, pídelo a quien cuida el servidor.',
  waits:
    'El servidor de correo no recibe mensajes ahora: el tuyo sale solo en cuanto los reciba, si todavía sirve. Si no llega, pídelo de nuevo más tarde.',
}

export async function action({ request, context }: Route.ActionArgs) {
  const session = await requireOrganiser(request, context, 'organizadores', { withoutSecondFactor: true })
  const { services } = servicesOf(context)
  const form = await request.formData()
  const fieldText = (name: string) => readField(form, name)
  const intent = fieldText('hacer')
  const success = (message: string) => ({ ok: true as const, message, recoveryCodes: [] as readonly string[] })
  const refuse = (message: string) => data({ ok: false as const, message }, { status: 422 })
  /** Returns success with the message if mail goes out, otherwise the reason why it does not. */
  const promiseMail = async (message: string) => {
    const mailAvailability = await readMailAvailability(services)
    // The status is 200, so that the screen revalidates and shows the field for the code.
    return mailAvailability === 'goes'
      ? success(message)
      : { ok: false as const, message: NO_MAIL_MESSAGES[mailAvailability] }
  }
  const actor = actorOf(context, session)
  if (intent === 'terminar') {
    const sessionId = fieldText('sesion')
    await accountsOf(context).endSession(request, session.userId, sessionId)
    await writeAuditLog(services.db, actor, { que: 'sesion.terminada', cuenta: session.userId })
    return success(sessionId === 'otras' ? 'Listo: sólo queda abierta esta sesión.' : 'Listo: esa sesión terminó.')
  }
  if (intent === 'novedades')
    return (await setDigestFrequency(services, session.userId, fieldText('cuando')))
      ? success('Guardado.')
      : refuse('Elige cuándo quieres las novedades.')
  if (intent === 'clave-nueva') return changeOwnPassword(request, context, session, form)
  await requireReauthentication(request, context, session, form)
  const accounts = accountsOf(context)
  const secondFactorResult = await secondFactorAction(services, {
    intent,
    code: fieldText('codigo'),
    passkeyId: fieldText('llave'),
    userId: session.userId,
    actor,
    addPasskey: () => {
      const name = deviceNameOf(request.headers.get('user-agent'))
      return accounts.addPasskey(request, session.userId, { responseJson: fieldText('respuesta'), name }, actor)
    },
    endOtherSessions: () => accounts.endSession(request, session.userId, 'otras'),
  })
  if (secondFactorResult) return secondFactorResult
  if (intent === 'clave') {
    const mailContext = { sender: mailSenderOf(services), now: services.clock.now() }
    await resendPasswordLink(services.db, session.email, actor, mailContext)
    return promiseMail(`Te mandamos a ${session.email} el enlace para elegir otra contraseña. Sirve una hora.`)
  }
  if (intent === 'correo') {
    const outcome = await requestEmailChange(services, session.userId, fieldText('nuevo'))
    return outcome.ok
      ? promiseMail(`Te mandamos un código a ${fieldText('nuevo')}: escríbelo aquí abajo.`)
      : refuse(EMAIL_REFUSAL_MESSAGES[outcome.reason] ?? 'No se pudo hacer.')
  }
  if (intent === 'codigo') {
    const outcome = await confirmEmailChange(services, session, fieldText('codigo'), actor)
    // The change has ended every session of the account; the organiser signs in with the new address.
    return outcome.ok
      ? redirect('/organizadores')
      : refuse(EMAIL_REFUSAL_MESSAGES[outcome.reason] ?? 'No se pudo hacer.')
  }
  return refuse('Ese botón no se entendió. Recarga la página.')
}

/** Sets another password for an organiser who types the current one, and leads to the login wall; a refusal names its field. */
async function changeOwnPassword(
  request: Request,
  context: Route.ActionArgs['context'],
  session: Session,
  form: FormData,
) {
  const { services, facts } = servicesOf(context)
  const refuse = (field: PasswordFault['field'], message: string) =>
    data({ ok: false as const, message, passwordFault: { field, message } }, { status: 422 })
  const [currentPassword, password, repeatedPassword] = ['actual', 'nueva', 'repetida'].map((name) =>
    String(form.get(name) ?? ''),
  )
  if (password !== repeatedPassword) return refuse('repetida', PASSWORD_REFUSAL_MESSAGES.different)
  const passwordRefusal = findPasswordRefusal(password!, session.email)
  if (passwordRefusal) return refuse('nueva', PASSWORD_REFUSAL_MESSAGES[passwordRefusal])
  const proof = await accountsOf(context).reauthenticate(request, facts.client, session, { password: currentPassword! })
  if (!proof.ok) return refuse('actual', REAUTHENTICATION_MESSAGES[proof.reason])
  const mailContext = { sender: mailSenderOf(services), now: services.clock.now() }
  const outcome = await changePassword(services.db, session.email, password, actorOf(context, session), mailContext)
  // The change has ended every session of the account, this one too.
  return outcome.ok ? redirectDocument('/organizadores?aviso=clave') : refuse('nueva', 'No se pudo hacer.')
}

export { PanelErrorBoundary as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Mi cuenta' }, args)

export default function AccountPage({ loaderData, actionData }: Route.ComponentProps) {
  const { isBusy, preventResubmit } = useSubmitOnce()
  if (!loaderData) return null
  const {
    email,
    digestFrequency,
    pendingEmail,
    sessions,
    secondFactor,
    passkeys,
    isSecondFactorRequired,
    lacksSecondFactor,
    hasMailServer,
  } = loaderData
  const recoveryCodes = actionData?.ok ? actionData.recoveryCodes : []
  const { passwordFault } = (actionData ?? {}) as { passwordFault?: PasswordFault }
  const mustAddSecondFactor = lacksSecondFactor && isSecondFactorRequired
  const passwordChange = <PasswordChange email={email} hasMailServer={hasMailServer} fault={passwordFault} />
  return (
    <>
      <ScreenHeading title="Mi cuenta" />
      {actionData && !passwordFault && <OutcomeNotice outcome={actionData} />}
      {recoveryCodes.length > 0 && <RecoveryCodes codes={recoveryCodes} email={email} />}
      <div className={styles.columns}>
        {!mustAddSecondFactor && passwordChange}
        <section className={styles.part} aria-labelledby="segundo-paso">
          <h2 id="segundo-paso">Segundo paso</h2>
          <p>
            {mustAddSecondFactor
              ? 'Este sitio lo exige: el resto del panel se abre en cuanto lo pongas. '
              : lacksSecondFactor && 'Te lo recomendamos mucho. '}
            Con él, quien sepa tu contraseña no puede entrar: hace falta también algo que sólo tú tienes.
          </p>
          <Passkeys passkeys={passkeys} />
          <AuthenticatorApp
            secondFactor={secondFactor}
            isRequired={isSecondFactorRequired}
            hasPasskeys={passkeys.length > 0}
          />
        </section>
        <section className={styles.part} aria-labelledby="sesiones">
          <h2 id="sesiones">Sesiones abiertas</h2>
          <p>Si no reconoces una, termínala y cambia tu contraseña.</p>
          <ul className={styles.sessions}>
            {sessions.map(({ id, deviceName, at, isCurrent }) => (
              <li key={id}>
                <p>
                  <b>{deviceName ?? 'Un equipo'}</b>
                  <span>
                    {isCurrent ? 'Ésta' : 'Otra'}, desde el {formatDateTime(at)}
                  </span>
                </p>
                {!isCurrent && (
                  <Form method="post" onSubmit={preventResubmit}>
                    <input type="hidden" name="sesion" value={id} />
                    <Button type="submit" look="quiet" name="hacer" value="terminar" isBusy={isBusy}>
                      Terminar
                    </Button>
                  </Form>
                )}
              </li>
            ))}
          </ul>
          {sessions.length > 1 && (
            <Form method="post" onSubmit={preventResubmit}>
              <input type="hidden" name="sesion" value="otras" />
              <Button type="submit" look="outline" name="hacer" value="terminar" isBusy={isBusy}>
                Terminar todas las demás
              </Button>
            </Form>
          )}
        </section>
        {digestFrequency && <DigestChoice frequency={digestFrequency} email={email} />}
        {mustAddSecondFactor && passwordChange}
        <section className={styles.part} aria-labelledby="correo">
          <h2 id="correo">Correo</h2>
          <p>
            Entras con <b>{email}</b>, y ahí te llegan los avisos. Al cambiarlo terminan todas tus sesiones.
          </p>
          <Form method="post" className={styles.form} onSubmit={preventResubmit}>
            <TextField id="nuevo" name="nuevo" type="email" label="Correo nuevo" autoComplete="off" required />
            <Button type="submit" look="outline" name="hacer" value="correo" isBusy={isBusy}>
              Mandarle un código
            </Button>
          </Form>
          {pendingEmail && (
            <Form method="post" className={styles.form} onSubmit={preventResubmit}>
              <TextField
                id="codigo"
                name="codigo"
                label={`Código que llegó a ${pendingEmail}`}
                hint={`Seis dígitos; vence a los ${EMAIL_CHANGE_MINUTES} minutos.`}
                inputMode="numeric"
                autoComplete="one-time-code"
                maxLength={12}
                required
              />
              <Button type="submit" look="main" name="hacer" value="codigo" isBusy={isBusy}>
                Cambiar mi correo
              </Button>
            </Form>
          )}
        </section>
      </div>
    </>
  )
}
