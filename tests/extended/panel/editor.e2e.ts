import type { Locator, Page } from '@playwright/test'
import { expectAccessible } from '../../e2e/accessible.ts'
import { signedIn, signIn } from '../../e2e/accounts.ts'
import { expect, type Site, test } from '../../e2e/site.ts'

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true })

test.afterEach(({ site }) => site.sql('delete from borradores'))

const stored = (page: Page) => expect(page.getByText(/^Guardado a las \d\d:\d\d$/)).toBeVisible()

/** A document of the draft, as the database has it. */
async function draft<Valor>(site: Site, document: string): Promise<Valor | undefined> {
  const [row] = await site.sql<{ valor: Valor }>('select valor from borradores where documento = $1', [document])
  return row?.valor
}

/** Opens a screen's form, and waits for hydration. */
async function openIt(page: Page, screen: string): Promise<void> {
  await page.goto(`/organizadores/sitio/${screen}`)
  await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
}

test('a volunteer finds a screen in the list, and a changed word is kept by itself', async ({ page, site }) => {
  await signIn(page.context(), site, 'admin')
  await page.goto('/organizadores')
  await page.getByRole('link', { name: 'El sitio', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'El sitio' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Editar Historia y reina' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Historia y reina' })).toBeVisible()
  await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
  await page.getByLabel('Estudios').fill('Ingeniería Civil')
  await stored(page)
  expect(await draft(site, 'historia.yaml')).toMatchObject({ reina: { estudios: 'Ingeniería Civil' } })
  await page.reload()
  await expect(page.getByLabel('Estudios')).toHaveValue('Ingeniería Civil')
  await expectAccessible(page)
  await page.getByRole('link', { name: '← El sitio' }).click()
  await expect(page.getByText('Con cambios sin publicar')).toHaveCount(1)
})

test('items are added, moved, removed and restored; missing values are listed with links to their fields', async ({
  page,
  site,
}) => {
  await signIn(page.context(), site, 'admin')
  await openIt(page, 'portada')
  const news = page.getByRole('region', { name: /^Noticias/ })
  await news.getByRole('button', { name: 'Agregar noticia' }).click()
  await expect(page.getByRole('textbox', { name: 'Título' })).toBeFocused()
  await page.keyboard.type('Se busca carreta')
  await stored(page)
  await news.getByRole('button', { name: 'Subir Se busca carreta' }).click()
  await stored(page)
  await expect(news.getByRole('button', { name: 'Subir Se busca carreta' })).toBeFocused()
  await news.getByRole('button', { name: /^La corona/ }).click()
  await news.getByRole('button', { name: /^Quitar La corona/ }).click()
  await expect(news.getByText('Se quitó «La corona')).toBeVisible()
  const drafted = async () =>
    (await draft<{ noticias: { titulo: string }[] }>(site, 'inicio.yaml'))!.noticias.map(({ titulo }) =>
      titulo.slice(0, 8),
    )
  await expect.poll(drafted).toEqual(['Setenta ', 'Se busca', 'La rueda'])
  await news.getByRole('button', { name: 'Deshacer' }).click()
  await expect(news.getByRole('listitem')).toHaveCount(4)
  await expect.poll(drafted).toEqual(['La coron', 'Setenta ', 'Se busca', 'La rueda'])
  await page.getByRole('link', { name: '← El sitio' }).click()
  await expect(page.getByRole('heading', { name: 'Por arreglar' })).toBeVisible()
  await expect(page.getByText('está vacío: escribe el texto')).toBeVisible()
  await page.getByRole('link', { name: /^Noticias › Se busca carreta.* › Texto$/ }).click()
  await expect(page.getByRole('textbox', { name: 'Texto', exact: true })).toBeFocused()
})

