import { createContext, type RouterContextProvider, redirect } from 'react-router'
import type { Sesion } from '#app/accounts/sessions/store.server.ts'
import type { Autor } from '#app/audit/mutations.server.ts'
import { readAjustes } from '#app/cms/settings/data.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import type { Cuentas } from './auth.server.ts'
import { may, type Recurso } from './rules.ts'

/** Unset while public screens are rendered ahead. */
export const cuentasContext = createContext<Cuentas | null>(null)

type Context = Readonly<RouterContextProvider>

/** The accounts of the running site. @public for the actions of screens that sign in and out */
export function cuentasOf(context: Context): Cuentas {
  const cuentas = context.get(cuentasContext)
  if (!cuentas) throw new Error('This screen asks who is there; it cannot be rendered ahead')
  return cuentas
}

/** Who sends this request; undefined: nobody that is signed in. @public for the screens that show it */
export const getSession = (request: Request, context: Context): Promise<Sesion | undefined> =>
  cuentasOf(context).getSession(request)

/** Who does something in the panel, and from where, for the log. */
export const autorDe = (context: Context, sesion: Sesion): Autor => ({
  quien: sesion.userId,
  desde: cuentasOf(context).traceOf(servicesOf(context).facts.client),
})

/** Whether an organiser has to make a second step before the panel opens (SECOND_FACTOR). @public for addresses */
export const mustHaveSegundo = (cuentas: Cuentas, { segundo }: Sesion): boolean =>
  cuentas.exigeSegundo && (segundo === 'sin' || segundo === 'aplazado')

/** Who sends this request, if she opens a resource of the panel, with the second step where the site asks for one. */
export async function organizadorDe(request: Request, cuentas: Cuentas, recurso: Recurso): Promise<Sesion | undefined> {
  const sesion = await cuentas.getSession(request)
  return sesion && may(sesion.rol, recurso) && !mustHaveSegundo(cuentas, sesion) ? sesion : undefined
}

/** Whether everybody may open a resource, because the edition says so. */
const isOpen = async (db: Database, recurso: Recurso) =>
  recurso === 'prensa' && (await readAjustes(db))['prensa.publica']

/** Whether a request may have a file. */
export async function mayOpen(db: Database, cuentas: Cuentas, request: Request, recurso: Recurso): Promise<boolean> {
  return (await isOpen(db, recurso)) || may((await cuentas.getSession(request))?.rol, recurso)
}

/**
 * First line of a protected loader or action.
 * @returns who asks; undefined only where the edition lets everybody in
 * @throws a redirect to the press login, with the reason in `aviso`
 */
export async function requireRol(request: Request, context: Context, recurso: Recurso): Promise<Sesion | undefined> {
  if (await isOpen(servicesOf(context).services.db, recurso)) return undefined
  const sesion = await getSession(request, context)
  if (may(sesion?.rol, recurso)) return sesion
  throw redirect(`/medios?aviso=${sesion ? 'sin-permiso' : 'acceso'}`)
}

/** First line of a protected file's loader. @throws what `refusedFile` answers */
export async function requireRolForFile(request: Request, context: Context, recurso: Recurso): Promise<void> {
  if (!(await mayOpen(servicesOf(context).services.db, cuentasOf(context), request, recurso)))
    throw refusedFile(request)
}

/** Whoever follows a link to a file lands on the press login, with the reason (D21); programs get a 403. */
export function refusedFile(request: Request): Response {
  const isFollowed =
    (request.headers.get('sec-fetch-mode') ?? 'navigate') === 'navigate' &&
    (request.headers.get('accept')?.includes('text/html') ?? false)
  const headers = { 'cache-control': 'private, no-store' }
  if (isFollowed) return new Response(null, { status: 302, headers: { ...headers, location: '/medios?aviso=acceso' } })
  return new Response('Este archivo es para la prensa acreditada. Entra en /medios con tu cuenta.', {
    status: 403,
    headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' },
  })
}
