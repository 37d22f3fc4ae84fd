import { type Browser, type CDPSession, chromium, type Page } from '@playwright/test'
import { median } from './figure.ts'

export interface PageLoad {
  fcpMs: number
  lcpMs: number
  cls: number
  tbtMs: number
  /** JavaScript as sent. */
  scriptBytes: number
  /** All responses as sent, without videos. */
  totalBytes: number
  /** The document's body as sent. */
  documentBytes: number
  /** Pictures for which a smaller size would have been sharp on this screen. */
  widePictures: string[]
  /** Whether a JavaScript file was requested before the first picture had arrived. */
  scriptBeforePicture: boolean
  lcpElement: string
}

/** «Slow 4G» of the browser's developer tools. */
const NETWORK = { offline: false, latency: 150, downloadThroughput: (1.6e6 / 8) | 0, uploadThroughput: (750e3 / 8) | 0 }
const CPU_SLOWDOWN = 4
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true }
const SETTLE_MS = 6_000
const QUIET_MS = 1_500

export function openBrowser(): Promise<Browser> {
  // The build hides the machine's fonts from itself (scripts/build-steps/share-cards.ts), but the browser needs them as fallbacks.
  const { FONTCONFIG_FILE: _, ...env } = process.env
  return chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      // Playwright listens to the console: at the first error that React makes ready, V8 would read all of React once
      // more to know its line, 60 ms of a slow phone that no visitor's browser spends.
      '--js-flags=--no-enable-lazy-source-positions',
    ],
    env: env as Record<string, string>,
  })
}

/** Gives a page the network and the processor of a slow phone. */
export async function slowDown(page: Page): Promise<CDPSession> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Network.enable')
  await cdp.send('Network.emulateNetworkConditions', NETWORK)
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
  return cdp
}

/** Waits until a page makes no more requests. `networkidle` comes once a document, and this site's screens share a document. */
export async function settle(page: Page): Promise<void> {
  const asked = () => page.evaluate(() => performance.getEntriesByType('resource').length)
  for (let before = -1, now = await asked(); now !== before; now = await asked()) {
    before = now
    await page.waitForTimeout(QUIET_MS)
  }
}

