import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EntryContext } from 'react-router'
import { orderStylesheets, type Stylesheet } from './inline-styles.tsx'

const cssByHref = new Map<string, string>()

/** Reads all stylesheets of a build into memory, since a later build may delete the files while this process runs. */
export function loadStylesheets(folder: string): void {
  for (const name of globSync('assets/*.css', { cwd: folder }))
    cssByHref.set(`/${name}`, readFileSync(join(folder, name), 'utf8').trim())
}

function cssOf(href: string): string {
  const css = cssByHref.get(href)
  if (css === undefined) throw new Error(`The build has no stylesheet ${href}`)
  return css
}

/**
 * Takes all stylesheets out of the router's manifest, so that the router links none. In the browser, entry.client.tsx takes out the
 * inlined ones.
 * @returns the stylesheets of the matched screens, to inline, and the context without links; in development Vite serves the
 * styles, so there are none to inline
 */
export function takeStylesheets(context: EntryContext): { sheets: Stylesheet[]; context: EntryContext } {
  if (import.meta.env.DEV) return { sheets: [], context }
  const routeIds = context.staticHandlerContext.matches.map(({ route }) => route.id)
  const hrefs = new Set(routeIds.flatMap((id) => orderStylesheets(id, context.manifest.routes[id]?.css ?? [])))
  const routes = Object.fromEntries(
    Object.entries(context.manifest.routes).map(([id, route]) => [id, route && { ...route, css: [] }]),
  )
  return {
    sheets: [...hrefs].map((href) => ({ href, css: cssOf(href) })),
    context: { ...context, manifest: { ...context.manifest, routes } },
  }
}