test('two organisers change different fields, and both are kept; the same field, and nothing is lost', async ({
  page,
  browser,
  site,
  expectedErrors,
}) => {
  expectedErrors.push(/ERR_INTERNET_DISCONNECTED/)
  await signIn(page.context(), site, 'admin')
  const eva = await browser.newContext({ viewport: { width: 390, height: 844 }, baseURL: site.url })
  const { correo, name, value } = await signedIn(site, 'admin')
  await eva.addCookies([{ name, value, url: site.url }])
  const hers = await eva.newPage()
  await openIt(page, 'historia')
  await openIt(hers, 'historia')
  await page.getByLabel('Estudios').fill('Medicina')
  await hers.getByLabel('Lugar de nacimiento').fill('La Barranca, Jalisco')
  await stored(page)
  await stored(hers)
  await expect(page.getByLabel('Lugar de nacimiento')).toHaveValue('La Barranca, Jalisco')
  await expect(page.getByText(`${correo} cambió esto hace un momento`)).toBeVisible()
  await expect(hers.getByLabel('Estudios')).toHaveValue('Medicina')

  // Both write the same field: the second organiser keeps her text, and chooses.
  await page.context().setOffline(true)
  await page.getByLabel('Estudios').fill('Medicina Veterinaria')
  await hers.getByLabel('Estudios').fill('Enfermería')
  await expect
    .poll(() => draft<{ reina: object }>(site, 'historia.yaml'))
    .toMatchObject({ reina: { estudios: 'Enfermería' } })
  await page.context().setOffline(false)
  const told = page.getByRole('alert')
  await expect(told).toContainText(`${correo} cambió esto al mismo tiempo`)
  await expect(told).toContainText('Enfermería')
  await expect(page.getByLabel('Estudios')).toHaveValue('Medicina Veterinaria')
  expect(await draft(site, 'historia.yaml')).toMatchObject({ reina: { estudios: 'Enfermería' } })
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Usar lo mío' }).click()
  await stored(page)
  await expect(hers.getByLabel('Estudios')).toHaveValue('Medicina Veterinaria')
  await eva.close()
})

test('text typed offline, or after the session ended, is kept through a reload and saved later', async ({
  page,
  site,
  expectedErrors,
}) => {
  expectedErrors.push(/ERR_INTERNET_DISCONNECTED|401|403/)
  await signIn(page.context(), site, 'admin')
  await openIt(page, 'historia')
  await page.context().setOffline(true)
  await page.getByLabel('Estudios').fill('Medicina')
  await expect(page.getByText('Sin línea: se guarda en cuanto vuelva')).toBeVisible()
  await page.context().setOffline(false)
  await stored(page)
  expect(await draft(site, 'historia.yaml')).toMatchObject({ reina: { estudios: 'Medicina' } })

  await site.sql('delete from sessions')
  await page.getByLabel('Estudios').fill('Enfermería')
  await expect(page.getByText('Tu sesión terminó.')).toBeVisible()
  await expect(page.getByLabel('Estudios')).toHaveValue('Enfermería')
  await expect(page.getByRole('link', { name: 'Entrar, en otra pestaña' })).toBeVisible()
  // The page is closed, and opened again after a sign-in, because an open page would save the text by itself.
  await page.goto('about:blank')
  await signIn(page.context(), site, 'admin')
  await openIt(page, 'historia')
  await expect(page.getByLabel('Estudios')).toHaveValue('Enfermería')
  await stored(page)
  expect(await draft(site, 'historia.yaml')).toMatchObject({ reina: { estudios: 'Enfermería' } })
})

test('a word is seen in the preview as it is typed, a field lights its place, and a tap on a place leads to its field', async ({
  page,
  site,
}) => {
  await signIn(page.context(), site, 'admin')
  await openIt(page, 'historia')
  const view = page.frameLocator('iframe[title="La pantalla con tus cambios"]')
  await expect(view.getByRole('heading', { name: 'Nuestra historia' })).toBeVisible()
  // The preview runs no script.
  await expect(view.locator('script')).toHaveCount(0)
  // The periods of the registrations, which scripts fetch elsewhere, are there all the same.
  await expect(
    view
      .getByRole('contentinfo')
      .getByText(/^Hasta /)
      .first(),
  ).toBeAttached()
  const quote = page.getByLabel('Una frase suya')
  await quote.fill('Aquí mando yo, pero poquito.')
  await expect(view.getByText('«Aquí mando yo, pero poquito.')).toBeVisible()
  await stored(page)
  await expect(view.locator('[data-in-focus]')).toHaveText(/Aquí mando yo, pero poquito/)
  await quote.blur()
  // The stored draft has no field markers.
  expect(await draft(site, 'historia.yaml')).toMatchObject({ reina: { cita: 'Aquí mando yo, pero poquito.' } })
  // The saved screen has replaced the preview.
  await expect(page.locator('iframe[title="La pantalla con tus cambios"]')).toHaveAttribute('src', /&v=[1-9]/)
  await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }))
  await page.getByRole('button', { name: 'Ver cómo queda' }).click()
  await view.getByText('Ingeniería en Alimentos').click()
  await expect(page.getByLabel('Estudios')).toBeFocused()
  await view.getByRole('img', { name: /^Retrato de la reina/ }).click()
  await expect(
    page.getByRole('group', { name: 'Retrato' }).or(page.locator('[data-field-key="historia.reina.foto"]')),
  ).toBeVisible()
  await expect(page.locator('[data-field-key="historia.reina.foto"] :focus')).toBeVisible()
})

