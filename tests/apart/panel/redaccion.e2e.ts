import type { Page } from '@playwright/test'
import { expectAccessible } from '../../e2e/accessible.ts'
import { signedIn, signIn } from '../../e2e/cuentas.ts'
import { expect, type Site, test } from '../../e2e/site.ts'

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true })

test.afterEach(({ site }) => site.sql('delete from borradores'))

const guardado = (page: Page) => expect(page.getByText(/^Guardado a las \d\d:\d\d$/)).toBeVisible()

/** A document of the draft, as the database has it. */
async function borrador<Valor>(site: Site, documento: string): Promise<Valor | undefined> {
  const [row] = await site.sql<{ valor: Valor }>('select valor from borradores where documento = $1', [documento])
  return row?.valor
}

/** Opens a screen's form once it is alive. */
async function abrir(page: Page, pantalla: string): Promise<void> {
  await page.goto(`/organizadores/sitio/${pantalla}`)
  await page.locator('html[data-despierta]').waitFor({ state: 'attached' })
}

test('a volunteer finds a screen in the list, changes a word, and it is kept by itself', async ({ page, site }) => {
  await signIn(page.context(), site, 'admin')
  await page.goto('/organizadores')
  await page.getByRole('link', { name: 'El sitio', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'El sitio' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Editar Historia y reina' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Historia y reina' })).toBeVisible()
  await page.locator('html[data-despierta]').waitFor({ state: 'attached' })
  await page.getByLabel('Estudios').fill('Ingeniería Civil')
  await guardado(page)
  expect(await borrador(site, 'historia.yaml')).toMatchObject({ reina: { estudios: 'Ingeniería Civil' } })
  await page.reload()
  await expect(page.getByLabel('Estudios')).toHaveValue('Ingeniería Civil')
  await expectAccessible(page)
  await page.getByRole('link', { name: '← El sitio' }).click()
  await expect(page.getByText('Con cambios sin publicar')).toHaveCount(1)
})

test('items are added, moved, taken away and brought back; what they lack is listed with its way', async ({
  page,
  site,
}) => {
  await signIn(page.context(), site, 'admin')
  await abrir(page, 'portada')
  const noticias = page.getByRole('region', { name: /^Noticias/ })
  await noticias.getByRole('button', { name: 'Agregar noticia' }).click()
  await expect(page.getByRole('textbox', { name: 'Título' })).toBeFocused()
  await page.keyboard.type('Se busca carreta')
  await guardado(page)
  await noticias.getByRole('button', { name: 'Subir Se busca carreta' }).click()
  await guardado(page)
  await expect(noticias.getByRole('button', { name: 'Subir Se busca carreta' })).toBeFocused()
  await noticias.getByRole('button', { name: /^La corona/ }).click()
  await noticias.getByRole('button', { name: /^Quitar La corona/ }).click()
  await expect(noticias.getByText('Se quitó «La corona')).toBeVisible()
  const drafted = async () =>
    (await borrador<{ noticias: { titulo: string }[] }>(site, 'inicio.yaml'))!.noticias.map(({ titulo }) =>
      titulo.slice(0, 8),
    )
  await expect.poll(drafted).toEqual(['Setenta ', 'Se busca', 'La rueda'])
  await noticias.getByRole('button', { name: 'Deshacer' }).click()
  await expect(noticias.getByRole('listitem')).toHaveCount(4)
  await expect.poll(drafted).toEqual(['La coron', 'Setenta ', 'Se busca', 'La rueda'])
  await page.getByRole('link', { name: '← El sitio' }).click()
  await expect(page.getByRole('heading', { name: 'Por arreglar' })).toBeVisible()
  await expect(page.getByText('está vacío: escribe el texto')).toBeVisible()
  await page.getByRole('link', { name: 'Noticias › 3 › Texto' }).click()
  await expect(page.getByRole('textbox', { name: 'Texto', exact: true })).toBeFocused()
})

