import { data, Form, redirect } from 'react-router'
import { accountsOf, actorOf } from '#app/accounts/guards.server.ts'
import { confirmEmailChange, findEmailChange, requestEmailChange } from '#app/accounts/people/email-change.server.ts'
import { resendEnlace } from '#app/accounts/people/mutations.server.ts'
import { EMAIL_CHANGE_MINUTES, may } from '#app/accounts/rules.ts'
import { listPasskeys } from '#app/accounts/second-factor/passkeys.server.ts'
import { readSegundo } from '#app/accounts/second-factor/totp.server.ts'
import { deviceNameOf } from '#app/accounts/sessions/device-name.ts'
import { checkLoginWall, requireOrganiser, requireReauthentication } from '#app/accounts/sign-in/login-wall.server.ts'
import { writeAuditLog } from '#app/audit/mutations.server.ts'
import { loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import { pageMeta } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { formatDateTime } from '#app/core/time/mexico-dates.ts'
import { mailSenderOf } from '#app/mail/mutations.server.ts'
import { readDigestFrequency, setDigestFrequency } from '#app/panel/digest/digest.server.ts'
import { Heading } from '#app/panel/heading.tsx'
import { Aviso } from '#app/panel/notice.tsx'
import { readField } from '#app/panel/rules.ts'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { TextField } from '#app/ui/forms/field.tsx'
import { Button } from '#app/ui/primitives/button.tsx'
import type { Route } from './+types/account.page'
import styles from './account.module.css'
import { DigestChoice } from './digest-choice.tsx'
import { Passkeys } from './passkeys.tsx'
import { AuthenticatorApp, RecoveryCodes } from './second-factor.tsx'
import { secondFactorAction } from './second-factor-actions.server.ts'

export async function loader({ request, context }: Route.LoaderArgs) {
  const entrance = await checkLoginWall(request, context, 'organizadores', { sinSegundo: true })
  // The frame shows the login wall instead of this screen.
  if (!entrance.abierta) return null
  const { sesion } = entrance
  const { services } = servicesOf(context)
  const accounts = accountsOf(context)
  const { nombre } = await loadEditionCard()
  const [sessions, newOne, segundo, passkeys] = await Promise.all([
    accounts.listSesiones(request, sesion.userId),
    findEmailChange(services, sesion.userId),
    readSegundo(services, sesion, nombre),
    listPasskeys(services.db, sesion.userId),
  ])
  const when = may(sesion.rol, 'inscripciones') ? await readDigestFrequency(services.db, sesion.userId) : undefined
  const isRequired = accounts.exigeSegundo
  return {
    correo: sesion.correo,
    cuando: when,
    nuevo: newOne,
    sesiones: sessions,
    segundo,
    llaves: passkeys,
    seExige: isRequired,
    sinSegundo: sesion.segundo !== 'puesto',
  }
}

const REASONS: Record<string, string> = {
  correo: 'Ese correo no es una dirección válida. Revísalo: sólo letras sin acento, números y signos usuales.',
  repetida: 'Esa dirección ya tiene una cuenta aquí. Usa otra.',
  codigo: 'Ese código no es, o ya venció. Revisa los seis dígitos del último correo, o pide otro.',
}

export async function action({ request, context }: Route.ActionArgs) {
  const session = await requireOrganiser(request, context, 'organizadores', { sinSegundo: true })
  const { services } = servicesOf(context)
  const form = await request.formData()
  const text = (name: string) => readField(form, name)
  const intent = text('hacer')
  const done = (message: string) => ({ ok: true as const, mensaje: message, respaldos: [] as readonly string[] })
  const refuse = (message: string) => data({ ok: false as const, mensaje: message }, { status: 422 })
  const actor = actorOf(context, session)
  if (intent === 'terminar') {
    const which = text('sesion')
    await accountsOf(context).endSesion(request, session.userId, which)
    await writeAuditLog(services.db, actor, { que: 'sesion.terminada', cuenta: session.userId })
    return done(which === 'otras' ? 'Listo: sólo queda abierta esta sesión.' : 'Listo: esa sesión terminó.')
  }
  if (intent === 'novedades')
    return (await setDigestFrequency(services, session.userId, text('cuando')))
      ? done('Guardado.')
      : refuse('Elige cuándo quieres las novedades.')
  await requireReauthentication(request, context, session, form)
  const accounts = accountsOf(context)
  const segundo = await secondFactorAction(services, {
    ...{ hacer: intent, codigo: text('codigo'), llave: text('llave'), userId: session.userId, autor: actor },
    addLlave: () => {
      const name = deviceNameOf(request.headers.get('user-agent'))
      return accounts.addLlave(request, session.userId, { text: text('respuesta'), nombre: name }, actor)
    },
    endOthers: () => accounts.endSesion(request, session.userId, 'otras'),
  })
  if (segundo) return segundo
  if (intent === 'clave') {
    const aviso = { remite: mailSenderOf(services), now: services.clock.now() }
    await resendEnlace(services.db, session.correo, actor, aviso)
    return done(`Te mandamos a ${session.correo} el enlace para elegir otra contraseña. Sirve una hora.`)
  }
  if (intent === 'correo') {
    const outcome = await requestEmailChange(services, session.userId, text('nuevo'))
    return outcome.ok
      ? done(`Te mandamos un código a ${text('nuevo')}: escríbelo aquí abajo.`)
      : refuse(REASONS[outcome.reason] ?? 'No se pudo hacer.')
  }
  if (intent === 'codigo') {
    const outcome = await confirmEmailChange(services, session, text('codigo'), actor)
    // The change ended every session of the account; the organiser signs in with the new address.
    return outcome.ok ? redirect('/organizadores') : refuse(REASONS[outcome.reason] ?? 'No se pudo hacer.')
  }
  return refuse('Ese botón no se entendió. Recarga la página.')
}

export { Falla as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => pageMeta({ pantalla: 'Mi cuenta' }, args)

/** An organiser's own account: second factor, sessions, digest, password and address. */
export default function Cuenta({ loaderData, actionData }: Route.ComponentProps) {
  const { busy, once } = useSubmitOnce()
  if (!loaderData) return null
  const { correo, cuando, nuevo, sesiones, segundo, llaves, seExige, sinSegundo } = loaderData
  const recoveryCodes = actionData?.ok ? actionData.respaldos : []
  return (
    <>
      <Heading titulo="Mi cuenta" />
      {actionData && <Aviso hecho={actionData} />}
      {recoveryCodes.length > 0 && <RecoveryCodes codigos={recoveryCodes} correo={correo} />}
      <section className={styles.parte} aria-labelledby="segundo-paso">
        <h2 id="segundo-paso">Segundo paso</h2>
        <p>
          {sinSegundo && seExige
            ? 'Este sitio lo exige: el resto del panel se abre en cuanto lo pongas. '
            : sinSegundo && 'Te lo recomendamos mucho. '}
          Con él, quien sepa tu contraseña no puede entrar: hace falta también algo que sólo tú tienes.
        </p>
        <Passkeys llaves={llaves} />
        <AuthenticatorApp segundo={segundo} seExige={seExige} tieneLlaves={llaves.length > 0} />
      </section>
      <section className={styles.parte} aria-labelledby="sesiones">
        <h2 id="sesiones">Sesiones abiertas</h2>
        <p>Si no reconoces una, termínala y cambia tu contraseña.</p>
        <ul className={styles.sesiones}>
          {sesiones.map(({ id, equipo, at, esEsta }) => (
            <li key={id}>
              <p>
                <b>{equipo ?? 'Un equipo'}</b>
                <span>
                  {esEsta ? 'Ésta' : 'Otra'}, desde el {formatDateTime(at)}
                </span>
              </p>
              {!esEsta && (
                <Form method="post" onSubmit={once}>
                  <input type="hidden" name="sesion" value={id} />
                  <Button type="submit" look="quiet" name="hacer" value="terminar" busy={busy}>
                    Terminar
                  </Button>
                </Form>
              )}
            </li>
          ))}
        </ul>
        {sesiones.length > 1 && (
          <Form method="post" onSubmit={once}>
            <input type="hidden" name="sesion" value="otras" />
            <Button type="submit" look="outline" name="hacer" value="terminar" busy={busy}>
              Terminar todas las demás
            </Button>
          </Form>
        )}
      </section>
      {cuando && <DigestChoice cuando={cuando} correo={correo} />}
      <section className={styles.parte} aria-labelledby="contrasena">
        <h2 id="contrasena">Contraseña</h2>
        <p>El enlace para elegir otra llega a {correo}. Al cambiarla terminan todas tus sesiones.</p>
        <Form method="post" onSubmit={once}>
          <Button type="submit" look="outline" name="hacer" value="clave" busy={busy}>
            Cambiar mi contraseña
          </Button>
        </Form>
      </section>
      <section className={styles.parte} aria-labelledby="correo">
        <h2 id="correo">Correo</h2>
        <p>
          Entras con <b>{correo}</b>, y ahí te llegan los avisos. Al cambiarlo terminan todas tus sesiones.
        </p>
        <Form method="post" className={styles.forma} onSubmit={once}>
          <TextField id="nuevo" name="nuevo" type="email" label="Correo nuevo" autoComplete="off" required />
          <Button type="submit" look="outline" name="hacer" value="correo" busy={busy}>
            Mandarle un código
          </Button>
        </Form>
        {nuevo && (
          <Form method="post" className={styles.forma} onSubmit={once}>
            <TextField
              id="codigo"
              name="codigo"
              label={`Código que llegó a ${nuevo}`}
              hint={`Seis dígitos; vence a los ${EMAIL_CHANGE_MINUTES} minutos.`}
              inputMode="numeric"
              autoComplete="one-time-code"
              maxLength={12}
              required
            />
            <Button type="submit" look="main" name="hacer" value="codigo" busy={busy}>
              Cambiar mi correo
            </Button>
          </Form>
        )}
      </section>
    </>
  )
}
