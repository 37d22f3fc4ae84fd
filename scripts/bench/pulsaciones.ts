import type { Page } from '@playwright/test'
import { startSite } from '../../tests/running-site.ts'
import type { Figure } from './figure.ts'
import { openBrowser, PHONE, settle, slowDown } from './page-load.ts'
import { packedPage } from './throughput.ts'

/** A moment at which the vote is open. */
const CLOCK = { SITE_CLOCK: '2025-09-20T12:00-06:00' }
/** Event Timing reports no shorter interactions; unreported ones count as this long. */
const SHORTEST_MS = 16

/** How long a person looks before a tap, and after it. */
const LOOK_MS = 400

/** One step of a journey: a tap or a key press. */
type Press = (page: Page) => Promise<void>

const touch =
  (find: (page: Page) => ReturnType<Page['locator']>): Press =>
  async (page) => {
    await find(page).scrollIntoViewIfNeeded()
    await page.waitForTimeout(LOOK_MS)
    // `force` skips Playwright's check of the tapped element, whose event listeners would count in the measurement.
    await find(page).tap({ force: true })
    await page.waitForTimeout(LOOK_MS)
  }
const key =
  (name: string): Press =>
  (page) =>
    page.keyboard.press(name)

const menu = touch((page) => page.getByRole('button', { name: 'Menú', exact: true }))
const times = (count: number, press: Press): Press[] => Array.from({ length: count }, () => press)

/** More than thirty taps and key presses: menu, carousel, lightbox, vote, form. */
const JOURNEY: { path: string; presses: Press[] }[] = [
  { path: '/', presses: [menu, key('Escape'), menu, key('Escape')] },
  {
    path: '/convocatoria',
    presses: times(
      4,
      touch((page) => page.getByRole('button', { name: /siguiente/i }).first()),
    ),
  },
  {
    path: '/candidatas',
    presses: [
      touch((page) => page.locator('main a[aria-haspopup="dialog"]').first()),
      ...times(4, key('ArrowRight')),
      key('Escape'),
      touch((page) => page.getByRole('button', { name: /^Compartir/ }).first()),
      key('Escape'),
    ],
  },
  {
    path: '/misspopularidad',
    presses: [
      touch((page) => page.getByRole('button', { name: /^Votar/ }).first()),
      ...[...'lucia'].map(key),
      key('Enter'),
      key('Escape'),
    ],
  },
  {
    path: '/registro',
    presses: [
      touch((page) => page.getByRole('textbox').first()),
      ...[...'Ana'].map(key),
      key('Tab'),
      ...[...'1'].map(key),
      touch((page) => page.getByRole('button', { name: /registr/i }).last()),
    ],
  },
]

/** How long a visitor on a slow phone waits for the answer to a tap or key (Interaction to Next Paint, by Event Timing). */
export async function pressFigures(runs: number, say: (line: string) => void): Promise<Figure[]> {
  const site = await startSite(CLOCK)
  await packedPage(`${site.url}/`)
  const browser = await openBrowser()
  const all: number[] = []
  let presses = 0
  try {
    for (let run = 0; run < runs; run++)
      for (const { path, presses: those } of JOURNEY) {
        const context = await browser.newContext({ ...PHONE, locale: 'es-MX' })
        const page = await context.newPage()
        await slowDown(page)
        await page.addInitScript((shortest) => {
          const seen = new Map<number, number>()
          Object.assign(window, { __pulsaciones: seen })
          new PerformanceObserver((list) => {
            for (const { duration, interactionId } of list.getEntries() as (PerformanceEntry & {
              interactionId: number
            })[])
              if (interactionId) seen.set(interactionId, Math.max(seen.get(interactionId) ?? 0, duration))
          }).observe({ type: 'event', buffered: true, durationThreshold: shortest } as PerformanceObserverInit)
        }, SHORTEST_MS)
        await page.goto(site.url + path)
        await page.locator('html[data-despierta]').waitFor({ state: 'attached' })
        await settle(page)
        for (const press of those) {
          await press(page)
          presses++
          await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 150))))
        }
        const seen = await page.evaluate(() => [
          ...(window as unknown as { __pulsaciones: Map<number, number> }).__pulsaciones.values(),
        ])
        say(`${path}: ${seen.map((ms) => Math.round(ms)).join(' ')} ms`)
        all.push(...seen)
        await context.close()
      }
  } finally {
    await browser.close()
    await site.stop()
  }
  // Interactions below SHORTEST_MS are not reported, and count as SHORTEST_MS.
  const sorted = [...all, ...Array.from({ length: Math.max(0, presses - all.length) }, () => SHORTEST_MS)].sort(
    (a, b) => a - b,
  )
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)]!
  return [
    { name: `respuesta a ${presses} pulsaciones, CPU ÷ 4: p98`, value: at(0.98), unit: 'ms', target: { atMost: 100 } },
    { name: 'respuesta a una pulsación, CPU ÷ 4: mediana', value: at(0.5), unit: 'ms' },
  ]
}
