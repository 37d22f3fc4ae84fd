import { data, type RouterContextProvider, redirect } from 'react-router'
import { cuentasOf, getSession, mustHaveSegundo } from '#app/accounts/guards.server.ts'
import { may, type Recurso, within } from '#app/accounts/rules.ts'
import { CAMPO_DE_CONFIRMACION, CAMPO_DE_LLAVE, type PorConfirmar } from '#app/accounts/schema.ts'
import { formasDeSegundo } from '#app/accounts/second-factor/totp.server.ts'
import type { Sesion } from '#app/accounts/sessions/store.server.ts'
import { readTrabajo } from '#app/core/http/proof-of-work.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import type { PorEntrar, PuertaCerrada } from './login-wall.tsx'
import { RECHAZO_DE_ORGANIZACION, rechazoDe } from './refusal.ts'

type Context = Readonly<RouterContextProvider>
/** What only organisers open. */
export type RecursoDeOrganizacion = Exclude<Recurso, 'prensa' | 'archivos' | 'jurado'>

/** What is shut to whoever signed in too long ago. @source §6, §9 */
const DE_RESULTADOS: readonly Recurso[] = ['resultados', 'votos']

const SIN_ENCARGO =
  'Tu cuenta no abre esta parte del panel. Si la necesitas, pídesela a quien lleva «Personas» en la organización.'

const DEMASIADO =
  'Este envío es más largo que cualquier formulario del panel. Regresa, acórtalo e inicia sesión de nuevo.'

const inWords = (text: string, status: number) =>
  new Response(text, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'private, no-store' },
  })

/**
 * First line of the loader of an organisers' screen: a visitor who may not see the screen sees the door instead
 * (<Puerta>).
 * @param recurso what of the panel the screen is
 * @param sinSegundo it opens also where SECOND_FACTOR asks for a second step that its organiser has not
 * @throws 403, in words, for an organiser whose part is another
 * @source §2.15
 */
export async function abrirPuerta(
  request: Request,
  context: Context,
  recurso: RecursoDeOrganizacion,
  { sinSegundo = false }: { sinSegundo?: boolean } = {},
): Promise<{ abierta: true; sesion: Sesion } | { abierta: false; puerta: PuertaCerrada }> {
  const sesion = await getSession(request, context)
  const cuentas = cuentasOf(context)
  if (sesion && may(sesion.rol, recurso)) {
    if (DE_RESULTADOS.includes(recurso) && sesion.resultadosMs <= 0)
      return { abierta: false, puerta: { estado: 'sin-sesion', vencida: true } }
    if (!sinSegundo && mustHaveSegundo(cuentas, sesion)) return { abierta: false, puerta: { estado: 'sin-segundo' } }
    return { abierta: true, sesion }
  }
  if (sesion && may(sesion.rol, 'organizadores') && !DE_RESULTADOS.includes(recurso)) throw inWords(SIN_ENCARGO, 403)
  if (sesion) return { abierta: false, puerta: { estado: 'sin-permiso', correo: sesion.correo } }
  const formas = await cuentas.formasDeSegundo(request)
  return { abierta: false, puerta: formas ? { estado: 'segundo', ...formas } : { estado: 'sin-sesion' } }
}

/**
 * First line of an organisers' action. For a session that has ended, the form is not carried out: <Confirmar> shows the
 * door with all that was sent, and sends it again.
 * @throws what <Confirmar> shows; a redirect to the door, for who is no organiser; 403, in words, for an organiser whose part
 * is another
 */
export async function requireOrganizacion(
  request: Request,
  context: Context,
  recurso: RecursoDeOrganizacion,
  options?: { sinSegundo?: boolean },
): Promise<Sesion> {
  const entrada = await abrirPuerta(request, context, recurso, options)
  if (entrada.abierta) {
    await cuentasOf(context).useSesion(request)
    return entrada.sesion
  }
  if (['sin-permiso', 'sin-segundo'].includes(entrada.puerta.estado)) throw redirect('/organizadores')
  const campos = camposDe(await request.clone().formData())
  throw data({ porEntrar: true, campos, puerta: entrada.puerta } satisfies PorEntrar, { status: 401 })
}

/** More than any form of the panel sends; the longest names 500 entries. */
const MAX_DRAWN = { fields: 600, characters: 64_000 }

/**
 * Everything that was sent, but passwords and files, to be drawn back.
 * @throws 413, in words, for more than any form of the panel sends: to draw it takes many times what it took to send
 */
function camposDe(form: FormData): [string, string][] {
  const campos = [...form.entries()].flatMap(([name, value]): [string, string][] =>
    [CAMPO_DE_CONFIRMACION, CAMPO_DE_LLAVE].includes(name) || typeof value !== 'string' ? [] : [[name, value]],
  )
  const characters = campos.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  if (campos.length > MAX_DRAWN.fields || characters > MAX_DRAWN.characters) throw inWords(DEMASIADO, 413)
  return campos
}

const pathOf = (request: Request) => new URL(request.url).pathname.replace(/\.data$/, '')

/** What the second step says of what was tried. */
const SEGUNDO = {
  codigo: 'Ese código no es, o ya se usó. Espera a que tu aplicación muestre el siguiente y escríbelo.',
  respaldo: 'Ese código de respaldo no es, o ya se usó. Revisa tu lista y escribe otro.',
  llave: 'Esa llave de acceso no abre esta cuenta, o tardó demasiado. Inténtalo de nuevo, o entra de otra forma.',
  vencida: 'Pasó mucho tiempo, o fueron muchos intentos. Escribe de nuevo tu correo y tu contraseña.',
  espera: 'Fueron muchos intentos seguidos.',
} as const

