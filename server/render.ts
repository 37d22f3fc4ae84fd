import * as build from 'virtual:react-router/server-build'
import { createRequestHandler, matchRoutes, type RouteObject, RouterContextProvider } from 'react-router'
import { accountsContext } from '#app/accounts/guards.server.ts'
import { visitsContext } from '#app/analytics/guards.server.ts'
import { editionServicesContext, previewContext, renderScreenContext } from '#app/cms/context.server.ts'
import { readPeriods } from '#app/cms/edition-settings/periods.early.server.ts'
import { outcomeContext, phaseContext } from '#app/cms/edition-settings/phase.server.ts'
import type { Phase } from '#app/cms/edition-settings/schema.ts'
import {
  displayedEdition,
  listPastEditions,
  loadEdition,
  withEdition,
} from '#app/cms/editions/displayed-edition.server.ts'
import { readinessProbeContext } from '#app/core/http/health.early.server.ts'
import { type RequestFacts, requestContext, screensContext, servicesContext } from '#app/core/http/services.server.ts'
import { registrationsContext } from '#app/entries/submission/uploads.early.server.ts'
import { courtsContext } from '#app/finals/queen-page/courts.server.ts'
import { fileIntakeContext } from '#app/panel/editor/files/file-intake.server.ts'
import { callPath, listSlides } from '#app/site/calls/data.server.ts'
import { listNews, newsPath } from '#app/site/news/data.server.ts'
import { newestBlockContext, votingContext } from '#app/voting/ballot/guards.server.ts'
import { tallyContext } from '#app/voting/sealing/guards.server.ts'
import type { Site } from './services.ts'

const handleRequest = createRequestHandler(build, import.meta.env.MODE)

function newContext(): RouterContextProvider {
  const context = new RouterContextProvider()
  context.set(screensContext, listIndexedPaths)
  return context
}

/** Returns the context of loaders, actions and early routes: the site's services, and the request's own facts. */
export function contextFor(site: Site, facts: RequestFacts): RouterContextProvider {
  const context = newContext()
  context.set(servicesContext, site.services)
  context.set(readinessProbeContext, site.readinessProbe)
  context.set(editionServicesContext, site.editions)
  context.set(phaseContext, site.phases.at(site.services.clock.now()) ?? null)
  context.set(courtsContext, site.courts)
  context.set(outcomeContext, site.phases.outcomeOf)
  context.set(accountsContext, site.accounts)
  context.set(registrationsContext, site.registrations)
  context.set(fileIntakeContext, site.fileIntake)
  context.set(votingContext, site.voting)
  context.set(tallyContext, site.tally)
  context.set(visitsContext, site.visits)
  context.set(previewContext, site.preview ?? null)
  context.set(renderScreenContext, (path, displayed, cookie) =>
    withEdition(displayed, async () => {
      const screenContext = contextFor(site, { ...facts, nonce: '' })
      screenContext.set(phaseContext, await readPeriods(screenContext))
      const request = new Request(new URL(path, site.services.settings.publicUrl))
      if (cookie) request.headers.set('cookie', cookie)
      return handleRequest(request, screenContext)
    }),
  )
  context.set(newestBlockContext, () => site.tally.publishedSeals.readNewest())
  context.set(requestContext, facts)
  return context
}

/** Returns the site with a clock that stands at a moment; without a moment, the site itself. */
export const siteAt = (site: Site, moment: Date | undefined): Site =>
  moment ? { ...site, services: { ...site.services, clock: { now: () => moment } } } : site

/**
 * Renders a dynamic screen, or answers its data request or form. The response uses a single publication, even if another one is
 * displayed in the meantime.
 */
export function renderDynamic(request: Request, site: Site, facts: RequestFacts): Promise<Response> {
  const render = () => handleRequest(request, contextFor(site, facts))
  const edition = displayedEdition()
  return edition ? withEdition(edition, render) : render()
}

const childrenOf = (parentId: string | undefined): RouteObject[] =>
  Object.values(build.routes)
    .filter((route) => route !== undefined && route.parentId === parentId)
    .map(
      (route) =>
        ({ id: route!.id, path: route!.path, index: route!.index, children: childrenOf(route!.id) }) as RouteObject,
    )
const routeTree = childrenOf(undefined)

interface RouteFacts {
  /** Allowed methods: GET and HEAD for a screen or data, POST for a form; empty for an unknown path. */
  methods: string[]
  /** Whether the route has a screen, which has to be rendered. */
  isScreen: boolean
}

export const routeFactsAt = (pathname: string): RouteFacts => FIXED_ROUTES.get(pathname) ?? findRouteFacts(pathname)

function findRouteFacts(pathname: string): RouteFacts {
  const [match, parent] = (matchRoutes(routeTree, pathname) ?? []).map(({ route }) => route).reverse()
  if (!match?.id || match.path === '*') return { methods: [], isScreen: false }
  const { default: screen, loader, action } = build.routes[match.id]!.module
  // React Router passes a form sent to an index route to its parent route, unless the URL has `?index`.
  const takesForms = action ?? (match.index && parent?.id && build.routes[parent.id]!.module.action)
  const methods = [...(screen || loader ? ['GET', 'HEAD'] : []), ...(takesForms ? ['POST'] : [])]
  return { methods, isScreen: screen !== undefined }
}

