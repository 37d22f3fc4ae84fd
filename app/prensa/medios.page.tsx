import { useState } from 'react'
import { data, redirect } from 'react-router'
import { cabeza } from '#app/contenido/cabeza.ts'
import { loadEdicion } from '#app/contenido/contenido.server.ts'
import { Acceso } from '#app/cuentas/acceso.tsx'
import { cuentasOf, getSession } from '#app/cuentas/guards.server.ts'
import { may } from '#app/cuentas/rules.ts'
import { useSesionAbierta } from '#app/cuentas/sesion-abierta.ts'
import { servicesOf } from '#app/platform/services.server.ts'
import { Franja } from '#app/ui/franja.tsx'
import type { Route } from './+types/medios.page'
import styles from './medios.module.css'
import { Bienvenida, SesionAbierta } from './sala.tsx'

export const handle = { prefetch: false, sesion: true }

/** Whatever the cause, so that nobody learns which accounts there are. @source specification §8 */
const RECHAZO = 'Error al iniciar sesión. Verifica tus credenciales.'

const AVISOS: Record<string, string> = {
  acceso: 'Ese material es para los medios acreditados: entra con tu cuenta para verlo.',
  clave: 'Tu contraseña quedó guardada. Entra con ella.',
  'sin-permiso': 'Tu cuenta no es de prensa. Si tu medio está acreditado, entra con la cuenta que te dio el comité.',
}

export async function loader({ request, context }: Route.LoaderArgs) {
  const { salaDePrensa } = await loadEdicion()
  const sesion = await getSession(request, context)
  return {
    ...salaDePrensa,
    aviso: AVISOS[new URL(request.url).searchParams.get('aviso') ?? ''],
    // The screen keeps nothing (§4): whoever is still signed in may go on, or leave.
    correo: sesion?.correo,
    esPrensa: may(sesion?.rol, 'prensa'),
  }
}

export async function action({ request, context }: Route.ActionArgs) {
  const { facts } = servicesOf(context)
  const cuentas = cuentasOf(context)
  const form = await request.formData()
  if (form.get('hacer') === 'salir')
    return redirect('/medios', { headers: await cuentas.signOut(request, facts.client) })
  const correo = form.get('correo')
  const result = await cuentas.signInPassword(request, facts.client, correo, form.get('clave'))
  if (result.ok) return data({ ok: true as const }, { headers: result.headers })
  const retry = result.retrySeconds === undefined ? undefined : { 'retry-after': String(result.retrySeconds) }
  return data(
    { ok: false as const, mensaje: RECHAZO, correo: typeof correo === 'string' ? correo : '' },
    { status: result.reason === 'credenciales' ? 401 : 429, ...(retry && { headers: retry }) },
  )
}

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders

export const meta: Route.MetaFunction = (args) =>
  cabeza({ pantalla: 'Prensa', descripcion: args.loaderData?.bienvenida[0] }, args)

/** The press room's door (§2.12): what is behind it shows for as long as the page stays open. */
export default function Medios({ loaderData, actionData }: Route.ComponentProps) {
  const { banner, bienvenida, gracias, aviso, correo, esPrensa } = loaderData
  const [goesOn, setGoesOn] = useState(false)
  const inside = actionData?.ok || (goesOn && esPrensa)
  useSesionAbierta(correo !== undefined || actionData?.ok === true)
  return (
    <>
      <Franja imagen={banner} titulo="PRENSA" />
      {inside ? (
        <Bienvenida gracias={gracias} />
      ) : (
        <div className={styles.sala}>
          <div>
            {aviso && <p className={styles.aviso}>{aviso}</p>}
            <p className={styles.saludo}>{bienvenida[0]}</p>
            <p>{bienvenida[1]}</p>
            {correo && <SesionAbierta correo={correo} onSeguir={esPrensa ? () => setGoesOn(true) : undefined} />}
          </div>
          <Acceso
            titulo="acceso"
            boton="Entrar"
            className={styles.acceso}
            rechazo={actionData?.ok === false ? actionData : undefined}
          >
            <h2 id="acceso">Iniciar Sesión</h2>
          </Acceso>
        </div>
      )}
    </>
  )
}
