import * as build from 'virtual:react-router/server-build'
import { createRequestHandler, matchRoutes, type RouteObject, RouterContextProvider } from 'react-router'
import { accountsContext } from '#app/accounts/guards.server.ts'
import { visitsContext } from '#app/analytics/guards.server.ts'
import { editionsContext, previewContext, renderScreenContext } from '#app/cms/context.server.ts'
import { phaseContext, queenContext } from '#app/cms/edition-settings/phase.server.ts'
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
import { courtsContext } from '#app/finals/queen-page/court.server.ts'
import { fileIntakeContext } from '#app/panel/editor/files/file-intake.server.ts'
import { callPath, listCalls } from '#app/site/calls/data.server.ts'
import { listNews, newsPath } from '#app/site/news/data.server.ts'
import { newestBlockContext, votingContext } from '#app/voting/ballot/guards.server.ts'
import { tallyContext } from '#app/voting/sealing/guards.server.ts'
import type { Site } from './services.ts'

const handle = createRequestHandler(build, import.meta.env.MODE)

function newContext(): RouterContextProvider {
  const context = new RouterContextProvider()
  context.set(screensContext, screens)
  return context
}

/** Returns the context of loaders, actions and early routes: the site's services, and the request's own facts. */
export function contextFor(site: Site, facts: RequestFacts): RouterContextProvider {
  const context = newContext()
  context.set(servicesContext, site.services)
  context.set(readinessProbeContext, site.readinessProbe)
  context.set(editionsContext, site.editions)
  context.set(phaseContext, site.phases.at(site.services.clock.now()) ?? null)
  context.set(courtsContext, site.courts)
  context.set(queenContext, site.phases.queenOf)
  context.set(accountsContext, site.accounts)
  context.set(registrationsContext, site.registrations)
  context.set(fileIntakeContext, site.fileIntake)
  context.set(votingContext, site.voting)
  context.set(tallyContext, site.tally)
  context.set(visitsContext, site.visits)
  context.set(previewContext, site.preview ?? null)
  context.set(renderScreenContext, (path, displayed, moment, cookie) =>
    withEdition(displayed, () =>
      renderDynamic(
        new Request(new URL(path, site.services.settings.publicUrl), { headers: cookie ? { cookie } : {} }),
        siteAt(site, moment),
        { ...facts, nonce: '' },
      ),
    ),
  )
  context.set(newestBlockContext, () => site.tally.publishedSeals.readNewest())
  context.set(requestContext, facts)
  return context
}

/** Returns the site at another moment: the same services, with a clock that stands still. */
export const siteAt = (site: Site, moment: Date | undefined): Site =>
  moment ? { ...site, services: { ...site.services, clock: { now: () => moment } } } : site

/**
 * Renders a dynamic screen, or answers its data or form. One answer uses one publication, though another one takes over
 * meanwhile.
 */
