import { startSite } from '#tests/support/site/running-site.ts'
import { type Figure, median } from './figure.ts'
import { compareLoads, openBrowser, type PageLoad, settle, slowDown } from './page-load.ts'
import { startStaticTwin } from './static-twin.ts'
import { packedPage } from './throughput.ts'

const KB = 1024
const PATIENCE_MS = 10_000

/** Screens that the sitemap leaves out, or that look different while they are open. */
const ALSO = ['/registro', '/registro-traje-tipico', '/folio', '/misspopularidad']
/** A moment at which the vote is open. */
const CLOCK = { SITE_CLOCK: '2025-09-20T12:00-06:00' }

/** Measures every public screen on a slow phone without cache, beside its static twin. @param only measures only these paths */
export async function screenFigures(runs: number, say: (line: string) => void, only?: string[]): Promise<Figure[]> {
  const site = await startSite(CLOCK)
  const staticTwin = await startStaticTwin(site.url)
  try {
    const sitemap = await (await fetch(`${site.url}/sitemap.xml`)).text()
    const listed = [...sitemap.matchAll(/<loc>[^<]*?:\/\/[^/<]+([^<]*)<\/loc>/g)].map(([, path]) => path || '/')
    const paths = only ?? [...new Set([...listed, ...ALSO])]
    const figures: Figure[] = []
    for (const path of paths) {
      const [load, twin] = (await compareLoads([site.url + path, staticTwin.url + path], runs)) as [PageLoad, PageLoad]
      say(`${path}: lo más grande: ${load.lcpElement}`)
      for (const picture of load.widePictures) say(`${path}: más ancha de lo que pide la pantalla: ${picture}`)
      const of = (name: string, value: number, unit: string, atMost: number, base?: number): Figure => ({
        name: `${path}: ${name}`,
        value,
        unit,
        target: { atMost },
        ...(base === undefined ? {} : { baseline: { name: 'gemela sin guiones', value: base } }),
      })
      const own = [
        of('LCP', load.lcpMs, 'ms', 900, twin.lcpMs),
        of('LCP, en proporción', load.lcpMs / twin.lcpMs, '×', 1.05),
        of('FCP', load.fcpMs, 'ms', 600, twin.fcpMs),
        of('CLS', load.cls, '', 0),
        of('TBT', load.tbtMs, 'ms', 50),
        of('JavaScript, brotli', load.scriptBytes / KB, 'KB', 105),
        of('documento, brotli', load.documentBytes / KB, 'KB', 14),
        of('todo sin el video', load.totalBytes / KB, 'KB', 350),
        of('imágenes más anchas que su lugar', load.widePictures.length, '', 0),
      ]
      say(
        `${path}: ${own.map(({ name, value, unit }) => `${name.replace(`${path}: `, '')} ${value.toPrecision(3)} ${unit}`).join(' · ')}`,
      )
      figures.push(...own)
    }
    return figures
  } finally {
    staticTwin.stop()
    await site.stop()
  }
}

/**
 * Measures the time from the click on a prefetched navigation link to the new screen in the document, on a slow phone and on this
 * machine.
 */
export async function changeFigures(runs: number): Promise<Figure[]> {
  const site = await startSite(CLOCK)
  await packedPage(`${site.url}/`)
  const browser = await openBrowser()
  const times = new Map<string, number[]>()
  try {
    for (let run = 0; run < 2 * runs; run++) {
      const isSlow = run % 2 === 0
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
      if (isSlow) await slowDown(page)
      await page.goto(site.url, { waitUntil: 'networkidle', timeout: 60_000 })
      await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
      const links = await page
        .locator('nav a')
        .evaluateAll((all) =>
          all
            .map((link) => (link as HTMLAnchorElement).pathname)
            .filter((path) => path !== '/misspopularidad' && path !== '/medios'),
        )
      // The way through the links begins and ends at the home.
      links.sort((a, b) => Number(a === '/') - Number(b === '/'))
      for (const path of links) {
        // The site prefetches the home when the pointer comes near its link, and other screens once their link is in view.
        const link = page.locator(`nav a[href="${path}"]`)
        if (path === '/') await link.dispatchEvent('pointerenter')
        await page.waitForFunction(
          (data) => performance.getEntriesByType('resource').some(({ name }) => name === data),
          `${site.url}${path === '/' ? '/_' : path}.data`,
        )
        await settle(page)
        const ms = await page.evaluate(
          ({ to, patienceMs }) =>
            new Promise<number>((resolve, reject) => {
              const title = document.title
              const began = performance.now()
              document.querySelector<HTMLAnchorElement>(`nav a[href="${to}"]`)!.click()
              const look = () => {
                const ms = performance.now() - began
                if (location.pathname === to && document.title !== title && document.querySelector('h1')) resolve(ms)
                else if (ms > patienceMs) reject(new Error(`${to} did not come`))
                else requestAnimationFrame(look)
              }
              look()
            }),
          { to: path, patienceMs: PATIENCE_MS },
        )
        const name = `cambio de pantalla a ${path}, ${isSlow ? 'CPU ÷ 4' : 'sin freno'}`
        times.set(name, [...(times.get(name) ?? []), ms])
      }
      await page.close()
    }
  } finally {
    await browser.close()
    await site.stop()
  }
  return [...times].map(([name, all]) => ({
    name,
    value: median(all),
    unit: 'ms',
    target: { atMost: name.endsWith('sin freno') ? 50 : 100 },
  }))
}