test('two organisers change different fields, and both are kept; the same field, and nothing is lost', async ({
  page,
  browser,
  site,
  expectedErrors,
}) => {
  test.setTimeout(120_000)
  expectedErrors.push(/ERR_INTERNET_DISCONNECTED/)
  await signIn(page.context(), site, 'admin')
  const eva = await browser.newContext({ viewport: { width: 390, height: 844 }, baseURL: site.url })
  const { correo, name, value } = await signedIn(site, 'admin')
  await eva.addCookies([{ name, value, url: site.url }])
  const hers = await eva.newPage()
  await abrir(page, 'historia')
  await abrir(hers, 'historia')
  await page.getByLabel('Estudios').fill('Medicina')
  await hers.getByLabel('Lugar de nacimiento').fill('La Barranca, Jalisco')
  await guardado(page)
  await guardado(hers)
  await expect(page.getByLabel('Lugar de nacimiento')).toHaveValue('La Barranca, Jalisco')
  await expect(page.getByText(`${correo} cambió esto hace un momento`)).toBeVisible()
  await expect(hers.getByLabel('Estudios')).toHaveValue('Medicina')

  // Both write the same field: the second keeps her text, and chooses.
  await page.context().setOffline(true)
  await page.getByLabel('Estudios').fill('Medicina Veterinaria')
  await hers.getByLabel('Estudios').fill('Enfermería')
  await expect
    .poll(() => borrador<{ reina: object }>(site, 'historia.yaml'))
    .toMatchObject({ reina: { estudios: 'Enfermería' } })
  await page.context().setOffline(false)
  const told = page.getByRole('alert')
  await expect(told).toContainText(`${correo} cambió esto al mismo tiempo`)
  await expect(told).toContainText('Enfermería')
  await expect(page.getByLabel('Estudios')).toHaveValue('Medicina Veterinaria')
  expect(await borrador(site, 'historia.yaml')).toMatchObject({ reina: { estudios: 'Enfermería' } })
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Usar lo mío' }).click()
  await guardado(page)
  await expect(hers.getByLabel('Estudios')).toHaveValue('Medicina Veterinaria')
  await eva.close()
})

test('what is typed without a line, and after the session ended, is kept through a reload and saved later', async ({
  page,
  site,
  expectedErrors,
}) => {
  expectedErrors.push(/ERR_INTERNET_DISCONNECTED|401|403/)
  await signIn(page.context(), site, 'admin')
  await abrir(page, 'historia')
  await page.context().setOffline(true)
  await page.getByLabel('Estudios').fill('Medicina')
  await expect(page.getByText('Sin línea: se guarda en cuanto vuelva')).toBeVisible()
  await page.context().setOffline(false)
  await guardado(page)
  expect(await borrador(site, 'historia.yaml')).toMatchObject({ reina: { estudios: 'Medicina' } })

  await site.sql('delete from sessions')
  await page.getByLabel('Estudios').fill('Enfermería')
  await expect(page.getByText('Tu sesión terminó.')).toBeVisible()
  await expect(page.getByLabel('Estudios')).toHaveValue('Enfermería')
  await expect(page.getByRole('link', { name: 'Entrar, en otra pestaña' })).toBeVisible()
  // The page is closed, and opened again once somebody has signed in: one that is still there would save it by itself.
  await page.goto('about:blank')
  await signIn(page.context(), site, 'admin')
  await abrir(page, 'historia')
  await expect(page.getByLabel('Estudios')).toHaveValue('Enfermería')
  await guardado(page)
  expect(await borrador(site, 'historia.yaml')).toMatchObject({ reina: { estudios: 'Enfermería' } })
})

