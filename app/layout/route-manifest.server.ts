import type { EntryContext } from 'react-router'
import { isPanelScreen } from './navigation.ts'

/** This part of React Router's manifest is read here. */
export interface Manifest {
  url: string
  /** Every document runs these modules. */
  entry: { imports: string[] }
  routes: Record<
    string,
    { id: string; parentId?: string; path?: string; hasAction: boolean; hasDefaultExport: boolean; imports: string[] }
  >
}

/**
 * Returns whether a path's document gets the whole manifest: the panel's, and screens of few people, which a document or a sent
 * link opens.
 */
const getsWholeManifest = (path: string) =>
  isPanelScreen(path) || /^\/(mis-datos|medios\/(clave|paso)|visitas\/[^/]+|jurado)$/.test(path)

/** Returns the address of the public manifest, beside the whole one. */
export const publicUrlOf = (url: string) => url.replace('/manifest-', '/manifest-publico-')

/**
 * Makes the manifest for visitors' documents. It leaves out the panel, which is half of the whole, screens of few
 * people, routes with neither screen nor action, and imports that every document has run already.
 */
export function publicManifestOf<Whole extends Manifest>(manifest: Whole): Whole {
  const all = Object.values(manifest.routes)
  const pathOf = ({ path, parentId }: (typeof all)[number]): string =>
    `${parentId === undefined ? '' : pathOf(manifest.routes[parentId]!)}${path ? `/${path}` : ''}`
  const isRequested = ({ hasDefaultExport, hasAction }: (typeof all)[number]) => hasDefaultExport || hasAction
  const keptRoutes = all.filter(
    (route) => isRequested(route) && !getsWholeManifest(pathOf(route)) && !isForPanelOnly(route),
  )
  const loadedImports = new Set([...manifest.entry.imports, ...(manifest.routes.root?.imports ?? [])])
  const compactRoute = (route: (typeof all)[number]) => {
    const imports = route.id === 'root' ? route.imports : route.imports.filter((href) => !loadedImports.has(href))
    // False and empty values can be left out, and so can hasDefaultExport.
    const isNeeded = ([name, value]: [string, unknown]) =>
      name !== 'hasDefaultExport' && value !== false && !(Array.isArray(value) && value.length === 0)
    return Object.fromEntries(Object.entries({ ...route, imports }).filter(isNeeded))
  }
  return {
    ...manifest,
    url: publicUrlOf(manifest.url),
    routes: Object.fromEntries(keptRoutes.map((route) => [route.id, compactRoute(route)])),
  }

  /** Returns whether a layout has no path, and only screens of the panel. */
  function isForPanelOnly({ id, path }: (typeof all)[number]): boolean {
    const children = all.filter(({ parentId }) => parentId === id)
    return !path && children.length > 0 && children.every((child) => isPanelScreen(pathOf(child)))
  }
}

/**
 * Chooses the manifest for a document.
 * @returns the context to render a document with; in development the manifest is no file, and stays whole
 */
export const manifestFor = (pathname: string, context: EntryContext): EntryContext =>
  import.meta.env.DEV || getsWholeManifest(pathname)
    ? context
    : { ...context, manifest: { ...context.manifest, url: publicUrlOf(context.manifest.url) } }
