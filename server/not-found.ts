import { displayedEdition } from '#app/cms/editions/displayed-edition.server.ts'
import { bestEncoding, type Ready, readyToSend } from './pages.ts'
import { patterns, renderDynamic } from './render.ts'
import type { Site } from './services.ts'

/** No screen has this path; the layout depends on a path's first step alone. */
const NO_SCREEN = '/no/esta/aqui'

/**
 * Answers unknown addresses from memory: all paths with the same first step share one page, which is rendered once a publication and phase.
 * There are as many pages as the site has first steps.
 */
export function createNotFound(site: Site) {
  const { services } = site
  const { publicUrl, hsts } = services.settings
  const steps = new Set(patterns().map(firstStep))
  let cachedPages = new Map<string, Promise<Ready>>()
  let cachedFor = ''

  async function draw(address: string): Promise<Ready> {
    const answer = await renderDynamic(new Request(new URL(address, publicUrl)), site, {
      id: '',
      nonce: '',
      client: '',
    })
    if (answer.status !== 404) throw new Error(`${address} is a screen`)
    const body = Buffer.from(await answer.arrayBuffer())
    const secure = publicUrl.startsWith('https:')
    return readyToSend(body, Object.fromEntries(answer.headers), { secure, hsts }, 'quick')
  }

  return async (pathname: string, accepted: string): Promise<Response> => {
    const shown = `${displayedEdition()?.publicationId} ${JSON.stringify(site.phases.at(services.clock.now()))}`
    if (cachedFor !== shown) cachedPages = new Map()
    cachedFor = shown
    const step = firstStep(pathname)
    const part = pathname.endsWith('.data') ? '.data' : ''
    const address = (steps.has(step) && step !== '' ? `/${step}` : '') + NO_SCREEN + part
    const drawn = cachedPages.get(address) ?? draw(address)
    cachedPages.set(address, drawn)
    drawn.catch(() => cachedPages.delete(address))
    const { heads, bodies } = await drawn
    const encoding = bestEncoding(accepted)
    const headers = new Headers()
    for (let at = 0; at < heads[encoding].length; at += 2) headers.set(heads[encoding][at]!, heads[encoding][at + 1]!)
    headers.set('cache-control', 'private, no-store')
    headers.delete('etag')
    return new Response(new Uint8Array(bodies[encoding]), { status: 404, headers })
  }
}

const firstStep = (pathname: string) => pathname.split('/')[1] ?? ''