export function renderDynamic(request: Request, site: Site, facts: RequestFacts): Promise<Response> {
  const render = () => handle(request, contextFor(site, facts))
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
const tree = childrenOf(undefined)

interface Address {
  /** `methods` has GET and HEAD where there is something to show, POST where there is a form; empty for an unknown path. */
  methods: string[]
  /** Whether the route has a screen, which has to be rendered. */
  isScreen: boolean
}

export const addressAt = (pathname: string): Address => FIXED_ADDRESSES.get(pathname) ?? findAddress(pathname)

function findAddress(pathname: string): Address {
  const [match, frame] = (matchRoutes(tree, pathname) ?? []).map(({ route }) => route).reverse()
  if (!match?.id || match.path === '*') return { methods: [], isScreen: false }
  const { default: screen, loader, action } = build.routes[match.id]!.module
  // React Router gives a form sent to an index to its parent route, unless the form names the index itself.
  const takesForms = action ?? (match.index && frame?.id && build.routes[frame.id]!.module.action)
  const methods = [...(screen || loader ? ['GET', 'HEAD'] : []), ...(takesForms ? ['POST'] : [])]
  return { methods, isScreen: screen !== undefined }
}

/**
 * Renders a public screen ahead of any request: its loader may read content, never a session or the database.
 * @param phase stands in the document; without it the document knows no hour
 */
export function renderPage(request: Request, phase?: Phase): Promise<Response> {
  const context = newContext()
  if (phase) context.set(phaseContext, phase)
  return handle(request, context)
}

/** The server reads these fields of a route's `handle`. */
interface ServerHandle {
  /** The screen is prerendered. */
  prerender?: boolean
  /** The screen stays out of search engines. */
  noindex?: boolean
  /** The action takes files, and limits them itself. */
  takesFiles?: boolean
  /** The screen shows the site's own documents in a frame. */
  showsFrames?: boolean
  /** The form is a vote, which waits for no other form. */
  isVote?: boolean
}

type ServerRoute = NonNullable<(typeof build.routes)[string]>
const routes = Object.values(build.routes).filter((route) => route !== undefined)

/** Lists a route and its parents, outermost first. */
const listLineage = (route: ServerRoute): ServerRoute[] => [
  ...(route.parentId ? listLineage(build.routes[route.parentId]!) : []),
  route,
]
/** Returns a route's path pattern, without the first slash. */
const pathOf = (route: ServerRoute) =>
  listLineage(route)
    .flatMap(({ path }) => path || [])
    .join('/')
const handleOf = (route: ServerRoute): ServerHandle =>
  Object.assign({}, ...listLineage(route).map(({ module }) => module.handle as ServerHandle | undefined))

/** Lists every path pattern of app/routes.ts. */
export const patterns = (): string[] => [
  ...new Set(
    routes
      .filter(({ id, path, index }) => id !== 'root' && (path !== undefined || index))
      .map((route) => `/${pathOf(route)}`),
  ),
]

/** Addresses without parameters are kept, because matching all routes takes longer than many an answer. */
const FIXED_ADDRESSES = new Map(
  patterns()
    .filter((pattern) => !/[:*]/.test(pattern))
    .map((pattern) => [pattern, findAddress(pattern)]),
)

const pathsWith = (what: keyof ServerHandle) =>
  new Set(routes.filter((route) => handleOf(route)[what]).map((route) => `/${pathOf(route)}`))
const WITH_FILES = pathsWith('takesFiles')
const WITH_VOTE = pathsWith('isVote')

/** Returns whether the form of a path may carry files. */
export const takesFiles = (pathname: string): boolean => WITH_FILES.has(pathname.replace(/\.data$/, ''))

/** Returns whether the form of a path is a registration or a vote. */
export const goesFirst = (pathname: string): boolean =>
  takesFiles(pathname) || WITH_VOTE.has(pathname.replace(/\.data$/, ''))

/** Returns whether a screen shows the site's own documents in a frame. */
export function showsFrames(pathname: string): boolean {
  return (matchRoutes(tree, pathname) ?? []).some(({ route: { id } }) => {
    const route = id === undefined ? undefined : build.routes[id]
    return route !== undefined && (handleOf(route).showsFrames ?? false)
  })
}

/** A pattern with parameters has these addresses in the sitemap. */
const ADDRESSES: Record<string, () => Promise<string[]>> = {
  'ediciones/:anio': async () => (await listPastEditions()).map((year) => `/ediciones/${year}`),
  // The sitemap names no queen: her page answers 404 until her final is public.
  'reina/:anio?': async () => [],
  'maestros/:slug': async () => (await loadEdition()).maestros.map(({ slug }) => `/maestros/${slug}`),
  'noticias/:slug': async () => [...new Set((await listNews()).map(({ stored }) => newsPath(stored.slug)))],
  'convocatoria/:slug?': async () => ['/convocatoria', ...(await listCalls()).map(({ slug }) => callPath(slug))],
}

async function addressesOf(route: ServerRoute): Promise<string[]> {
  const path = pathOf(route)
  if (!path.includes(':')) return [`/${path}`]
  const addresses = ADDRESSES[path]
  if (!addresses) throw new Error(`server/render.ts does not know which addresses ${path} takes`)
  return addresses()
}

const addressesOfAll = async (chosen: ServerRoute[]) => (await Promise.all(chosen.map(addressesOf))).flat()

/** Lists the addresses of the prerendered screens, in the order of app/routes.ts. */
export const publicPaths = () => addressesOfAll(routes.filter((route) => handleOf(route).prerender))

/** Lists the addresses of the screens that search engines may show. */
function screens(): Promise<string[]> {
  const isScreen = ({ module, path, index, id }: ServerRoute) =>
    module.default && id !== 'root' && (path !== undefined || index)
  return addressesOfAll(routes.filter((route) => isScreen(route) && !handleOf(route).noindex))
}
