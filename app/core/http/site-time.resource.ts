import type { Route } from './+types/site-time.resource'
import { servicesOf } from './services.server.ts'

/** Serves the site's time to screens in the browser (`useSiteTime`, `useOffline`). */
export function loader({ context }: Route.LoaderArgs) {
  const siteTime = servicesOf(context).services.clock.now().toISOString()
  return Response.json({ ahora: siteTime }, { headers: { 'cache-control': 'no-store' } })
}
