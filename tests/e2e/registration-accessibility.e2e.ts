import type { Page } from '@playwright/test'
import { PRIVACY_DAYS } from '#app/cms/edition-settings/schema.ts'
import { expectAccessible } from './accessible.ts'
import { expectNoSidewaysScroll } from './look-at-screen.ts'
import { button, chooseDocuments, documents, fillFields, goToRegistration, pdf, photo } from './registration-form.ts'
import { expect, test } from './site.ts'
import { softStep } from './soft-step.ts'

const WIDTHS = [360, 1440]

/** Checks the current screen at a phone's and a desktop's width. */
const holds = (page: Page, what: string) =>
  softStep(what, async () => {
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 })
      await expectAccessible(page, { targets: true })
      await expectNoSidewaysScroll(page)
    }
  })

const LARGO = `constancia_${'muy_'.repeat(40)}larga.pdf`

test('blank, refused, with everything chosen, and taken up again', async ({ page }) => {
  await goToRegistration(page)
  await holds(page, 'blank')
  await page.getByLabel('Foto Rostro', { exact: true }).setInputFiles(photo('niña.jpg'))
  await expect(page.getByRole('alert')).toBeVisible()
  await holds(page, 'a file is refused')
  await button(page).click()
  await expect(page.locator('#resultado').getByRole('alert')).toBeVisible()
  await holds(page, 'the form is refused')
  await page.goto('about:blank')
  await goToRegistration(page)
  await fillFields(page)
  await chooseDocuments(page, { ...documents(), birthCertificate: pdf('acta*.pdf'), studyCertificate: pdf(LARGO) })
  await expect(page.getByText('cuerpo.jpg')).toBeVisible()
  await holds(page, 'everything is chosen')
  await page.reload()
  await expect(page.getByText('Aquí sigue tu registro, como lo dejaste.')).toBeVisible()
  await holds(page, 'taken up again')
})

test('sending, offered again, and received', async ({ page, context }) => {
  await goToRegistration(page)
  let pieces = 0
  await page.route('**/subidas/**', async (route) => {
    if (++pieces <= 3) await route.continue()
  })
  await fillFields(page)
  await chooseDocuments(page, documents(2_500_000))
  await button(page).click()
  await expect.poll(() => pieces).toBeGreaterThan(3)
  await holds(page, 'sending')
  await page.close()
  const other = await context.newPage()
  await goToRegistration(other)
  await expect(other.getByRole('heading', { name: 'Tienes un registro a medias' })).toBeVisible()
  await holds(other, 'offered again')
  await other.getByRole('button', { name: 'Continuar donde me quedé' }).click()
  await expect(other.getByRole('status').filter({ hasText: 'Registro exitoso.' })).toBeVisible()
  await holds(other, 'received')
})

test('the privacy notice', async ({ page }) => {
  await page.goto('/aviso-de-privacidad')
  // Days of retention count from the final, or from a later arrival.
  await expect(page.getByText(`Hasta ${PRIVACY_DAYS} días después de la final`)).toBeVisible()
  await expect(page.getByText(`los ${PRIVACY_DAYS} días cuentan desde que llegó`)).toBeVisible()
  await holds(page, 'its text')
})
