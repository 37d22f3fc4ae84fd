import { createContext, type RouterContextProvider, redirect } from 'react-router'
import type { Session } from '#app/accounts/sessions/store.server.ts'
import type { Actor } from '#app/audit/mutations.server.ts'
import { readEditionSettings } from '#app/cms/edition-settings/data.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { PRIVATE_HEADERS } from '#app/core/http/private-headers.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import type { Accounts } from './auth.server.ts'
import { may, type Resource } from './rules.ts'

/** Accounts of the running site; null while public screens are prerendered. */
export const accountsContext = createContext<Accounts | null>(null)

type Context = Readonly<RouterContextProvider>

/** Returns the accounts of the running site. @throws Error while screens are prerendered @public for screens that sign in */
export function accountsOf(context: Context): Accounts {
  const accounts = context.get(accountsContext)
  if (!accounts) throw new Error('This screen depends on the session; it cannot be prerendered')
  return accounts
}

/** Returns the open session of a request; undefined without one. @public for screens that show the session */
export const getSession = (request: Request, context: Context): Promise<Session | undefined> =>
  accountsOf(context).getSession(request)

export const actorOf = (context: Context, session: Session): Actor => ({
  quien: session.userId,
  desde: accountsOf(context).traceOf(servicesOf(context).facts.client),
})

/** Returns whether an organiser must set up a second factor before the panel opens (SECOND_FACTOR). @public for early routes */
export const mustAddSecondFactor = (accounts: Accounts, { secondFactor }: Session): boolean =>
  accounts.requiresSecondFactor && (secondFactor === 'missing' || secondFactor === 'postponed')

/**
 * Returns the session of a request if its role opens a resource of the panel, and its account has the second factor that the site
 * may require; else undefined. The age limit of the results (RESULTS_ACCESS_MS) is not checked.
 */
export async function organiserOf(
  request: Request,
  accounts: Accounts,
  resource: Resource,
): Promise<Session | undefined> {
  const session = await accounts.getSession(request)
  return session && may(session.role, resource) && !mustAddSecondFactor(accounts, session) ? session : undefined
}

/** Returns whether the edition's settings open a resource to the public; only `prensa` has such a setting. */
const isOpenToPublic = async (db: Database, resource: Resource) =>
  resource === 'prensa' && (await readEditionSettings(db))['prensa.publica']

/** Returns whether the edition's settings or the requester's role open a resource. */
export async function mayOpen(
  db: Database,
  accounts: Accounts,
  request: Request,
  resource: Resource,
): Promise<boolean> {
  return (await isOpenToPublic(db, resource)) || may((await accounts.getSession(request))?.role, resource)
}

/**
 * Checks the role at the beginning of a protected loader.
 * @returns the session; undefined if the edition's settings open the resource to the public
 * @throws a redirect to the press login, with the reason in `aviso`
 */
export async function requireRole(
  request: Request,
  context: Context,
  resource: Resource,
): Promise<Session | undefined> {
  if (await isOpenToPublic(servicesOf(context).services.db, resource)) return undefined
  const session = await getSession(request, context)
  if (may(session?.role, resource)) return session
  throw redirect(`/medios?aviso=${session ? 'sin-permiso' : 'acceso'}`)
}

/** Checks the role at the beginning of a protected file's loader. @throws the response of `fileRefusalResponse` */
export async function requireRoleForFile(request: Request, context: Context, resource: Resource): Promise<void> {
  if (!(await mayOpen(servicesOf(context).services.db, accountsOf(context), request, resource)))
    throw fileRefusalResponse(request)
}

/**
 * Returns the response to a refused request for a file: for a browser that follows a link, a redirect to the press login with a
 * notice (D21); for other requests, a 403.
 */
export function fileRefusalResponse(request: Request): Response {
  const isFollowedLink =
    (request.headers.get('sec-fetch-mode') ?? 'navigate') === 'navigate' &&
    (request.headers.get('accept')?.includes('text/html') ?? false)
  if (isFollowedLink)
    return new Response(null, { status: 302, headers: { ...PRIVATE_HEADERS, location: '/medios?aviso=acceso' } })
  return new Response('Este archivo es para la prensa acreditada. Entra en /medios con tu cuenta.', {
    status: 403,
    headers: { ...PRIVATE_HEADERS, 'content-type': 'text/plain; charset=utf-8' },
  })
}
