import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as later } from 'node:timers/promises'
import { signedIn } from '../../e2e/accounts.ts'
import { SCREENS } from '../../e2e/public-screens.ts'
import { expect, test } from '../../e2e/site.ts'

test.use({ viewport: { width: 390, height: 844 } })

const CHUNK_BYTES = 2_000
/** One frame between two pieces, so that each may be painted by itself. */
const PAUSE_MS = 17
/** How far late fonts may move a text, as a layout shift score. */
const LETTERS = 0.005

/** How long half a document may wait for its first paint. Then the rest is sent, and the test reports the missing paint. */
const PATIENCE_MS = 15_000
const PAINTED = '/pintado'

/** A slow proxy: half a document comes piece by piece, the rest once that half is painted, and other files at once. */
async function weakNetwork(to: string) {
  const painted = Promise.withResolvers<void>()
  const server = createServer((asked, answer) => {
    if (asked.url === PAINTED) {
      painted.resolve()
      return void answer.writeHead(204).end()
    }
    const document = asked.headers['sec-fetch-dest'] === 'document'
    const headers = { ...asked.headers, ...(document && { 'accept-encoding': 'identity' }) }
    asked.pipe(
      request(new URL(asked.url!, to), { method: asked.method!, headers }, async (came) => {
        answer.writeHead(came.statusCode!, came.headers)
        if (!document) return void came.pipe(answer)
        const html = Buffer.concat(await came.toArray())
        later(PATIENCE_MS, undefined, { ref: false }).then(painted.resolve)
        const body = html.indexOf('<body')
        const half = body + (html.byteLength - body) / 2
        for (let from = 0; from < html.byteLength; from += CHUNK_BYTES) {
          answer.write(html.subarray(from, from + CHUNK_BYTES))
          await later(PAUSE_MS)
          if (from >= half) await painted.promise
        }
        answer.end()
      }),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://localhost:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

// Some of the screens are press pages, which show their login wall without an account.
const VISITS = [
  ...[...SCREENS, '/misspopularidad/acta'].map((path) => ({ path, who: 'prensa' as const })),
  ...['/medios', '/galeria-candidatas'].map((path) => ({ path, who: 'nobody' as const })),
]
for (const { path, who } of VISITS)
  test(`${path} for ${who}: the painted half of a document stays where it is when the rest comes`, async ({
    page,
    context,
    site,
  }) => {
    await using network = await weakNetwork(site.url)
    if (who !== 'nobody') {
      const { name, value } = await signedIn(site, who)
      await context.addCookies([{ name, value, url: network.url }])
    }
    await page.addInitScript((PAINTED) => {
      // The paint is reported, since a busy machine may paint half a document long before the next piece, or long after.
      new PerformanceObserver((list) => {
        if (list.getEntriesByName('first-contentful-paint').length > 0) void fetch(PAINTED)
      }).observe({ type: 'paint', buffered: true })
      const moved: { value: number; what: string }[] = []
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as (PerformanceEntry & {
          value: number
          sources: { node: Node | null }[]
        })[])
          moved.push({
            value: entry.value,
            what: entry.sources.map(({ node }) => node?.textContent?.slice(0, 40)).join(' | '),
          })
      }).observe({ type: 'layout-shift', buffered: true })
      Object.assign(window, { moved })
    }, PAINTED)
    await page.goto(network.url + path, { waitUntil: 'load' })
    await page.evaluate(() => document.fonts.ready.then(() => undefined))
    const { moved, half } = await page.evaluate(() => {
      const [paint] = performance.getEntriesByName('first-contentful-paint')
      const [document] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
      return {
        moved: (window as unknown as { moved: { value: number; what: string }[] }).moved,
        half: paint!.startTime < document!.responseEnd,
      }
    })
    expect(half, 'painted before the document was whole').toBe(true)
    expect(
      moved.filter(({ value }) => value > LETTERS),
      path,
    ).toEqual([])
  })
