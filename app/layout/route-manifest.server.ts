import type { EntryContext } from 'react-router'
import { isPanelScreen } from './navigation.ts'

/** Fields of React Router's manifest that this module reads. */
export interface RouteManifest {
  url: string
  /** Modules that every document runs. */
  entry: { imports: string[] }
  routes: Record<
    string,
    { id: string; parentId?: string; path?: string; hasAction: boolean; hasDefaultExport: boolean; imports: string[] }
  >
}

/** Returns whether a path's document gets the whole manifest, as the panel's screens and screens for few people do. */
const getsWholeManifest = (path: string) =>
  isPanelScreen(path) || /^\/(mis-datos|medios\/(clave|paso)|visitas\/[^/]+|jurado)$/.test(path)

/** Returns the URL of the public manifest, from the URL of the whole manifest. */
export const publicUrlOf = (url: string) => url.replace('/manifest-', '/manifest-publico-')

/**
 * Returns the manifest for visitors' documents. It leaves out the panel (half of the manifest), screens for few people, routes with
 * neither screen nor action, and imports that every document has run already.
 */
export function publicManifestOf<Whole extends RouteManifest>(manifest: Whole): Whole {
  const allRoutes = Object.values(manifest.routes)
  const pathOf = ({ path, parentId }: (typeof allRoutes)[number]): string =>
    `${parentId === undefined ? '' : pathOf(manifest.routes[parentId]!)}${path ? `/${path}` : ''}`
  const isRequested = ({ hasDefaultExport, hasAction }: (typeof allRoutes)[number]) => hasDefaultExport || hasAction
  const keptRoutes = allRoutes.filter(
    (route) => isRequested(route) && !getsWholeManifest(pathOf(route)) && !isForPanelOnly(route),
  )
  const loadedImports = new Set([...manifest.entry.imports, ...(manifest.routes.root?.imports ?? [])])
  const compactRoute = (route: (typeof allRoutes)[number]) => {
    const imports = route.id === 'root' ? route.imports : route.imports.filter((href) => !loadedImports.has(href))
    // The router needs neither false and empty values nor hasDefaultExport.
    const isNeeded = ([name, value]: [string, unknown]) =>
      name !== 'hasDefaultExport' && value !== false && !(Array.isArray(value) && value.length === 0)
    return Object.fromEntries(Object.entries({ ...route, imports }).filter(isNeeded))
  }
  return {
    ...manifest,
    url: publicUrlOf(manifest.url),
    routes: Object.fromEntries(keptRoutes.map((route) => [route.id, compactRoute(route)])),
  }

  /** Returns whether a route is a layout without a path whose children are panel screens. */
  function isForPanelOnly({ id, path }: (typeof allRoutes)[number]): boolean {
    const children = allRoutes.filter(({ parentId }) => parentId === id)
    return !path && children.length > 0 && children.every((child) => isPanelScreen(pathOf(child)))
  }
}

/**
 * Chooses the manifest for a document.
 * @returns the context to render a document with; in development always the whole manifest, which is no file then
 */
export const manifestFor = (pathname: string, context: EntryContext): EntryContext =>
  import.meta.env.DEV || getsWholeManifest(pathname)
    ? context
    : { ...context, manifest: { ...context.manifest, url: publicUrlOf(context.manifest.url) } }
