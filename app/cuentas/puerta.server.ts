import { data, type RouterContextProvider, redirect } from 'react-router'
import { servicesOf } from '#app/platform/services.server.ts'
import { readTrabajo } from '#app/platform/trabajo.ts'
import { cuentasOf, getSession } from './guards.server.ts'
import type { PuertaCerrada } from './puerta.tsx'
import { RECHAZO_DE_ORGANIZACION, rechazoDe } from './rechazo.ts'
import { may, type Recurso } from './rules.ts'
import type { Sesion } from './sesiones.server.ts'

type Context = Readonly<RouterContextProvider>
type RecursoDeOrganizacion = Extract<Recurso, 'organizadores' | 'resultados'>

/**
 * First line of the loader of an organisers' screen: a visitor who may not see the screen sees the door instead
 * (<Puerta>).
 * @source §2.15
 */
export async function abrirPuerta(
  request: Request,
  context: Context,
  recurso: RecursoDeOrganizacion,
): Promise<{ abierta: true; sesion: Sesion } | { abierta: false; puerta: PuertaCerrada }> {
  const sesion = await getSession(request, context)
  if (sesion && may(sesion.rol, recurso)) return { abierta: true, sesion }
  return {
    abierta: false,
    puerta: sesion ? { estado: 'sin-permiso', correo: sesion.correo } : { estado: 'sin-sesion' },
  }
}

/** First line of an organisers' action. @throws a redirect to the door, for a session that ended meanwhile */
export async function requireOrganizacion(request: Request, context: Context): Promise<Sesion> {
  const entrada = await abrirPuerta(request, context, 'organizadores')
  if (entrada.abierta) return entrada.sesion
  throw redirect('/organizadores')
}

/**
 * Does what the door's own buttons ask for: `hacer=entrar` and `hacer=salir`.
 * @returns undefined when the form asks for something else; the request can still be read
 */
export async function accionDePuerta(request: Request, context: Context) {
  const { services, facts } = servicesOf(context)
  const cuentas = cuentasOf(context)
  const form = await request.clone().formData()
  const hacer = form.get('hacer')
  if (hacer === 'salir') return redirect('/', { headers: await cuentas.signOut(request, facts.client) })
  if (hacer !== 'entrar') return undefined
  const acceso = await cuentas
    .signInPassword(request, facts.client, form.get('correo'), form.get('clave'), readTrabajo(form))
    .catch((error: unknown) => {
      services.log.error({ id: facts.id, err: error }, 'sign-in failed')
      return undefined
    })
  if (!acceso) return data(rechazoDe(form, RECHAZO_DE_ORGANIZACION), 503)
  if (acceso.ok) return redirect(new URL(request.url).pathname.replace(/\.data$/, ''), { headers: acceso.headers })
  const retry = acceso.retrySeconds === undefined ? undefined : { 'retry-after': String(acceso.retrySeconds) }
  return data(rechazoDe(form, RECHAZO_DE_ORGANIZACION, acceso), {
    status: acceso.reason === 'credenciales' ? 401 : 429,
    ...(retry && { headers: retry }),
  })
}
