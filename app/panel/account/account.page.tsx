import { data, Form, redirect } from 'react-router'
import { autorDe, cuentasOf } from '#app/accounts/guards.server.ts'
import { askCambio, confirmCambio, findCambio } from '#app/accounts/people/email-change.server.ts'
import { resendEnlace } from '#app/accounts/people/mutations.server.ts'
import { CAMBIO_MINUTES, may } from '#app/accounts/rules.ts'
import { listLlaves } from '#app/accounts/second-factor/passkeys.server.ts'
import { readSegundo } from '#app/accounts/second-factor/totp.server.ts'
import { nombreDeEquipo } from '#app/accounts/sessions/device-name.ts'
import { abrirPuerta, requireConfirmacion, requireOrganizacion } from '#app/accounts/sign-in/login-wall.server.ts'
import { anotar } from '#app/audit/mutations.server.ts'
import { loadFicha } from '#app/cms/editions/displayed-edition.server.ts'
import { cabeza } from '#app/cms/page-meta.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { enFecha } from '#app/core/time/mexico-dates.ts'
import { remiteDe } from '#app/mail/mutations.server.ts'
import { readCuando, setCuando } from '#app/panel/digest/digest.server.ts'
import { Encabezado } from '#app/panel/heading.tsx'
import { Aviso } from '#app/panel/notice.tsx'
import { campoDe } from '#app/panel/rules.ts'
import { useUnaVez } from '#app/panel/use-submit-once.ts'
import { TextField } from '#app/ui/forms/field.tsx'
import { Button } from '#app/ui/primitives/button.tsx'
import type { Route } from './+types/account.page'
import styles from './account.module.css'
import { ElegirNovedades } from './digest-choice.tsx'
import { LlavesDeAcceso } from './passkeys.tsx'
import { AplicacionDeCodigos, Respaldos } from './second-factor.tsx'
import { accionDeSegundo } from './second-factor-actions.server.ts'

export async function loader({ request, context }: Route.LoaderArgs) {
  const entrada = await abrirPuerta(request, context, 'organizadores', { sinSegundo: true })
  // The frame shows the door instead of this screen.
  if (!entrada.abierta) return null
  const { sesion } = entrada
  const { services } = servicesOf(context)
  const cuentas = cuentasOf(context)
  const { nombre } = await loadFicha()
  const [sesiones, nuevo, segundo, llaves] = await Promise.all([
    cuentas.listSesiones(request, sesion.userId),
    findCambio(services, sesion.userId),
    readSegundo(services, sesion, nombre),
    listLlaves(services.db, sesion.userId),
  ])
  const cuando = may(sesion.rol, 'inscripciones') ? await readCuando(services.db, sesion.userId) : undefined
  const seExige = cuentas.exigeSegundo
  return {
    correo: sesion.correo,
    cuando,
    nuevo,
    sesiones,
    segundo,
    llaves,
    seExige,
    sinSegundo: sesion.segundo !== 'puesto',
  }
}

const MOTIVOS: Record<string, string> = {
  correo: 'Ese correo no es una dirección válida. Revísalo: sólo letras sin acento, números y signos usuales.',
  repetida: 'Esa dirección ya tiene una cuenta aquí. Usa otra.',
  codigo: 'Ese código no es, o ya venció. Revisa los seis dígitos del último correo, o pide otro.',
}

