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
  /** Pictures that are more than one size larger than this screen needs. */
  oversizedPictures: string[]
  /** Whether a JavaScript file was requested before the first picture had arrived. */
  isScriptBeforePicture: boolean
  /** Tag name and URL of the element of the largest contentful paint. */
  lcpElement: string
}

/** «Slow 4G» of the browser's developer tools: milliseconds, and bytes a second. */
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: (1.6e6 / 8) | 0, uploadThroughput: (750e3 / 8) | 0 }
const CPU_SLOWDOWN = 4
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true }
/** Time after the load until the measurements are read, in which late pictures and scripts still count. */
const SETTLE_MS = 6_000
/** A page that makes no request for this long is quiet. */
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
      // Playwright listens to the console, so V8 would parse all of React again at the first error object, to find its line
      // number. On a slow phone this takes 60 ms, which no visitor's browser spends.
      '--js-flags=--no-enable-lazy-source-positions',
    ],
    env: env as Record<string, string>,
  })
}

/** Gives a page the network and the processor of a slow phone. */
export async function slowDown(page: Page): Promise<CDPSession> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Network.enable')
  await cdp.send('Network.emulateNetworkConditions', SLOW_4G)
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
  return cdp
}

/**
 * Waits until a page makes no more requests. Playwright's `networkidle` comes once for each document, but all screens of this site
 * share one.
 */
export async function waitUntilQuiet(page: Page): Promise<void> {
  const countRequests = () => page.evaluate(() => performance.getEntriesByType('resource').length)
  for (
    let previousCount = -1, currentCount = await countRequests();
    currentCount !== previousCount;
    currentCount = await countRequests()
  ) {
    previousCount = currentCount
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

    const requestsById = new Map<
      string,
      { kind: string; url: string; sentAt: number; endedAt?: number; bytes: number; bodyBytes?: number }
    >()
    cdp.on('Network.requestWillBeSent', ({ requestId, type, request, timestamp }) => {
      requestsById.set(requestId, { kind: type ?? 'Other', url: request.url, sentAt: timestamp, bytes: 0 })
    })
    // Of scripts and documents only the bodies count, since every site has headers.
    cdp.on('Network.responseReceived', ({ requestId, response }) => {
      const request = requestsById.get(requestId)
      const bodyBytes = Number(response.headers['content-length'] ?? response.headers['Content-Length'])
      if (request && bodyBytes > 0) request.bodyBytes = bodyBytes
    })
    cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength, timestamp }) => {
      const request = requestsById.get(requestId)
      if (request) Object.assign(request, { bytes: encodedDataLength, endedAt: timestamp })
    })
    await page.addInitScript(() => {
      const measures = { lcpMs: 0, element: '', cls: 0, longTasks: [] as { startMs: number; durationMs: number }[] }
      Object.assign(window, { __measures: measures })
      new PerformanceObserver((list) => {
        const lastEntry = list.getEntries().at(-1) as PerformanceEntry & { element?: Element; url?: string }
        measures.lcpMs = lastEntry.startTime
        measures.element = `${lastEntry.element?.tagName ?? ''} ${lastEntry.url ?? ''}`
      }).observe({ type: 'largest-contentful-paint', buffered: true })
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
          if (!entry.hadRecentInput) measures.cls += entry.value
      }).observe({ type: 'layout-shift', buffered: true })
      new PerformanceObserver((list) => {
        for (const { startTime, duration } of list.getEntries())
          measures.longTasks.push({ startMs: startTime, durationMs: duration })
      }).observe({ type: 'longtask', buffered: true })
    })
    await page.goto(url, { waitUntil: 'load', timeout: 60_000 })
    await page.waitForTimeout(SETTLE_MS)
    const measures = await page.evaluate(() => {
      const { __measures } = window as unknown as {
        __measures: {
          lcpMs: number
          element: string
          cls: number
          longTasks: { startMs: number; durationMs: number }[]
        }
      }
      const fcpMs = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0
      const oversized = [...document.images].flatMap((image) => {
        const source = [...(image.parentElement?.querySelectorAll('source') ?? [])].find(
          ({ media }) => matchMedia(media || 'all').matches,
        )
        const offeredWidths = [...(source?.srcset ?? '').matchAll(/ (\d+)w/g)].map(([, width]) => Number(width))
        const loadedWidth = Number(/-(\d+)\.(avif|webp)$/.exec(image.currentSrc)?.[1])
        const { width, height } = image.getBoundingClientRect()
        const aspectRatio =
          image.width && image.height ? Number(image.getAttribute('width')) / Number(image.getAttribute('height')) : 1
        // A picture that covers its place may be wider than the place.
        const neededWidth = Math.max(width, height * aspectRatio) * devicePixelRatio
        const sharpWidth = offeredWidths.find((offered) => offered >= neededWidth * 0.98) ?? offeredWidths.at(-1)
        const index = offeredWidths.indexOf(sharpWidth ?? 0)
        return loadedWidth && width > 0 && loadedWidth > (offeredWidths[index + 1] ?? sharpWidth ?? loadedWidth)
          ? [`${image.currentSrc} at ${Math.round(neededWidth)}`]
          : []
      })
      return { ...__measures, fcpMs, oversized }
    })
    const requests = [...requestsById.values()]
    const scripts = requests.filter(({ kind, url }) => kind === 'Script' || /\.js(\?|$)/.test(url))
    const picture = requests.find(({ kind }) => kind === 'Image')
    return {
      fcpMs: measures.fcpMs,
      lcpMs: measures.lcpMs,
      lcpElement: measures.element,
      cls: measures.cls,
      tbtMs: measures.longTasks
        .filter(({ startMs }) => startMs >= measures.fcpMs)
        .reduce((sum, { durationMs }) => sum + Math.max(0, durationMs - 50), 0),
      scriptBytes: scripts.reduce((sum, { bytes, bodyBytes }) => sum + (bodyBytes ?? bytes), 0),
      totalBytes: requests.filter(({ kind }) => kind !== 'Media').reduce((sum, { bytes }) => sum + bytes, 0),
      documentBytes: requests.find(({ kind }) => kind === 'Document')?.bodyBytes ?? 0,
      oversizedPictures: measures.oversized,
      isScriptBeforePicture: scripts.some(({ sentAt }) => picture?.endedAt === undefined || sentAt < picture.endedAt),
    }
  } finally {
    await context.close()
  }
}

