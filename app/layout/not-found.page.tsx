import { data } from 'react-router'
import { pageMeta } from '#app/cms/page-meta.ts'
import type { Route } from './+types/not-found.page'
import { esDelPanel } from './navigation.ts'
import { NotFound } from './not-found.tsx'

/** Takes every address that is no screen. It is a route of its own, so that header and footer have their data. */
export const loader = () => data(null, { status: 404 })

/**
 * Documents of visitors know no route of the panel (route-manifest.server.ts), so that a link, a redirect or Back that leads
 * there from one of them ends here, and asks for its document.
 */
export async function clientLoader({ request, serverLoader }: Route.ClientLoaderArgs) {
  const { pathname, href } = new URL(request.url)
  if (!esDelPanel(pathname)) return serverLoader()
  location.assign(href)
  return new Promise<never>(() => {})
}

export const handle = { noindex: true }

export const meta: Route.MetaFunction = (args) => pageMeta({ pantalla: 'Página no encontrada' }, args)

export default NotFound
