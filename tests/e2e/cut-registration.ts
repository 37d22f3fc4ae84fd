import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page, Route } from '@playwright/test'
import { button, chooseDocuments, documents, fillFields } from './registration-form.ts'
import type { Site } from './site.ts'

export const good = (page: Page) => page.getByRole('status').filter({ hasText: 'Registro exitoso.' })
export const whole = (page: Page) => page.getByRole('progressbar', { name: 'Avance del registro' })
export const goOn = (page: Page) => page.getByRole('button', { name: 'Continuar donde me quedé' })

export async function storedBytes(site: Site, name: string, kind: string): Promise<Buffer[]> {
  const [row] = await site.sql<{ carpeta: string }>('select carpeta from registros where nombre = $1', [name])
  const paths = (await site.objects('registro')).filter((path) => path.startsWith(`${row!.carpeta}/${kind}`))
  return Promise.all(paths.map((path) => readFile(join(site.dataDir, 'objects/registro', path))))
}

export const percentOf = (page: Page) => whole(page).evaluate((bar: HTMLProgressElement) => bar.value)

export const countOf = async (site: Site, name: string) =>
  (await site.sql('select id from registros where nombre = $1', [name])).length

/** Lets this many chunks pass, then holds every upload until `open` is called. */
export async function gate(page: Page, pieces: number) {
  let passed = 0
  let open = () => {}
  const held = new Promise<void>((resolve) => {
    open = resolve
  })
  const handler = async (route: Route) => {
    if (route.request().method() === 'PATCH' && ++passed > pieces) await held
    await route.continue().catch(() => {})
  }
  await page.route('**/subidas/**', handler)
  return { open, seen: () => passed, lift: () => page.unroute('**/subidas/**', handler) }
}

/** Fills and sends a form with three photographs of three chunks each, and three files of one chunk. */
export async function fillAndSend(page: Page, name: string, bytes = 2_500_000) {
  const sent = documents(bytes)
  await fillFields(page, { nombre: name })
  await chooseDocuments(page, sent)
  await button(page).click()
  return sent
}
