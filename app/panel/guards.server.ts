import type { RouterContextProvider } from 'react-router'
import { accountsOf, type getSession } from '#app/accounts/guards.server.ts'
import { createCookies } from '#app/accounts/sessions/cookies.server.ts'
import { checkLoginWall, type PanelResource } from '#app/accounts/sign-in/login-wall.server.ts'
import { loadEditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import { listEditions } from '#app/cms/editions/years.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'

type Context = Readonly<RouterContextProvider>
type Session = NonNullable<Awaited<ReturnType<typeof getSession>>>

/** The cookie with the edition that an organiser works on. */
const EDITION_COOKIE = 'edicion'
const EDITION_CHOICE_S = 30 * 86_400

/** The edition that an organiser works on, by default the edition in force, and the list of all editions. */
export async function readChosenEdition(request: Request, context: Context) {
  const { db, settings } = servicesOf(context).services
  const editions = await listEditions(db)
  const asked = Number(createCookies(settings.publicUrl).read(request, EDITION_COOKIE) ?? Number.NaN)
  const chosen = editions.find(({ year }) => year === asked) ?? editions.find(({ isCurrent }) => isCurrent)
  return { anio: chosen?.year ?? (await loadEditionCard()).anio, ediciones: editions }
}

/** The Set-Cookie line that stores the chosen edition. */
export const choose = (publicUrl: string, year: number): string =>
  createCookies(publicUrl).line(EDITION_COOKIE, String(year), EDITION_CHOICE_S)

/** A token that binds a document's address to this session: no other session opens it, not even the same person's next. */
export const documentTokenOf = (context: Context, session: Session, document: number): string =>
  accountsOf(context).traceOf(`documento:${session.userId}:${session.expiresAt.getTime()}:${document}`)

/** First line of a file's loader. @throws a 403 response where the account may not see the resource */
export async function requireOrganiser(request: Request, context: Context, resource: PanelResource): Promise<Session> {
  const entrance = await checkLoginWall(request, context, resource)
  if (entrance.isOpen) return entrance.session
  throw refused('Este archivo sólo lo abre la organización, con su sesión iniciada.', 403)
}

export const refused = (message: string, status: number) =>
  new Response(message, {
    status,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'private, no-store',
      // A refusal may also stand in a PDF's frame.
      'content-security-policy': "default-src 'none'; frame-ancestors 'self'",
    },
  })
