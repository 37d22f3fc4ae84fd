import type { RouterContextProvider } from 'react-router'
import { accountsOf, type getSession } from '#app/accounts/guards.server.ts'
import { createCookies } from '#app/accounts/sessions/cookies.server.ts'
import { checkLoginWall, type PanelResource } from '#app/accounts/sign-in/login-wall.server.ts'
import { loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import { listEditions } from '#app/cms/editions/years.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'

type Context = Readonly<RouterContextProvider>
type Session = NonNullable<Awaited<ReturnType<typeof getSession>>>

/** Cookie with the year of the edition that an organiser works on. */
const EDITION_COOKIE = 'edicion'
const EDITION_COOKIE_SECONDS = 30 * 86_400

/** Reads the edition that an organiser works on, by default the current one, and the list of all editions. */
export async function readChosenEdition(request: Request, context: Context) {
  const { db, settings } = servicesOf(context).services
  const editions = await listEditions(db)
  const requestedYear = Number(createCookies(settings.publicUrl).read(request, EDITION_COOKIE) ?? Number.NaN)
  const chosenEdition =
    editions.find(({ year }) => year === requestedYear) ?? editions.find(({ isCurrent }) => isCurrent)
  const edition = chosenEdition ?? { year: (await loadEditionCard()).anio, isCurrent: true, openedAt: null }
  return { year: edition.year, edition, editions }
}

export const editionCookie = (publicUrl: string, year: number): string =>
  createCookies(publicUrl).toSetCookieHeader(EDITION_COOKIE, String(year), EDITION_COOKIE_SECONDS)

/** Returns the token that binds a document's URL to one session; not even the same person's next session opens the URL. */
export const documentTokenOf = (context: Context, session: Session, document: number): string =>
  accountsOf(context).traceOf(`documento:${session.userId}:${session.expiresAt.getTime()}:${document}`)

/** Returns the session of a request for a file. @throws a 403 response if the login wall is closed for the resource */
export async function requireOrganiserForFile(
  request: Request,
  context: Context,
  resource: PanelResource,
): Promise<Session> {
  const access = await checkLoginWall(request, context, resource)
  if (access.isOpen) return access.session
  throw textRefusalResponse('Este archivo sólo lo abre la organización, con su sesión iniciada.', 403)
}

export const textRefusalResponse = (message: string, status: number) =>
  new Response(message, {
    status,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'private, no-store',
      // A refusal may appear in the frame of a PDF.
      'content-security-policy': "default-src 'none'; frame-ancestors 'self'",
    },
  })
