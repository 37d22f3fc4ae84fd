import { useEffect } from 'react'
import { matchPath } from 'react-router'
import { runInIdlePeriods } from '#app/ui/deferred/after-paint.ts'
import { registerPrefetch } from '#app/ui/navigation/prefetch.ts'

/** A route in React Router's manifest, whose type is not exported. */
interface ScreenRoute {
  id: string
  parentId?: string
  path?: string
  index?: boolean
  module: string
  imports?: string[]
  css?: string[]
}

declare global {
  interface Window {
    __reactRouterManifest?: { version?: string; routes: Record<string, ScreenRoute | undefined> }
  }
}

/** Age from which prefetched data are fetched again: browsers cache them for a minute (server/pages.ts). */
const MAX_DATA_AGE_MS = 50_000

/** Moment of the last prefetch by path, by performance.now(). */
const fetchedAtMs = new Map<string, number>()

/**
 * Prefetches code, stylesheets and data of the screen behind a link. Runs the code and inserts the stylesheets ahead of a press on
 * the link, so that the press waits for neither.
 * @param isHeld whether nothing is fetched for now, on screens where a visitor types: if a module failed to load, the router would
 * reload the page, and the text would be lost
 */
export function usePrefetchScreen(isHeld: boolean): void {
  useEffect(() => (isHeld ? undefined : registerPrefetch(prefetchScreen)), [isHeld])
}

function prefetchScreen(pathname: string): void {
  const chain = routeChainOf(pathname)
  if (!chain) return
  const now = performance.now()
  if (now - (fetchedAtMs.get(pathname) ?? Number.NEGATIVE_INFINITY) < MAX_DATA_AGE_MS) return
  const isNew = !fetchedAtMs.has(pathname)
  fetchedAtMs.set(pathname, now)
  // A link element fetches only when it is inserted, so the old one is replaced.
  linkOf('prefetch', dataUrlOf(pathname))?.remove()
  insertLink('prefetch', dataUrlOf(pathname), 'fetch')
  if (!isNew) return
  runInIdlePeriods([
    // Each idle period has one request, since a request costs a slow phone ten milliseconds.
    ...chain.flatMap(({ module, imports = [], css = [] }) => [
      ...[module, ...imports].map((href) => () => insertLink('modulepreload', href)),
      ...css.map((href) => () => insertStylesheet(href)),
    ]),
    // A press on the link repeats a failed import.
    ...chain.map(
      ({ module }) =>
        () =>
          import(/* @vite-ignore */ module).catch(() => {}),
    ),
  ])
}

/** Returns the routes of a path, from the root to the screen; undefined if the router has no such screen. */
function routeChainOf(pathname: string): ScreenRoute[] | undefined {
  const routes = window.__reactRouterManifest?.routes ?? {}
  const chainOf = (route: ScreenRoute | undefined): ScreenRoute[] =>
    route ? [...chainOf(routes[route.parentId ?? '']), route] : []
  const screen = Object.values(routes).find((route) => {
    const path = `/${chainOf(route)
      .flatMap((chainRoute) => chainRoute.path || [])
      .join('/')}`
    const isScreen = route?.index || (route?.path && !route.path.endsWith('*'))
    return isScreen && (path.includes(':') ? matchPath(path, pathname) : path === pathname)
  })
  return screen && chainOf(screen)
}

/** Returns the URL at which the router fetches a screen's data. */
const dataUrlOf = (pathname: string) => `${pathname.endsWith('/') ? `${pathname}_` : pathname}.data`

const linkOf = (rel: string, href: string) => document.querySelector(`link[rel="${rel}"][href="${href}"]`)

const createLink = (link: Partial<HTMLLinkElement>) => Object.assign(document.createElement('link'), link)

function insertLink(rel: string, href: string, as = ''): void {
  if (!linkOf(rel, href)) document.head.append(createLink({ rel, href, as }))
}

/**
 * Inserts a stylesheet that stays, so that the router need not insert it. It comes after the stylesheets of the served document
 * and before the links that the router inserts, so that a screen's stylesheet still overrides the components' stylesheets.
 */
function insertStylesheet(href: string): void {
  // The router has inserted the stylesheet, and will remove it.
  if (linkOf('stylesheet', href)) return
  const link = createLink({ rel: 'stylesheet', href })
  link.dataset.sheet = href
  // A loaded stylesheet is removed from the router's manifest; a failed one is left to the router.
  link.onload = () => {
    for (const route of Object.values(window.__reactRouterManifest?.routes ?? {}))
      if (route?.css) route.css = route.css.filter((cssHref) => cssHref !== href)
  }
  link.onerror = () => link.remove()
  const lastStylesheet = [...document.querySelectorAll('[data-sheet]')].at(-1)
  if (lastStylesheet) lastStylesheet.after(link)
  else document.head.prepend(link)
}
