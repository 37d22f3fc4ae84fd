import { originOf } from '#app/core/http/services.server.ts'
import type { Route } from './+types/robots.resource'

export const handle = { prerender: true }

/** Paths that have nothing for search engines. The server protects them, not this file. */
const DISALLOWED_PATHS = ['/organizadores', '/archivos', '/subidas', '/misspopularidad-resultados']

export function loader({ context }: Route.LoaderArgs) {
  const lines = [
    'User-agent: *',
    ...DISALLOWED_PATHS.map((path) => `Disallow: ${path}`),
    '',
    `Sitemap: ${originOf(context)}/sitemap.xml`,
    '',
  ]
  return new Response(lines.join('\n'), { headers: { 'content-type': 'text/plain; charset=utf-8' } })
}
