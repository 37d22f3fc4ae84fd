import type { RouterContextProvider } from 'react-router'
import { cuentasOf, type getSession } from '#app/accounts/guards.server.ts'
import { createCookies } from '#app/accounts/sessions/cookies.server.ts'
import { abrirPuerta, type RecursoDeOrganizacion } from '#app/accounts/sign-in/login-wall.server.ts'
import { loadFicha } from '#app/cms/editions/displayed-edition.server.ts'
import { listEdiciones } from '#app/cms/editions/years.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'

type Context = Readonly<RouterContextProvider>
type Sesion = NonNullable<Awaited<ReturnType<typeof getSession>>>

/** Keeps which edition is worked at. */
const COOKIE_DE_EDICION = 'edicion'
const ELECCION_S = 30 * 86_400

/** The edition that an organiser has chosen to work at, and all that there are; without a choice, the one in force. */
export async function readElegida(request: Request, context: Context) {
  const { db, settings } = servicesOf(context).services
  const ediciones = await listEdiciones(db)
  const asked = Number(createCookies(settings.publicUrl).read(request, COOKIE_DE_EDICION) ?? Number.NaN)
  const elegida = ediciones.find(({ anio }) => anio === asked) ?? ediciones.find(({ actual }) => actual)
  return { anio: elegida?.anio ?? (await loadFicha()).anio, ediciones }
}

/** A Set-Cookie line that keeps which edition is worked at. */
export const elegir = (publicUrl: string, anio: number): string =>
  createCookies(publicUrl).line(COOKIE_DE_EDICION, String(anio), ELECCION_S)

/** What makes a document's address this session's own: nobody else's opens it, nor this person's next one. */
export const llaveDe = (context: Context, sesion: Sesion, documento: number): string =>
  cuentasOf(context).traceOf(`documento:${sesion.userId}:${sesion.venceAt.getTime()}:${documento}`)

/** First line of a file's loader. @throws 403 */
export async function requireOrganizador(
  request: Request,
  context: Context,
  recurso: RecursoDeOrganizacion,
): Promise<Sesion> {
  const entrada = await abrirPuerta(request, context, recurso)
  if (entrada.abierta) return entrada.sesion
  throw refused('Este archivo sólo lo abre la organización, con su sesión iniciada.', 403)
}

export const refused = (message: string, status: number) =>
  new Response(message, {
    status,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'private, no-store',
      // Also where a PDF's frame would be.
      'content-security-policy': "default-src 'none'; frame-ancestors 'self'",
    },
  })
