import type { RouterContextProvider } from 'react-router'
import type { Autor } from '#app/bitacora/mutations.server.ts'
import { cuentasOf, type getSession } from '#app/cuentas/guards.server.ts'
import { abrirPuerta } from '#app/cuentas/puerta.server.ts'
import { servicesOf } from '#app/platform/services.server.ts'

type Context = Readonly<RouterContextProvider>
type Sesion = NonNullable<Awaited<ReturnType<typeof getSession>>>

/** Who does something in the panel, and from where, for the log. */
export const autorDe = (context: Context, sesion: Sesion): Autor => ({
  quien: sesion.userId,
  desde: cuentasOf(context).traceOf(servicesOf(context).facts.client),
})

/** What makes a document's address this session's own: nobody else's opens it, nor this person's next one. */
export const llaveDe = (context: Context, sesion: Sesion, documento: number): string =>
  cuentasOf(context).traceOf(`documento:${sesion.userId}:${sesion.venceAt.getTime()}:${documento}`)

/** First line of a file's loader. @throws 403 */
export async function requireOrganizador(request: Request, context: Context): Promise<Sesion> {
  const entrada = await abrirPuerta(request, context, 'organizadores')
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
