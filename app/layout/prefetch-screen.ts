import { useEffect } from 'react'
import { matchPath } from 'react-router'
import { onPrefetch } from '#app/ui/links/prefetch.ts'
import { inPieces } from '#app/ui/loading/after-paint.ts'

/** What the router knows of a route; it does not publish the type. */
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

/** Data that were fetched ahead are used for a minute (server/pages.ts); before that they are fetched anew. */
const FRESH_MS = 50_000

/** When the data of an address were fetched. */
const fetched = new Map<string, number>()

/**
 * Fetches ahead what a press on a link would wait for: the next screen's code, sheets and data. The code is run and the
 * sheets are put into the document meanwhile, so that the press finds both done.
 * @param held whether nothing is fetched: a module that cannot be had makes the router reload the page, and over a bad
 * connection that would cost whatever is being typed
 */
export function usePrefetchScreen(held: boolean): void {
  useEffect(() => (held ? undefined : onPrefetch(fetchAhead)), [held])
}

function fetchAhead(pathname: string): void {
  const chain = chainOf(pathname)
  if (!chain) return
  const now = performance.now()
  if (now - (fetched.get(pathname) ?? Number.NEGATIVE_INFINITY) < FRESH_MS) return
  const isNew = !fetched.has(pathname)
  fetched.set(pathname, now)
  // The browser looks at its own store first, so a link that is there already has to be put anew.
  linkOf('prefetch', dataOf(pathname))?.remove()
  put('prefetch', dataOf(pathname), 'fetch')
  if (!isNew) return
  inPieces([
    // To ask for a file takes a slow phone ten milliseconds, however small it is.
    ...chain.flatMap(({ module, imports = [], css = [] }) => [
      ...[module, ...imports].map((href) => () => put('modulepreload', href)),
      ...css.map((href) => () => putSheet(href)),
    ]),
    // What cannot be had is asked for again by the press.
    ...chain.map(
      ({ module }) =>
        () =>
          import(/* @vite-ignore */ module).catch(() => {}),
    ),
  ])
}

/** The routes of an address, from the frame to the screen; undefined: it leads to no screen of the router's. */
function chainOf(pathname: string): ScreenRoute[] | undefined {
  const routes = window.__reactRouterManifest?.routes ?? {}
  const chain = (route: ScreenRoute | undefined): ScreenRoute[] =>
    route ? [...chain(routes[route.parentId ?? '']), route] : []
  const found = Object.values(routes).find((route) => {
    const path = `/${chain(route)
      .flatMap((each) => each.path || [])
      .join('/')}`
    const isScreen = route?.index || (route?.path && !route.path.endsWith('*'))
    return isScreen && (path.includes(':') ? matchPath(path, pathname) : path === pathname)
  })
  return found && chain(found)
}

/** Where the router asks for the data of an address. */
const dataOf = (pathname: string) => `${pathname.endsWith('/') ? `${pathname}_` : pathname}.data`

const linkOf = (rel: string, href: string) => document.querySelector(`link[rel="${rel}"][href="${href}"]`)

const make = (link: Partial<HTMLLinkElement>) => Object.assign(document.createElement('link'), link)

function put(rel: string, href: string, as = ''): void {
  if (!linkOf(rel, href)) document.head.append(make({ rel, href, as }))
}

/**
 * Puts a sheet into the document for good, so that the router has not to bring it: its rules are for a screen that is not
 * there yet. It stands behind those that came inside the document and before those that the router brings, so that the
 * sheet of a piece comes before the sheet of a screen that changes it.
 */
function putSheet(href: string): void {
  // The router has brought it, and takes it away again.
  if (linkOf('stylesheet', href)) return
  const link = make({ rel: 'stylesheet', href })
  link.dataset.hoja = href
  // Only then has the router not to bring it; one that cannot be had is left to it.
  link.onload = () => {
    for (const route of Object.values(window.__reactRouterManifest?.routes ?? {}))
      if (route?.css) route.css = route.css.filter((one) => one !== href)
  }
  link.onerror = () => link.remove()
  const before = [...document.querySelectorAll('[data-hoja]')].at(-1)
  if (before) before.after(link)
  else document.head.prepend(link)
}