test('a draft with faults has a preview, which names missing values in their places', async ({ page, site }) => {
  await signIn(page.context(), site, 'admin')
  await openIt(page, 'candidatas')
  await page.getByRole('button', { name: 'Agregar candidata' }).click()
  await expect(page.getByLabel('Nombre completo', { exact: true })).toBeFocused()
  await page.keyboard.type('Guadalupe Nopal')
  await page.keyboard.press('Tab')
  // A field that was not touched is not reproached; where a list of faults leads to it, it says what is missing.
  await stored(page)
  await expect(page.getByText(/^(Está vacío|Falta la fotografía)/)).toHaveCount(0)
  const view = page.frameLocator('iframe[title="La pantalla con tus cambios"]')
  await expect(view.getByText('Guadalupe Nopal').first()).toBeAttached()
  await expect(view.getByText('De dónde es (falta)').first()).toBeAttached()
  await expect
    .poll(async () => (await draft<{ candidatas: { id: string }[] }>(site, 'candidatas.yaml'))!.candidatas.at(-1)?.id)
    .toBe('guadalupe-nopal')
  await page.goto('/organizadores/sitio/publicar')
  await page.getByRole('link', { name: /De dónde es$/ }).click()
  await expect(page.getByText('Está vacío: escribe el texto.')).toHaveCount(1)
  // The fault of a missing photograph stands under its button, which has the focus, and above its alternative text.
  await page.goto('/organizadores/sitio/publicar')
  await page.getByRole('link', { name: /Silueta$/ }).click()
  const chooser = page.getByLabel('Elegir fotografía: Silueta')
  await expect(chooser).toBeFocused()
  await expect(chooser).toHaveAccessibleDescription(/^Falta la fotografía: elige una\./)
  const top = async (one: Locator) => (await one.boundingBox())!.y
  const fault = await top(page.getByText('Falta la fotografía: elige una.'))
  expect(fault).toBeGreaterThan(await top(chooser))
  expect(fault).toBeLessThan(await top(page.getByRole('textbox', { name: 'Texto alternativo: Silueta' })))
  // A logo's button is its field's only input.
  await openIt(page, 'patrocinadores')
  await page.getByRole('button', { name: 'Agregar patrocinador' }).click()
  await stored(page)
  await page.goto('/organizadores/sitio/publicar')
  await page.getByRole('link', { name: /Logotipo$/ }).click()
  const logoChooser = page.getByLabel('Elegir logotipo: Logotipo')
  await expect(logoChooser).toBeFocused()
  await expect(logoChooser).toHaveAttribute('aria-invalid', 'true')
})

test('a form can be written by keyboard alone', async ({ page, site }) => {
  await signIn(page.context(), site, 'admin')
  await openIt(page, 'patrocinadores')
  const first = page.getByRole('button', { name: /^Tequila Tres Hojas/ })
  await first.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('Nombre', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Bajar Tequila Tres Hojas' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Bajar Tequila Tres Hojas' })).toBeFocused()
  await expect
    .poll(async () => (await draft<{ id: string }[]>(site, 'patrocinadores.yaml'))?.slice(0, 2).map(({ id }) => id))
    .toEqual(['panaderia-el-azahar', 'tequila-tres-hojas'])
  await expectAccessible(page)
})

test('an item is dragged by its handle with a finger', async ({ page, site }) => {
  await signIn(page.context(), site, 'admin')
  await openIt(page, 'portada')
  const news = page.getByRole('region', { name: /^Noticias/ })
  await expect(news.getByText('Arrastra ⠿ para cambiar el orden.')).toBeVisible()
  const handles = news.getByTitle('Arrastra para cambiar el orden')
  await handles.first().scrollIntoViewIfNeeded()
  const [from, to] = [await handles.nth(0).boundingBox(), await handles.nth(1).boundingBox()]
  await page.mouse.move(from!.x + 20, from!.y + 20)
  await page.mouse.down()
  await page.mouse.move(from!.x + 20, to!.y + 30, { steps: 8 })
  await page.mouse.up()
  await expect
    .poll(async () => (await draft<{ noticias: { titulo: string }[] }>(site, 'inicio.yaml'))?.noticias[1]?.titulo)
    .toMatch(/^La corona/)
})