/** The second step, tried from the door. */
async function pasarSegundo(request: Request, context: Context, form: FormData, via: 'codigo' | 'respaldo' | 'llave') {
  const { facts } = servicesOf(context)
  const cuentas = cuentasOf(context)
  const given = form.get(via === 'llave' ? 'llave' : 'codigo')
  const acceso = await cuentas.passSegundo(request, facts.client, {
    via,
    texto: typeof given === 'string' ? given : '',
  })
  if (acceso.ok) return redirect(pathOf(request), { headers: acceso.headers })
  if (acceso.reason === 'vencida')
    return data(rechazoDe(form, SEGUNDO.vencida), { status: 401, headers: await cuentas.leaveSegundo(request) })
  const retry = acceso.retrySeconds === undefined ? undefined : { 'retry-after': String(acceso.retrySeconds) }
  return data(rechazoDe(form, acceso.reason === 'espera' ? SEGUNDO.espera : SEGUNDO[via], acceso), {
    status: acceso.reason === 'credenciales' ? 401 : 429,
    ...(retry && { headers: retry }),
  })
}

/**
 * Does what the door's own buttons ask for: `hacer=entrar`, `hacer=salir`, and those of the second step.
 * @returns undefined when the form asks for something else; the request can still be read
 */
export async function accionDePuerta(request: Request, context: Context) {
  const { services, facts } = servicesOf(context)
  const cuentas = cuentasOf(context)
  const form = await request.clone().formData()
  const hacer = form.get('hacer')
  if (hacer === 'salir') return redirect('/', { headers: await cuentas.signOut(request, facts.client) })
  if (hacer === 'segundo') return pasarSegundo(request, context, form, 'codigo')
  if (hacer === 'respaldo') return pasarSegundo(request, context, form, 'respaldo')
  if (hacer === 'segundo-llave') return pasarSegundo(request, context, form, 'llave')
  if (hacer === 'llave') {
    const llave = form.get('llave')
    const acceso = await cuentas.signInLlave(request, facts.client, typeof llave === 'string' ? llave : '')
    if (acceso.ok) return redirect(pathOf(request), { headers: acceso.headers })
    return data(rechazoDe(form, SEGUNDO.llave, acceso), { status: acceso.reason === 'credenciales' ? 401 : 429 })
  }
  if (hacer === 'otra-cuenta') return redirect(pathOf(request), { headers: await cuentas.leaveSegundo(request) })
  if (hacer === 'aplazar') {
    await cuentas.postponeSegundo(request)
    return redirect(within(form.get('volver'), '/organizadores'))
  }
  if (hacer !== 'entrar') return undefined
  const acceso = await cuentas
    .signInPassword(request, facts.client, form.get('correo'), form.get('clave'), readTrabajo(form))
    .catch((error: unknown) => {
      services.log.error({ id: facts.id, err: error }, 'sign-in failed')
      return undefined
    })
  if (!acceso) return data(rechazoDe(form, RECHAZO_DE_ORGANIZACION), 503)
  if (acceso.ok || acceso.reason === 'segundo') return redirect(pathOf(request), { headers: acceso.headers })
  const retry = acceso.retrySeconds === undefined ? undefined : { 'retry-after': String(acceso.retrySeconds) }
  return data(rechazoDe(form, RECHAZO_DE_ORGANIZACION, acceso), {
    status: acceso.reason === 'credenciales' ? 401 : 429,
    ...(retry && { headers: retry }),
  })
}

/** What was wrong with a password that was said again. */
const MENSAJES = {
  credenciales: 'Esa no es tu contraseña. Escríbela de nuevo.',
  llave: 'Esa llave de acceso no es de esta cuenta, o tardó demasiado. Inténtalo de nuevo, o escribe tu contraseña.',
  saturado: 'Está entrando mucha gente a la vez. Inténtalo de nuevo en un momento.',
  espera: 'Fueron muchos intentos seguidos: espera un momento antes del siguiente.',
} as const

/**
 * Stands before what must not be done by whoever finds a session open: where the password was said more than ten minutes
 * ago, the form is not carried out; <Confirmar> shows itself, asks for the password, and sends the same form again.
 * @param form everything that was sent; nothing of it is lost
 * @throws what <Confirmar> shows
 */
export async function requireConfirmacion(
  request: Request,
  context: Context,
  sesion: Sesion,
  form: FormData,
): Promise<void> {
  if (sesion.esReciente) return
  const [clave, llave] = [form.get(CAMPO_DE_CONFIRMACION), form.get(CAMPO_DE_LLAVE)]
  const campos = camposDe(form)
  const { services, facts } = servicesOf(context)
  const conLlave = (await formasDeSegundo(services.db, sesion.userId))?.conLlave ?? false
  const ask = (mensaje?: string) =>
    data({ porConfirmar: true, campos, conLlave, ...(mensaje && { mensaje }) } satisfies PorConfirmar, { status: 401 })
  const dicho =
    typeof llave === 'string' && llave !== '' ? { llave } : typeof clave === 'string' ? { clave } : undefined
  if (!dicho) throw ask()
  const confirmado = await cuentasOf(context).confirm(request, facts.client, sesion, dicho)
  if (!confirmado.ok) throw ask(MENSAJES[confirmado.reason])
}

/**
 * The same before a file that somebody takes along by a link.
 * @throws a redirect to the question, which leads on to the file
 */
export function requireConfirmacionDeArchivo(request: Request, sesion: Sesion): void {
  if (sesion.esReciente) return
  const { pathname, search } = new URL(request.url)
  throw redirect(`/organizadores/confirmar?ir=${encodeURIComponent(pathname + search)}`)
}
