import * as build from 'virtual:react-router/server-build'
import { createRequestHandler, matchRoutes, type RouteObject, RouterContextProvider } from 'react-router'
import { loadEdicion } from '#app/contenido/contenido.server.ts'
import { type RequestFacts, requestContext, type Services, servicesContext } from '#app/platform/services.server.ts'

const handle = createRequestHandler(build, import.meta.env.MODE)

/** Renders a dynamic screen, or answers its data or form. */
export function renderDynamic(request: Request, services: Services, facts: RequestFacts): Promise<Response> {
  const context = new RouterContextProvider()
  context.set(servicesContext, services)
  context.set(requestContext, facts)
  return handle(request, context)
}

const childrenOf = (parentId: string | undefined): RouteObject[] =>
  Object.values(build.routes)
    .filter((route) => route !== undefined && route.parentId === parentId)
    .map(
      (route) =>
        ({ id: route!.id, path: route!.path, index: route!.index, children: childrenOf(route!.id) }) as RouteObject,
    )
const tree = childrenOf(undefined)

/** What a path takes: GET and HEAD where there is something to show, POST where there is a form; nothing for no screen. */
export function methodsOf(pathname: string): string[] {
  const match = matchRoutes(tree, pathname)?.at(-1)?.route
  if (!match?.id || match.path === '*') return []
  const { default: screen, loader, action } = build.routes[match.id]!.module
  return [...(screen || loader ? ['GET', 'HEAD'] : []), ...(action ? ['POST'] : [])]
}

/** Renders a public screen ahead of any request: its loader may read content, never a session or the database. */
export const renderPage = (request: Request): Promise<Response> => handle(request, new RouterContextProvider())

/** What a route says of itself to the server. */
interface ServerHandle {
  /** It is rendered ahead. */
  ahead?: boolean
}

/** The addresses that the parameters of a route take, for routes that are rendered ahead. */
const ADDRESSES: Record<string, () => Promise<string[]>> = {
  'maestros/:slug': async () => (await loadEdicion()).maestros.map(({ slug }) => `/maestros/${slug}`),
}

/** Addresses of what is rendered ahead, in the order of app/routes.ts. */
export async function publicPaths(): Promise<string[]> {
  const paths: string[] = []
  for (const route of Object.values(build.routes)) {
    if (!(route?.module.handle as ServerHandle | undefined)?.ahead) continue
    const path = route?.path ?? ''
    if (!path.includes(':')) paths.push(`/${path}`)
    else if (ADDRESSES[path]) paths.push(...(await ADDRESSES[path]()))
    else throw new Error(`server/render.ts does not know which addresses ${path} takes`)
  }
  return paths
}