test('a word is seen in the preview as it is typed, a field lights its place, and a tap on a place leads to its field', async ({
  page,
  site,
}) => {
  test.setTimeout(120_000)
  await signIn(page.context(), site, 'admin')
  await abrir(page, 'historia')
  const vista = page.frameLocator('iframe[title="La pantalla con tus cambios"]')
  await expect(vista.getByRole('heading', { name: 'Nuestra historia' })).toBeVisible()
  // Nothing of it runs, and nothing of it plays.
  await expect(vista.locator('script')).toHaveCount(0)
  const cita = page.getByLabel('Una frase suya')
  await cita.fill('Aquí mando yo, pero poquito.')
  await expect(vista.getByText('«Aquí mando yo, pero poquito.')).toBeVisible()
  await guardado(page)
  await expect(vista.locator('[data-en-foco]')).toHaveText(/Aquí mando yo, pero poquito/)
  await cita.blur()
  // What is saved has no sign of where it stands.
  expect(await borrador(site, 'historia.yaml')).toMatchObject({ reina: { cita: 'Aquí mando yo, pero poquito.' } })
  // The screen as it was saved has taken the place of the one before it.
  await expect(page.locator('iframe[title="La pantalla con tus cambios"]')).toHaveAttribute('src', /&v=[1-9]/)
  await page.getByRole('button', { name: 'Ver cómo queda' }).click()
  await vista.getByText('Ingeniería en Alimentos').click()
  await expect(page.getByLabel('Estudios')).toBeFocused()
  await vista.getByRole('img', { name: /^Retrato de la reina/ }).click()
  await expect(
    page.getByRole('group', { name: 'Retrato' }).or(page.locator('[data-clave="historia.reina.foto"]')),
  ).toBeVisible()
  await expect(page.locator('[data-clave="historia.reina.foto"] :focus')).toBeVisible()
})

test('a draft with faults can be looked at: what is missing is said in its place', async ({ page, site }) => {
  await signIn(page.context(), site, 'admin')
  await abrir(page, 'candidatas')
  await page.getByRole('button', { name: 'Agregar candidata' }).click()
  await expect(page.getByLabel('Nombre completo', { exact: true })).toBeFocused()
  await page.keyboard.type('Guadalupe Nopal')
  await page.keyboard.press('Tab')
  const vista = page.frameLocator('iframe[title="La pantalla con tus cambios"]')
  await expect(vista.getByText('Guadalupe Nopal').first()).toBeAttached()
  await expect(vista.getByText('De dónde es (falta)').first()).toBeAttached()
  await expect
    .poll(
      async () => (await borrador<{ candidatas: { id: string }[] }>(site, 'candidatas.yaml'))!.candidatas.at(-1)?.id,
    )
    .toBe('guadalupe-nopal')
})

test('a form can be written by keyboard alone', async ({ page, site }) => {
  await signIn(page.context(), site, 'admin')
  await abrir(page, 'patrocinadores')
  const first = page.getByRole('button', { name: /^Tequila Tres Hojas/ })
  await first.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('Nombre', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Bajar Tequila Tres Hojas' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Bajar Tequila Tres Hojas' })).toBeFocused()
  await expect
    .poll(async () => (await borrador<{ id: string }[]>(site, 'patrocinadores.yaml'))?.slice(0, 2).map(({ id }) => id))
    .toEqual(['panaderia-el-azahar', 'tequila-tres-hojas'])
  await expectAccessible(page)
})

test('an item is dragged by its handle with a finger', async ({ page, site }) => {
  await signIn(page.context(), site, 'admin')
  await abrir(page, 'portada')
  const noticias = page.getByRole('region', { name: /^Noticias/ })
  const handles = noticias.getByTitle('Arrastra para cambiar el orden')
  await handles.first().scrollIntoViewIfNeeded()
  const [from, to] = [await handles.nth(0).boundingBox(), await handles.nth(1).boundingBox()]
  await page.mouse.move(from!.x + 20, from!.y + 20)
  await page.mouse.down()
  await page.mouse.move(from!.x + 20, to!.y + 30, { steps: 8 })
  await page.mouse.up()
  await expect
    .poll(async () => (await borrador<{ noticias: { titulo: string }[] }>(site, 'inicio.yaml'))?.noticias[1]?.titulo)
    .toMatch(/^La corona/)
})