/**
 * Loads each page once as a warm-up, then all pages several times in turn without cache, so that each is measured while the machine
 * is equally busy.
 * @returns medians of the numbers, in the order of `urls`; oversized pictures and the LCP's element are of the first run, and
 * `isScriptBeforePicture` is true if it was in any run
 */
export async function compareLoads(urls: string[], runs: number): Promise<PageLoad[]> {
  const browser = await openBrowser()
  const loads: PageLoad[][] = urls.map(() => [])
  try {
    for (const url of urls) await loadOnce(browser, url)
    for (let run = 0; run < runs; run++)
      for (const [index, url] of urls.entries()) loads[index]!.push(await loadOnce(browser, url))
  } finally {
    await browser.close()
  }
  return loads.map((runLoads) => ({
    fcpMs: median(runLoads.map((load) => load.fcpMs)),
    lcpMs: median(runLoads.map((load) => load.lcpMs)),
    cls: median(runLoads.map((load) => load.cls)),
    tbtMs: median(runLoads.map((load) => load.tbtMs)),
    scriptBytes: median(runLoads.map((load) => load.scriptBytes)),
    totalBytes: median(runLoads.map((load) => load.totalBytes)),
    documentBytes: median(runLoads.map((load) => load.documentBytes)),
    oversizedPictures: runLoads[0]!.oversizedPictures,
    isScriptBeforePicture: runLoads.some((load) => load.isScriptBeforePicture),
    lcpElement: runLoads[0]!.lcpElement,
  }))
}
