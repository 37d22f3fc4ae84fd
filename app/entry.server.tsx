import { prerender } from 'react-dom/static'
import {
  type EntryContext,
  type HandleErrorFunction,
  isRouteErrorResponse,
  type RouterContextProvider,
  ServerRouter,
} from 'react-router'
import { loadEdition } from './cms/editions/displayed-edition.server.ts'
import { structuredDataOf } from './cms/structured-data.server.ts'
import { ErrorIdContext } from './core/http/error-id.ts'
import { takeStylesheets } from './core/http/inline-styles.server.ts'
import { InlineStylesContext } from './core/http/inline-styles.tsx'
import { JsonLdContext } from './core/http/json-ld.tsx'
import { prioritizeFirstPicture } from './core/http/prioritize-first-picture.server.ts'
import { originOf, requestContext, servicesContext } from './core/http/services.server.ts'
import { manifestFor } from './layout/route-manifest.server.ts'

/** Renders a document as a whole, since a streamed one has inline scripts that move late parts into place. */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  routerContext: EntryContext,
  context: RouterContextProvider,
) {
  headers.set('content-type', 'text/html; charset=utf-8')
  if (request.method === 'HEAD') return new Response(null, { status, headers })
  const facts = context.get(requestContext)
  // No nonce in development, which has no content security policy, and whose client warns of nonces. A page that visitors share has
  // hashes instead.
  const nonce = import.meta.env.DEV ? undefined : facts?.nonce || undefined
  const { pathname } = new URL(request.url)
  const { sheets, context: withoutLinks } = takeStylesheets(routerContext)
  const data = status === 200 ? structuredDataOf(pathname, await loadEdition(), originOf(context)) : undefined
  const { prelude } = await prerender(
    <ErrorIdContext value={facts?.id}>
      <InlineStylesContext value={{ sheets, nonce }}>
        <JsonLdContext value={data}>
          <ServerRouter context={manifestFor(pathname, withoutLinks)} url={request.url} nonce={nonce} />
        </JsonLdContext>
      </InlineStylesContext>
    </ErrorIdContext>,
    {
      signal: request.signal,
      progressiveChunkSize: Number.POSITIVE_INFINITY,
      onError: (error) => logError(error, request, context),
    },
  )
  const isInternal = routerContext.staticHandlerContext.matches.some(({ route }) => isInternalScreen(route.handle))
  const document =
    import.meta.env.DEV || isInternal ? prelude : prioritizeFirstPicture(await new Response(prelude).text())
  return new Response(document, { status, headers })
}

/**
 * Returns whether a screen has a sign-out button of its own and is hidden from search engines, as the screens of signed-in people
 * are. Such a screen is used at once, so its scripts are not deferred.
 */
const isInternalScreen = (handle: { hasOwnSignOut?: boolean; noindex?: boolean } | undefined) =>
  Boolean(handle?.hasOwnSignOut && handle.noindex)

export const handleError: HandleErrorFunction = (error, { request, context }) => logError(error, request, context)

function logError(error: unknown, request: Request, context: Readonly<RouterContextProvider>) {
  // An answer that a loader throws, such as a 404, and an aborted request are no faults of the site.
  if (request.signal.aborted || isRouteErrorResponse(error)) return
  const services = context.get(servicesContext)
  if (!services) throw error
  services.log.error({ id: context.get(requestContext)?.id, err: error }, 'a screen failed')
}
