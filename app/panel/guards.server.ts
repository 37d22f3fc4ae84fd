import type { RouterContextProvider } from 'react-router'
import { accountsOf, type getSession } from '#app/accounts/guards.server.ts'
import { createCookies } from '#app/accounts/sessions/cookies.server.ts'
import { checkLoginWall, type PanelResource } from '#app/accounts/sign-in/login-wall.server.ts'
import { loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import { listEditions } from '#app/cms/editions/years.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'

type Context = Readonly<RouterContextProvider>
type Session = NonNullable<Awaited<ReturnType<typeof getSession>>>

/** Keeps which edition is worked at. */
const EDITION_COOKIE = 'edicion'
const EDITION_CHOICE_S = 30 * 86_400

/** The edition that an organiser has chosen to work at, and all that there are; without a choice, the one in force. */
export async function readChosenEdition(request: Request, context: Context) {
  const { db, settings } = servicesOf(context).services
  const editions = await listEditions(db)
  const asked = Number(createCookies(settings.publicUrl).read(request, EDITION_COOKIE) ?? Number.NaN)
  const chosen = editions.find(({ anio }) => anio === asked) ?? editions.find(({ actual }) => actual)
  return { anio: chosen?.anio ?? (await loadEditionCard()).anio, ediciones: editions }
}

/** A Set-Cookie line that keeps which edition is worked at. */
export const choose = (publicUrl: string, year: number): string =>
  createCookies(publicUrl).line(EDITION_COOKIE, String(year), EDITION_CHOICE_S)

/** What makes a document's address this session's own: nobody else's opens it, nor this person's next one. */
export const documentTokenOf = (context: Context, session: Session, document: number): string =>
  accountsOf(context).traceOf(`documento:${session.userId}:${session.venceAt.getTime()}:${document}`)

/** First line of a file's loader. @throws 403 */
export async function requireOrganiser(request: Request, context: Context, resource: PanelResource): Promise<Session> {
  const entrance = await checkLoginWall(request, context, resource)
  if (entrance.abierta) return entrance.sesion
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
