import { originOf, screensContext } from '#app/core/http/services.server.ts'
import type { Route } from './+types/sitemap.resource'

export const handle = { prerender: true }

export async function loader({ context }: Route.LoaderArgs) {
  const origin = originOf(context)
  const entries = (await context.get(screensContext)()).map((path) => `<url><loc>${origin}${path}</loc></url>\n`)
  return new Response(
    `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join('')}</urlset>\n`,
    { headers: { 'content-type': 'application/xml' } },
  )
}
