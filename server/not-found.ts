import { displayedEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { bestEncoding, type CompressedResponse, compressResponse } from './pages.ts'
import { renderDynamic, routePatterns } from './render.ts'
import type { Site } from './services.ts'

/** A path without a screen, appended to a first segment: the layout of the page depends on that segment only. */
const UNKNOWN_PATH = '/no/esta/aqui'

/**
 * Creates a handler that answers unknown paths from memory. All paths with the same first segment of the site share one page, and
 * all other paths another. A page and its data are rendered once for each publication and phase, so their number is small.
 */
export function createNotFound(site: Site) {
  const { services } = site
  const { publicUrl, hsts } = services.settings
  const firstSegments = new Set(routePatterns().map(firstSegmentOf))
  let cachedPages = new Map<string, Promise<CompressedResponse>>()
  let currentCacheKey = ''

  async function render(path: string): Promise<CompressedResponse> {
    const response = await renderDynamic(new Request(new URL(path, publicUrl)), site, {
      id: '',
      nonce: '',
      client: '',
    })
    if (response.status !== 404) throw new Error(`${path} is a screen`)
    const body = Buffer.from(await response.arrayBuffer())
    const isHttps = publicUrl.startsWith('https:')
    return compressResponse(body, Object.fromEntries(response.headers), { isHttps, hsts }, 'quick')
  }

  return async (pathname: string, acceptEncoding: string): Promise<Response> => {
    const cacheKey = `${displayedEdition()?.publicationId} ${JSON.stringify(site.phases.at(services.clock.now()))}`
    if (currentCacheKey !== cacheKey) cachedPages = new Map()
    currentCacheKey = cacheKey
    const segment = firstSegmentOf(pathname)
    const extension = pathname.endsWith('.data') ? '.data' : ''
    const path = (firstSegments.has(segment) && segment !== '' ? `/${segment}` : '') + UNKNOWN_PATH + extension
    const page = cachedPages.get(path) ?? render(path)
    cachedPages.set(path, page)
    page.catch(() => cachedPages.delete(path))
    const { heads, bodies } = await page
    const encoding = bestEncoding(acceptEncoding)
    const headers = new Headers()
    const head = heads[encoding]
    for (let index = 0; index < head.length; index += 2) headers.set(head[index]!, head[index + 1]!)
    headers.set('cache-control', 'private, no-store')
    headers.delete('etag')
    return new Response(new Uint8Array(bodies[encoding]), { status: 404, headers })
  }
}

const firstSegmentOf = (pathname: string) => pathname.split('/')[1] ?? ''
