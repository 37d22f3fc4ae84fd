import { data } from 'react-router'
import { pageMeta } from '#app/cms/page-meta.ts'
import type { Route } from './+types/not-found.page'
import { isPanelScreen } from './navigation.ts'
import { NotFound } from './not-found.tsx'

/**
 * Answers unknown URLs with 404. This is a catch-all route instead of an error, so that the root loader gives header and footer
 * their data.
 */
export const loader = () => data(null, { status: 404 })

/**
 * Loads the panel as a document. Visitors' documents know no route of the panel (route-manifest.server.ts), so a link, a redirect
 * or Back that leads from them to the panel ends here. Any other path is not found.
 */
export async function clientLoader({ request, serverLoader }: Route.ClientLoaderArgs) {
  const { pathname, href } = new URL(request.url)
  if (!isPanelScreen(pathname)) return serverLoader()
  location.assign(href)
  return new Promise<never>(() => {})
}

export const handle = { noindex: true }

export const meta: Route.MetaFunction = (args) => pageMeta({ screen: 'Página no encontrada' }, args)

export default NotFound
