import type { Page } from '@playwright/test'
import { signIn } from '../../e2e/accounts.ts'
import { expect, Site, test } from '../../e2e/site.ts'

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true })

const stored = (page: Page) => expect(page.getByText(/^Guardado a las \d\d:\d\d$/)).toBeVisible()

test('a volunteer writes a news item and gives a call its rules; a corrected title keeps the address', async ({
  page,
  playwright,
}) => {
  const site = await Site.start()
  const visitor = await playwright.request.newContext({ baseURL: site.url })
  const open = async (path: string) => {
    await page.goto(`${site.url}/organizadores/sitio/${path}`)
    await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
  }
  const publish = async () => {
    await open('publicar')
    await page.getByRole('button', { name: 'Publicar' }).click()
    await expect(page.getByText(/^Publicado\./)).toBeVisible()
  }
  try {
    await signIn(page.context(), site, 'admin')
    await open('portada')
    const news = page.getByRole('region', { name: /^Noticias/ })
    await news.getByRole('button', { name: 'Agregar noticia' }).click()
    const item = news.getByRole('listitem').last()
    await item.getByLabel('Título', { exact: true }).fill('Llegó el carusel')
    await item.getByLabel(/^Fecha/).fill('2025-09-10')
    const text = item.getByRole('textbox', { name: 'Texto', exact: true })
    const press = (name: string) => item.getByRole('button', { name, exact: true }).click()
    // A letter typed in the same moment as a button's press lands where the button leaves the caret.
    await text.fill('Desde hoy ')
    const listButton = item.getByRole('button', { name: 'Lista', exact: true })
    const caretAfterPress = await listButton.evaluate((button: HTMLElement) => {
      button.click()
      return (document.activeElement as HTMLTextAreaElement).selectionStart
    })
    expect(caretAfterPress).toBe('- Desde hoy '.length)
    await text.fill('Desde hoy da vueltas.')
    await text.evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(6, 9))
    await press('Negrita')
    await expect(text).toHaveValue('Desde **hoy** da vueltas.')
    await text.press('Control+End')
    await page.keyboard.type('\n')
    await press('Lista')
    await page.keyboard.type('niñas gratis\n\nMás en ')
    await press('Enlace')
    await expect(
      item.getByText(/^Al enlace «palabras» le falta su dirección: pégala en el lugar marcado/),
    ).toBeVisible()
    await page.keyboard.insertText('https://azahares.mx')
    await expect(text).toHaveValue(
      'Desde **hoy** da vueltas.\n- niñas gratis\n\nMás en [palabras](https://azahares.mx)',
    )
    await item.locator('input[type="file"]').setInputFiles('content/2025/anuncios/cierre.jpg')
    await item.getByRole('textbox', { name: /^Texto alternativo/ }).fill('Un carrusel.')
    await expect(item.getByRole('button', { name: /^Punto que siempre se ve/ })).toBeVisible()
    await stored(page)

    // In the preview, a press on any of the text's paragraphs leads to its field.
    const frame = page.frameLocator('iframe[title="La pantalla con tus cambios"]')
    const shown = frame.getByRole('article').filter({ hasText: 'Llegó el carusel' })
    await expect(shown.locator('strong')).toHaveText('hoy')
    // The row of news items stands at the one that is being edited.
    await item.getByLabel('Título', { exact: true }).focus()
    await expect
      .poll(() => shown.evaluate((one) => Math.abs(one.getBoundingClientRect().left) < innerWidth / 2))
      .toBe(true)
    await expect(shown).not.toContainText('**')
    await shown.locator('strong').evaluate((bold: HTMLElement) => bold.click())
    await expect(text).toBeFocused()

    await open('convocatorias')
    const calls = page.locator('#formulario')
    await expect(calls.getByText('¿Es la del año que viene? Prepárala en Ediciones por año.')).toBeVisible()
    await expect(calls.getByRole('button', { name: 'Agregar convocatoria' })).toBeVisible()
    await calls.getByRole('button', { expanded: false, name: /^Convocatoria de candidatas/ }).click()
    await expect(calls.getByLabel('Elegir documento: La convocatoria completa')).toHaveAccessibleDescription(
      /^Si tienes un solo PDF, ponlo aquí\./,
    )
    await calls.getByLabel('Elegir documento: Las bases').setInputFiles('content/2025/convocatoria/bases-trajes.pdf')
    await expect(calls.getByText('Está puesto: bases-trajes.pdf.')).toBeVisible()
    await stored(page)

    // The draft's document is at its later address for organisers alone.
    await open('ver')
    await page.getByRole('button', { name: 'Ver el sitio así' }).click()
    await page.goto(`${site.url}/convocatoria/candidatas`)
    const link = page
      .locator('[data-place="current"]')
      .getByRole('link', { name: /^Descargar las bases \(PDF, \d+ KB\)$/ })
    const address = (await link.getAttribute('href'))!
    expect((await page.request.get(`${site.url}${address}`)).status()).toBe(200)
    expect((await visitor.get(address)).status()).toBe(404)
    await open('ver')
    await page.getByRole('button', { name: 'Salir de la vista previa' }).click()
    await publish()
    expect((await visitor.get(address)).headers()['content-type']).toBe('application/pdf')

    const path = '/noticias/llego-el-carusel'
    await page.goto(`${site.url}${path}`)
    const article = page.getByRole('article')
    await expect(article.locator('strong')).toHaveText('hoy')
    await expect(article.getByRole('listitem')).toHaveText('niñas gratis')
    await expect(article.getByRole('link', { name: 'palabras' })).toHaveAttribute('href', 'https://azahares.mx')

    await open('portada')
    await news.getByRole('button', { name: 'Llegó el carusel', exact: true }).click()
    await news.getByRole('listitem').last().getByLabel('Título', { exact: true }).fill('Llegó el carrusel')
    await page.keyboard.press('Tab')
    await stored(page)
    await publish()
    await page.goto(`${site.url}${path}`)
    await expect(page.getByRole('heading', { level: 1, name: 'Llegó el carrusel' })).toBeVisible()
  } finally {
    await page.close()
    await visitor.dispose()
    await site.stop()
  }
})