/**
 * Prerenders a public screen or resource, whose loader may read content, but no session and no database.
 * @param phase is rendered into the document; without it the document does not depend on the time
 */
export function renderPage(request: Request, phase?: Phase): Promise<Response> {
  const context = newContext()
  if (phase) context.set(phaseContext, phase)
  return handleRequest(request, context)
}

/** Fields of a route's `handle` that the server reads. */
interface ServerHandle {
  prerender?: boolean
  /** Keeps the screen out of search engines. */
  noindex?: boolean
  /** Whether the action takes files, which it limits itself. */
  takesFiles?: boolean
  /** Whether the screen, or one that the router opens from it, shows the site's own documents in a frame. */
  showsFrames?: boolean
  /** Whether the form is a vote (`isUrgentForm`). */
  isVote?: boolean
}

type ServerRoute = NonNullable<(typeof build.routes)[string]>
const routes = Object.values(build.routes).filter((route) => route !== undefined)

/** Lists a route and its parents, outermost first. */
const listLineage = (route: ServerRoute): ServerRoute[] => [
  ...(route.parentId ? listLineage(build.routes[route.parentId]!) : []),
  route,
]
/** Returns a route's path pattern without the first slash. */
const pathOf = (route: ServerRoute) =>
  listLineage(route)
    .flatMap(({ path }) => path || [])
    .join('/')
const handleOf = (route: ServerRoute): ServerHandle =>
  Object.assign({}, ...listLineage(route).map(({ module }) => module.handle as ServerHandle | undefined))

/** Lists every path pattern of app/routes.ts. */
export const routePatterns = (): string[] => [
  ...new Set(
    routes
      .filter(({ id, path, index }) => id !== 'root' && (path !== undefined || index))
      .map((route) => `/${pathOf(route)}`),
  ),
]

/** Routes without parameters, by path. They are looked up, since matching all routes takes longer than some responses. */
const FIXED_ROUTES = new Map(
  routePatterns()
    .filter((pattern) => !/[:*]/.test(pattern))
    .map((pattern) => [pattern, findRouteFacts(pattern)]),
)

const pathsWith = (field: keyof ServerHandle) =>
  new Set(routes.filter((route) => handleOf(route)[field]).map((route) => `/${pathOf(route)}`))
const FILE_FORM_PATHS = pathsWith('takesFiles')
const VOTE_PATHS = pathsWith('isVote')

/** Returns whether the form of a path may carry files. */
export const takesFiles = (pathname: string): boolean => FILE_FORM_PATHS.has(pathname.replace(/\.data$/, ''))

/** Returns whether the form of a path may carry files, as registrations and requested documents do, or is a vote. */
export const isUrgentForm = (pathname: string): boolean =>
  takesFiles(pathname) || VOTE_PATHS.has(pathname.replace(/\.data$/, ''))

export function showsFrames(pathname: string): boolean {
  return (matchRoutes(routeTree, pathname) ?? []).some(({ route: { id } }) => {
    const route = id === undefined ? undefined : build.routes[id]
    return route !== undefined && (handleOf(route).showsFrames ?? false)
  })
}

/** Lists the paths of each screen with parameters that is prerendered or in the sitemap, by pattern. */
const SITEMAP_PATHS: Record<string, () => Promise<string[]>> = {
  'ediciones/:anio': async () => (await listPastEditions()).map((year) => `/ediciones/${year}`),
  // The sitemap has no queen's page, since that page answers 404 until the final is public.
  'reina/:anio?': async () => [],
  'maestros/:slug': async () => (await loadEdition()).maestros.map(({ slug }) => `/maestros/${slug}`),
  'noticias/:slug': async () => [...new Set((await listNews()).map(({ stored }) => newsPath(stored.slug)))],
  'convocatoria/:slug?': async () => ['/convocatoria', ...(await listSlides()).map(({ slug }) => callPath(slug))],
}

async function listPathsOf(route: ServerRoute): Promise<string[]> {
  const pattern = pathOf(route)
  if (!pattern.includes(':')) return [`/${pattern}`]
  const listPaths = SITEMAP_PATHS[pattern]
  if (!listPaths) throw new Error(`SITEMAP_PATHS of server/render.ts has no paths for ${pattern}`)
  return listPaths()
}

const listPathsOfRoutes = async (chosenRoutes: ServerRoute[]) =>
  (await Promise.all(chosenRoutes.map(listPathsOf))).flat()

/** Lists the paths of the prerendered screens and resources, in the order of app/routes.ts. */
export const publicPaths = () => listPathsOfRoutes(routes.filter((route) => handleOf(route).prerender))

/** Lists the paths of the screens that search engines may show. */
function listIndexedPaths(): Promise<string[]> {
  const isScreen = ({ module, path, index, id }: ServerRoute) =>
    module.default && id !== 'root' && (path !== undefined || index)
  return listPathsOfRoutes(routes.filter((route) => isScreen(route) && !handleOf(route).noindex))
}
