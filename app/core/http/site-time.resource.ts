import type { Route } from './+types/site-time.resource'
import { servicesOf } from './services.server.ts'

/** The site's time, for prerendered screens. */
export function loader({ context }: Route.LoaderArgs) {
  const now = servicesOf(context).services.clock.now().toISOString()
  return Response.json({ ahora: now }, { headers: { 'cache-control': 'no-store' } })
}
