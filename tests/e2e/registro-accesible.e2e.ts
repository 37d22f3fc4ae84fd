import type { Page } from '@playwright/test'
import { DIAS_PRIVACIDAD } from '#app/ajustes/schema.ts'
import { expectAccessible } from './accessible.ts'
import { boton, chooseDocumentos, documentos, fillCampos, foto, openRegistro, pdf } from './documentos.ts'
import { expect, test } from './site.ts'

test.use({ reducedMotion: 'reduce' })

/** Nothing is cut off or pushed out of the screen, whatever the names of the files. */
const expectNoSidewaysScroll = async (page: Page) =>
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)

test.describe('on the smallest phone, with text twice as large', () => {
  test.use({ viewport: { width: 320, height: 700 } })
  for (const path of ['/registro', '/registro-traje-tipico', '/folio']) {
    test(path, async ({ page }) => {
      await page.goto(path)
      await page.evaluate(() => {
        document.documentElement.style.fontSize = '200%'
      })
      await expectNoSidewaysScroll(page)
    })
  }
})

const LARGO = `constancia_${'muy_'.repeat(40)}larga.pdf`

for (const width of [360, 1440]) {
  test.describe(`at ${width} px`, () => {
    test.use({ viewport: { width, height: 800 } })

    test('blank, and with everything chosen', async ({ page }) => {
      await openRegistro(page)
      await expectAccessible(page, { targets: true })
      await fillCampos(page)
      await chooseDocumentos(page, { ...documentos(), acta: pdf('acta*.pdf'), constancia: pdf(LARGO) })
      await expect(page.getByText('cuerpo.jpg')).toBeVisible()
      await expectAccessible(page, { targets: true })
      await expectNoSidewaysScroll(page)
    })

    test('refused: a file, then the form', async ({ page }) => {
      await openRegistro(page)
      await page.getByLabel('Foto Rostro', { exact: true }).setInputFiles(foto('niña.jpg'))
      await expect(page.getByRole('alert')).toBeVisible()
      await expectAccessible(page, { targets: true })
      await expectNoSidewaysScroll(page)
      await boton(page).click()
      await expect(page.locator('#resultado').getByRole('alert')).toBeVisible()
      await expectAccessible(page, { targets: true })
    })

    test('sending, offered again, and received', async ({ page, context }) => {
      await openRegistro(page)
      let pieces = 0
      await page.route('**/subidas/**', async (route) => {
        if (++pieces <= 3) await route.continue()
      })
      await fillCampos(page)
      await chooseDocumentos(page, documentos(2_500_000))
      await boton(page).click()
      await expect.poll(() => pieces).toBeGreaterThan(3)
      await expectAccessible(page, { targets: true })
      await expectNoSidewaysScroll(page)
      await page.close()
      const other = await context.newPage()
      await openRegistro(other)
      await expect(other.getByRole('heading', { name: 'Tienes un registro a medias' })).toBeVisible()
      await expectAccessible(other)
      await other.getByRole('button', { name: 'Continuar donde me quedé' }).click()
      await expect(other.getByRole('status').filter({ hasText: 'Registro exitoso.' })).toBeVisible({ timeout: 40_000 })
      await expectAccessible(other)
    })

    test('taken up again', async ({ page }) => {
      await openRegistro(page)
      await fillCampos(page)
      await chooseDocumentos(page)
      await page.reload()
      await expect(page.getByText('Aquí sigue tu registro, como lo dejaste.')).toBeVisible()
      await expectAccessible(page, { targets: true })
      await expectNoSidewaysScroll(page)
    })

    test('the privacy notice', async ({ page }) => {
      await page.goto('/aviso-de-privacidad')
      // As deletions are reckoned: from the final on, or from an arrival after it.
      await expect(page.getByText(`Hasta ${DIAS_PRIVACIDAD} días después de la final`)).toBeVisible()
      await expect(page.getByText(`los ${DIAS_PRIVACIDAD} días cuentan desde que llegó`)).toBeVisible()
      await expectAccessible(page, { targets: true })
      await expectNoSidewaysScroll(page)
    })
  })
}
