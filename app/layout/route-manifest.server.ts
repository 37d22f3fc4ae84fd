import type { EntryContext } from 'react-router'
import { esDelPanel } from './navigation.ts'

/** Of the router's list of routes: what the browser needs of them. */
export interface Manifest {
  /** Its own address, which the browser announces. */
  url: string
  /** What every document runs. */
  entry: { imports: string[] }
  routes: Record<
    string,
    { id: string; parentId?: string; path?: string; hasAction: boolean; hasDefaultExport: boolean; imports: string[] }
  >
}

/** Whether a document knows all routes: the panel's, and those that nothing but a mailed link leads to. */
const knowsAll = (path: string) => esDelPanel(path) || /^\/medios\/(clave|paso)$/.test(path)

/** The address of the list without the panel's routes, beside the whole one. */
export const publicUrlOf = (url: string) => url.replace('/manifest-', '/manifest-publico-')

/**
 * The list of the routes that a visitor's document needs: neither the panel, which is half of the whole one, nor what is only
 * reached by a mailed link, nor what is no screen and takes no form, nor of a route's files those that every document has run already.
 */
export function publicManifestOf<Whole extends Manifest>(manifest: Whole): Whole {
  const all = Object.values(manifest.routes)
  const pathOf = ({ path, parentId }: (typeof all)[number]): string =>
    `${parentId === undefined ? '' : pathOf(manifest.routes[parentId]!)}${path ? `/${path}` : ''}`
  const isAsked = ({ hasDefaultExport, hasAction }: (typeof all)[number]) => hasDefaultExport || hasAction
  const kept = all.filter((route) => isAsked(route) && !knowsAll(pathOf(route)) && !isForPanelOnly(route))
  const isThere = new Set([...manifest.entry.imports, ...(manifest.routes.root?.imports ?? [])])
  const brief = (route: (typeof all)[number]) => {
    const imports = route.id === 'root' ? route.imports : route.imports.filter((href) => !isThere.has(href))
    // What is not so need not be said, nor that a screen is one.
    const isSaid = ([name, value]: [string, unknown]) =>
      name !== 'hasDefaultExport' && value !== false && !(Array.isArray(value) && value.length === 0)
    return Object.fromEntries(Object.entries({ ...route, imports }).filter(isSaid))
  }
  return {
    ...manifest,
    url: publicUrlOf(manifest.url),
    routes: Object.fromEntries(kept.map((route) => [route.id, brief(route)])),
  }

  /** A layout without an address of its own, all of whose screens are the panel's. */
  function isForPanelOnly({ id, path }: (typeof all)[number]): boolean {
    const children = all.filter(({ parentId }) => parentId === id)
    return !path && children.length > 0 && children.every((child) => esDelPanel(pathOf(child)))
  }
}

/** @returns what a document is rendered with; in development the list is no file, and stays whole */
export const manifestFor = (pathname: string, context: EntryContext): EntryContext =>
  import.meta.env.DEV || knowsAll(pathname)
    ? context
    : { ...context, manifest: { ...context.manifest, url: publicUrlOf(context.manifest.url) } }
