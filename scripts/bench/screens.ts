import { startSite } from '#tests/support/site/running-site.ts'
import { type Figure, median } from './figure.ts'
import { compareLoads, openBrowser, type PageLoad, slowDown, waitUntilQuiet } from './page-load.ts'
import { startStaticTwin } from './static-twin.ts'
import { waitForBestCompression } from './throughput.ts'

const KIB = 1024
const MAX_CHANGE_MS = 10_000

/** Screens that are measured besides the sitemap's screens. */
const MORE_SCREENS = ['/registro', '/registro-traje-tipico', '/folio', '/misspopularidad']
/** A moment at which the vote is open. */
const CLOCK = { SITE_CLOCK: '2025-09-20T12:00-06:00' }

/** Measures public screens on a slow phone without cache, beside their static twins. @param only paths; by default every screen */
export async function measureScreens(runs: number, say: (line: string) => void, only?: string[]): Promise<Figure[]> {
  const site = await startSite(CLOCK)
  const staticTwin = await startStaticTwin(site.url)
  try {
    const sitemap = await (await fetch(`${site.url}/sitemap.xml`)).text()
    const listedPaths = [...sitemap.matchAll(/<loc>[^<]*?:\/\/[^/<]+([^<]*)<\/loc>/g)].map(([, path]) => path || '/')
    const paths = only ?? [...new Set([...listedPaths, ...MORE_SCREENS])]
    const figures: Figure[] = []
    for (const path of paths) {
      const [load, twin] = (await compareLoads([site.url + path, staticTwin.url + path], runs)) as [PageLoad, PageLoad]
      say(`${path}: lo más grande: ${load.lcpElement}`)
      for (const picture of load.oversizedPictures) say(`${path}: más ancha de lo que pide la pantalla: ${picture}`)
      const figureOf = (name: string, value: number, unit: string, atMost: number, baselineValue?: number): Figure => ({
        name: `${path}: ${name}`,
        value,
        unit,
        target: { atMost },
        ...(baselineValue === undefined ? {} : { baseline: { name: 'gemela sin guiones', value: baselineValue } }),
      })
      const screenFigures = [
        figureOf('LCP', load.lcpMs, 'ms', 900, twin.lcpMs),
        figureOf('LCP, en proporción', load.lcpMs / twin.lcpMs, '×', 1.05),
        figureOf('FCP', load.fcpMs, 'ms', 600, twin.fcpMs),
        figureOf('CLS', load.cls, '', 0),
        figureOf('TBT', load.tbtMs, 'ms', 50),
        figureOf('JavaScript, brotli', load.scriptBytes / KIB, 'KB', 105),
        figureOf('documento, brotli', load.documentBytes / KIB, 'KB', 14),
        figureOf('todo sin el video', load.totalBytes / KIB, 'KB', 350),
        figureOf('imágenes más anchas que su lugar', load.oversizedPictures.length, '', 0),
      ]
      say(
        `${path}: ${screenFigures.map(({ name, value, unit }) => `${name.replace(`${path}: `, '')} ${value.toPrecision(3)} ${unit}`).join(' · ')}`,
      )
      figures.push(...screenFigures)
    }
    return figures
  } finally {
    staticTwin.stop()
    await site.stop()
  }
}

/**
 * Measures the time from the click on a prefetched navigation link to the new screen in the document, with the network and the
 * processor of a slow phone, and with those of this machine.
 */
export async function measureScreenChanges(runs: number): Promise<Figure[]> {
  const site = await startSite(CLOCK)
  await waitForBestCompression(`${site.url}/`)
  const browser = await openBrowser()
  const timesByName = new Map<string, number[]>()
  try {
    for (let run = 0; run < 2 * runs; run++) {
      const isSlow = run % 2 === 0
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
      if (isSlow) await slowDown(page)
      await page.goto(site.url, { waitUntil: 'networkidle', timeout: 60_000 })
      await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
      const links = await page
        .locator('nav a')
        .evaluateAll((links) =>
          links
            .map((link) => (link as HTMLAnchorElement).pathname)
            .filter((path) => path !== '/misspopularidad' && path !== '/medios'),
        )
      // The home comes last, so that the visit begins and ends there.
      links.sort((a, b) => Number(a === '/') - Number(b === '/'))
      for (const path of links) {
        // The site prefetches the home when the pointer comes near its link, and other screens once their link is in view.
        const link = page.locator(`nav a[href="${path}"]`)
        if (path === '/') await link.dispatchEvent('pointerenter')
        await page.waitForFunction(
          (dataUrl) => performance.getEntriesByType('resource').some(({ name }) => name === dataUrl),
          `${site.url}${path === '/' ? '/_' : path}.data`,
        )
        await waitUntilQuiet(page)
        const ms = await page.evaluate(
          ({ to, maxChangeMs }) =>
            new Promise<number>((resolve, reject) => {
              const title = document.title
              const startedAtMs = performance.now()
              document.querySelector<HTMLAnchorElement>(`nav a[href="${to}"]`)!.click()
              const checkDisplayed = () => {
                const ms = performance.now() - startedAtMs
                if (location.pathname === to && document.title !== title && document.querySelector('h1')) resolve(ms)
                else if (ms > maxChangeMs) reject(new Error(`${to} did not come`))
                else requestAnimationFrame(checkDisplayed)
              }
              checkDisplayed()
            }),
          { to: path, maxChangeMs: MAX_CHANGE_MS },
        )
        const name = `cambio de pantalla a ${path}, ${isSlow ? 'CPU ÷ 4' : 'sin freno'}`
        timesByName.set(name, [...(timesByName.get(name) ?? []), ms])
      }
      await page.close()
    }
  } finally {
    await browser.close()
    await site.stop()
  }
  return [...timesByName].map(([name, timesMs]) => ({
    name,
    value: median(timesMs),
    unit: 'ms',
    target: { atMost: name.endsWith('sin freno') ? 50 : 100 },
  }))
}
