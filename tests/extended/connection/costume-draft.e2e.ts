import { FIELDS, field, fill, goToCostumeForm, PARTICIPATED_LABEL } from '../../e2e/costume-form.ts'
import { button, goToRegistration, holdScripts, hydrated, photo, storedOnDevice } from '../../e2e/registration-form.ts'
import { expect, test } from '../../e2e/site.ts'

// A refused form answers with a 4xx status.
test.use({ expectedErrors: [[/status of 4\d\d/], { scope: 'test' }] })

test('a draft belongs to its own form, and brings everything back', async ({ page }) => {
  await goToCostumeForm(page)
  await fill(page)
  await field(page, 'Identificación').setInputFiles(photo('credencial_ñ.jpg'))
  const refused = page.getByRole('alert').filter({ hasText: 'El archivo "credencial_ñ.jpg" contiene' })
  await expect(refused).toBeVisible()
  await page.getByRole('button', { name: 'Quitar credencial_ñ.jpg' }).click()
  await expect(refused).toHaveCount(0)
  await field(page, PARTICIPATED_LABEL).selectOption('Sí')
  await field(page, 'Boceto frontal').setInputFiles(photo('frente.jpg'))
  await expect(page.getByText('frente.jpg')).toBeVisible()
  await expect.poll(() => storedOnDevice(page)).toEqual([1, 1])
  await goToRegistration(page)
  await expect(page.getByText('Tienes un registro a medias')).toHaveCount(0)
  await goToCostumeForm(page)
  // A visit that does not come by Back is asked first.
  await expect(page.getByRole('region', { name: 'Tienes un registro a medias' })).toBeFocused()
  await expect(field(page, 'Nombre del traje')).toHaveValue('')
  await page.getByRole('button', { name: 'Continuar donde me quedé' }).click()
  await expect(page.getByRole('button', { name: 'Quitar frente.jpg' })).toBeVisible()
  for (const [label, text] of Object.entries(FIELDS)) await expect(field(page, label)).toHaveValue(text)
  await expect(page.getByText('Quedan 91 de 100 caracteres')).toBeVisible()
  await expect(page.getByText('El traje no es elegible si ya participó en otros concursos.')).toBeVisible()
})

test('a draft without files is kept, too, on the way to the privacy notice and back', async ({ page }) => {
  await goToCostumeForm(page)
  await fill(page)
  await page.locator('main').getByRole('link', { name: 'Aviso de privacidad' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Aviso de privacidad')
  await page.goBack()
  await expect(page.getByText(/^Aquí sigue tu registro, como lo dejaste\. Está guardado sólo en este/)).toBeVisible()
  for (const [label, text] of Object.entries(FIELDS)) await expect(field(page, label)).toHaveValue(text)

  // With all text removed, no draft is left.
  for (const label of Object.keys(FIELDS)) await field(page, label).fill('')
  await field(page, 'Celular').focus()
  await expect.poll(() => storedOnDevice(page)).toEqual([0, 0])
  await goToRegistration(page)
  await goToCostumeForm(page)
  await expect(button(page)).toBeVisible()
  await expect(page.getByText('Tienes un registro a medias')).toHaveCount(0)
})

test('a draft is kept, too, when the visitor leaves before the form’s tools are there', async ({ page }) => {
  const held = Promise.withResolvers<void>()
  await page.route('**/assets/registration-controller.client-*.js', async (route) => {
    await held.promise
    await route.continue()
  })
  await goToCostumeForm(page)
  await fill(page)
  await field(page, 'Boceto frontal').setInputFiles(photo('frente.jpg'))
  await page.locator('main').getByRole('link', { name: 'Aviso de privacidad' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Aviso de privacidad')
  await page.goBack()
  await expect(button(page)).toBeVisible()
  held.resolve()
  await expect(page.getByText(/^Aquí sigue tu registro, como lo dejaste\./)).toBeVisible()
  for (const [label, text] of Object.entries(FIELDS)) await expect(field(page, label)).toHaveValue(text)
  await expect(page.getByRole('button', { name: 'Quitar frente.jpg' })).toBeVisible()
})

test('a form begun before the script arrived is kept, and its counters know the text', async ({ page }) => {
  const release = await holdScripts(page)
  await page.goto('/registro-traje-tipico', { waitUntil: 'commit' })
  await field(page, 'Temática').fill('azahar')
  await field(page, PARTICIPATED_LABEL).selectOption('Sí')
  release()
  await hydrated(page)
  await expect(page.getByText('Quedan 94 de 100 caracteres')).toBeVisible()
  await expect(page.getByText('El traje no es elegible si ya participó en otros concursos.')).toBeVisible()
  await expect.poll(() => storedOnDevice(page)).toEqual([1, 0])
})