/** Loads a page once, without cache, and without touching it. */
async function loadOnce(browser: Browser, url: string): Promise<PageLoad> {
  const context = await browser.newContext({ ...PHONE, locale: 'es-MX' })
  try {
    const page = await context.newPage()
    const cdp = await slowDown(page)
    await cdp.send('Network.setCacheDisabled', { cacheDisabled: true })

    const kinds = new Map<
      string,
      { kind: string; url: string; sent: number; done?: number; bytes: number; body?: number }
    >()
    cdp.on('Network.requestWillBeSent', ({ requestId, type, request, timestamp }) => {
      kinds.set(requestId, { kind: type ?? 'Other', url: request.url, sent: timestamp, bytes: 0 })
    })
    // Only the bodies of scripts count, since every site has headers.
    cdp.on('Network.responseReceived', ({ requestId, response }) => {
      const found = kinds.get(requestId)
      const length = Number(response.headers['content-length'] ?? response.headers['Content-Length'])
      if (found && length > 0) found.body = length
    })
    cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength, timestamp }) => {
      const found = kinds.get(requestId)
      if (found) Object.assign(found, { bytes: encodedDataLength, done: timestamp })
    })
    await page.addInitScript(() => {
      const seen = { lcp: 0, element: '', cls: 0, long: [] as { start: number; ms: number }[] }
      Object.assign(window, { __seen: seen })
      new PerformanceObserver((list) => {
        const last = list.getEntries().at(-1) as PerformanceEntry & { element?: Element; url?: string }
        seen.lcp = last.startTime
        seen.element = `${last.element?.tagName ?? ''} ${last.url ?? ''}`
      }).observe({ type: 'largest-contentful-paint', buffered: true })
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
          if (!entry.hadRecentInput) seen.cls += entry.value
      }).observe({ type: 'layout-shift', buffered: true })
      new PerformanceObserver((list) => {
        for (const { startTime, duration } of list.getEntries()) seen.long.push({ start: startTime, ms: duration })
      }).observe({ type: 'longtask', buffered: true })
    })
    await page.goto(url, { waitUntil: 'load', timeout: 60_000 })
    await page.waitForTimeout(SETTLE_MS)
    const seen = await page.evaluate(() => {
      const { __seen } = window as unknown as {
        __seen: { lcp: number; element: string; cls: number; long: { start: number; ms: number }[] }
      }
      const fcp = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0
      // For each loaded picture, this collects the widths offered and the smallest of them that is sharp in its place.
      const wide = [...document.images].flatMap((image) => {
        const source = [...(image.parentElement?.querySelectorAll('source') ?? [])].find(
          ({ media }) => matchMedia(media || 'all').matches,
        )
        const offered = [...(source?.srcset ?? '').matchAll(/ (\d+)w/g)].map(([, width]) => Number(width))
        const got = Number(/-(\d+)\.(avif|webp)$/.exec(image.currentSrc)?.[1])
        const { width, height } = image.getBoundingClientRect()
        const ratio =
          image.width && image.height ? Number(image.getAttribute('width')) / Number(image.getAttribute('height')) : 1
        // A picture that covers its place may be wider than the place.
        const asked = Math.max(width, height * ratio) * devicePixelRatio
        const enough = offered.find((one) => one >= asked * 0.98) ?? offered.at(-1)
        const at = offered.indexOf(enough ?? 0)
        return got && width > 0 && got > (offered[at + 1] ?? enough ?? got)
          ? [`${image.currentSrc} at ${Math.round(asked)}`]
          : []
      })
      return { ...__seen, fcp, wide }
    })
    const requests = [...kinds.values()]
    const scripts = requests.filter(({ kind, url }) => kind === 'Script' || /\.js(\?|$)/.test(url))
    const picture = requests.find(({ kind }) => kind === 'Image')
    return {
      fcpMs: seen.fcp,
      lcpMs: seen.lcp,
      lcpElement: seen.element,
      cls: seen.cls,
      tbtMs: seen.long.filter(({ start }) => start >= seen.fcp).reduce((sum, { ms }) => sum + Math.max(0, ms - 50), 0),
      scriptBytes: scripts.reduce((sum, { bytes, body }) => sum + (body ?? bytes), 0),
      totalBytes: requests.filter(({ kind }) => kind !== 'Media').reduce((sum, { bytes }) => sum + bytes, 0),
      documentBytes: requests.find(({ kind }) => kind === 'Document')?.body ?? 0,
      widePictures: seen.wide,
      scriptBeforePicture: scripts.some(({ sent }) => picture?.done === undefined || sent < picture.done),
    }
  } finally {
    await context.close()
  }
}

/** Loads the pages several times in turn without cache, so that all are measured while the machine is equally busy. */
export async function compareLoads(urls: string[], runs: number): Promise<PageLoad[]> {
  const browser = await openBrowser()
  const loads: PageLoad[][] = urls.map(() => [])
  try {
    for (const url of urls) await loadOnce(browser, url)
    for (let run = 0; run < runs; run++)
      for (const [at, url] of urls.entries()) loads[at]!.push(await loadOnce(browser, url))
  } finally {
    await browser.close()
  }
  return loads.map((all) => ({
    fcpMs: median(all.map((load) => load.fcpMs)),
    lcpMs: median(all.map((load) => load.lcpMs)),
    cls: median(all.map((load) => load.cls)),
    tbtMs: median(all.map((load) => load.tbtMs)),
    scriptBytes: median(all.map((load) => load.scriptBytes)),
    totalBytes: median(all.map((load) => load.totalBytes)),
    documentBytes: median(all.map((load) => load.documentBytes)),
    widePictures: all[0]!.widePictures,
    scriptBeforePicture: all.some((load) => load.scriptBeforePicture),
    lcpElement: all[0]!.lcpElement,
  }))
}
