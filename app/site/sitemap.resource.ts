import { originOf, screensContext } from '#app/core/http/services.server.ts'
import type { Route } from './+types/sitemap.resource'

export const handle = { ahead: true }

export async function loader({ context }: Route.LoaderArgs) {
  const origen = originOf(context)
  const direcciones = (await context.get(screensContext)()).map((ruta) => `<url><loc>${origen}${ruta}</loc></url>\n`)
  return new Response(
    `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${direcciones.join('')}</urlset>\n`,
    { headers: { 'content-type': 'application/xml' } },
  )
}