export async function action({ request, context }: Route.ActionArgs) {
  const sesion = await requireOrganizacion(request, context, 'organizadores', { sinSegundo: true })
  const { services } = servicesOf(context)
  const form = await request.formData()
  const text = (name: string) => campoDe(form, name)
  const hacer = text('hacer')
  const done = (mensaje: string) => ({ ok: true as const, mensaje, respaldos: [] as readonly string[] })
  const refuse = (mensaje: string) => data({ ok: false as const, mensaje }, { status: 422 })
  const autor = autorDe(context, sesion)
  if (hacer === 'terminar') {
    const which = text('sesion')
    await cuentasOf(context).endSesion(request, sesion.userId, which)
    await anotar(services.db, autor, { que: 'sesion.terminada', cuenta: sesion.userId })
    return done(which === 'otras' ? 'Listo: sólo queda abierta esta sesión.' : 'Listo: esa sesión terminó.')
  }
  if (hacer === 'novedades')
    return (await setCuando(services, sesion.userId, text('cuando')))
      ? done('Guardado.')
      : refuse('Elige cuándo quieres las novedades.')
  await requireConfirmacion(request, context, sesion, form)
  const cuentas = cuentasOf(context)
  const segundo = await accionDeSegundo(services, {
    ...{ hacer, codigo: text('codigo'), llave: text('llave'), userId: sesion.userId, autor },
    addLlave: () => {
      const nombre = nombreDeEquipo(request.headers.get('user-agent'))
      return cuentas.addLlave(request, sesion.userId, { text: text('respuesta'), nombre }, autor)
    },
    endOthers: () => cuentas.endSesion(request, sesion.userId, 'otras'),
  })
  if (segundo) return segundo
  if (hacer === 'clave') {
    const aviso = { remite: remiteDe(services), now: services.clock.now() }
    await resendEnlace(services.db, sesion.correo, autor, aviso)
    return done(`Te mandamos a ${sesion.correo} el enlace para elegir otra contraseña. Sirve una hora.`)
  }
  if (hacer === 'correo') {
    const hecho = await askCambio(services, sesion.userId, text('nuevo'))
    return hecho.ok
      ? done(`Te mandamos un código a ${text('nuevo')}: escríbelo aquí abajo.`)
      : refuse(MOTIVOS[hecho.reason] ?? 'No se pudo hacer.')
  }
  if (hacer === 'codigo') {
    const hecho = await confirmCambio(services, sesion, text('codigo'), autor)
    // Every session of the account has ended: one enters with the new address.
    return hecho.ok ? redirect('/organizadores') : refuse(MOTIVOS[hecho.reason] ?? 'No se pudo hacer.')
  }
  return refuse('Ese botón no se entendió. Recarga la página.')
}

export { Falla as ErrorBoundary } from '#app/accounts/reauthentication/error-boundary.tsx'

export const meta: Route.MetaFunction = (args) => cabeza({ pantalla: 'Mi cuenta' }, args)

/** An organiser's own account: where it is open, its password, its address. */
export default function Cuenta({ loaderData, actionData }: Route.ComponentProps) {
  const { busy, once } = useUnaVez()
  if (!loaderData) return null
  const { correo, cuando, nuevo, sesiones, segundo, llaves, seExige, sinSegundo } = loaderData
  const respaldos = actionData?.ok ? actionData.respaldos : []
  return (
    <>
      <Encabezado titulo="Mi cuenta" />
      {actionData && <Aviso hecho={actionData} />}
      {respaldos.length > 0 && <Respaldos codigos={respaldos} correo={correo} />}
      <section className={styles.parte} aria-labelledby="segundo-paso">
        <h2 id="segundo-paso">Segundo paso</h2>
        <p>
          {sinSegundo && seExige
            ? 'Este sitio lo exige: el resto del panel se abre en cuanto lo pongas. '
            : sinSegundo && 'Te lo recomendamos mucho. '}
          Con él, quien sepa tu contraseña no puede entrar: hace falta también algo que sólo tú tienes.
        </p>
        <LlavesDeAcceso llaves={llaves} />
        <AplicacionDeCodigos segundo={segundo} seExige={seExige} tieneLlaves={llaves.length > 0} />
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
                  {esEsta ? 'Ésta' : 'Otra'}, desde el {enFecha(at)}
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
      {cuando && <ElegirNovedades cuando={cuando} correo={correo} />}
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
              hint={`Seis dígitos; vence a los ${CAMBIO_MINUTES} minutos.`}
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
