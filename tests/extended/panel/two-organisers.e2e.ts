import { signedIn, signIn } from '../../e2e/accounts.ts'
import { expect, test } from '../../e2e/site.ts'
import { sow } from '../../e2e/sow-entries.ts'

test('the second of two organisers is told what the first did, and loses nothing that was typed', async ({
  page,
  browser,
  site,
  expectedErrors,
}) => {
  expectedErrors.push(/409/)
  const [id] = await sow(site, [{ titular: 'Lucía Ceiba' }])
  await signIn(page.context(), site, 'admin')
  await page.goto(`/organizadores/inscripciones/${id}`)
  const second = await browser.newContext({ javaScriptEnabled: false, baseURL: site.url })
  const first = await signedIn(site, 'admin')
  await second.addCookies([{ name: first.name, value: first.value, url: site.url }])
  const plain = await second.newPage()
  await plain.goto(`/organizadores/inscripciones/${id}`)
  await plain.getByLabel('Pasa a').selectOption('rechazada')
  await plain.getByRole('button', { name: 'Guardar decisión' }).click()
  await expect(plain.getByText('Listo: el cambio quedó guardado.')).toBeVisible()

  await page.getByLabel('Pasa a').selectOption('aceptada')
  await page.getByLabel('Nota (opcional, para la organización)').fill('Una nota larga')
  await page.getByRole('button', { name: 'Guardar decisión' }).click()
  const told = page.getByRole('alert')
  await expect(told).toContainText(`mientras tanto ${first.correo} cambió esta inscripción`)
  await expect(told).toContainText('«rechazada»')
  await expect(page.getByLabel('Nota (opcional, para la organización)')).toHaveValue('Una nota larga')
  await page.getByLabel('Pasa a').selectOption('aceptada')
  await page.getByRole('button', { name: 'Guardar decisión' }).click()
  await expect(page.getByText('Listo: el cambio quedó guardado.')).toBeVisible()

  // Without JavaScript, too, the older page is refused, and gives the typed text back.
  await plain.getByLabel('Nota (opcional, para la organización)').fill('Otra nota')
  await plain.getByLabel('Pasa a').selectOption('en-revision')
  await plain.getByRole('button', { name: 'Guardar decisión' }).click()
  await expect(plain.getByText('No se guardó: mientras tanto')).toBeVisible()
  await expect(plain.getByLabel('Nota (opcional, para la organización)')).toHaveValue('Otra nota')
  await second.close()
})
