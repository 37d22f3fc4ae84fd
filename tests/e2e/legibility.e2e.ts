import sharp, { type Sharp } from 'sharp'
import { expectAccessible } from './accessible.ts'
import { expectNoSidewaysScroll } from './look-at-screen.ts'
import { goToRegistration } from './registration-form.ts'
import { expect, test } from './site.ts'

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true })

/** A photograph of an identity document on a table, larger than a phone's screen. */
async function voterCard(change: (picture: Sharp) => Sharp = (same) => same): Promise<Buffer> {
  const lines = Array.from(
    { length: 14 },
    (_, at) =>
      `<text x="190" y="${210 + at * 52}" font-size="34" fill="#2b2b30">CURP GALM980412MJCRRR0${at} · SECCIÓN 14${at} · VIGENCIA 2031</text>`,
  )
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1600" height="1100" font-family="sans-serif">
    <rect width="100%" height="100%" fill="#6b5646"/><rect x="110" y="90" width="1380" height="920" rx="30" fill="#e4ded2"/>${lines.join('')}</svg>`
  const plain = await sharp(Buffer.from(svg)).png().toBuffer()
  return change(sharp(plain)).jpeg({ quality: 85 }).toBuffer()
}

const glare = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="1600" height="1100"><circle cx="800" cy="520" r="230" fill="#fff"/></svg>',
)

test('an unreadable photograph is reported before it is sent, beside a frame, and may be sent all the same', async ({
  page,
}) => {
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await goToRegistration(page)
  expect(asked.filter((url) => /legibility\.client/.test(url))).toEqual([])
  const file = (name: string, buffer: Buffer) => ({ name, mimeType: 'image/jpeg', buffer })
  const field = page.getByLabel('Cred. Elector (ambos lados)', { exact: true })
  await field.setInputFiles([
    file('frente.jpg', await voterCard((one) => one.blur(8))),
    file('reverso.jpg', await voterCard((one) => one.composite([{ input: glare }]))),
  ])
  await expect(page.getByText(/^Anverso: la foto parece borrosa o movida/)).toBeVisible()
  await expect(page.getByText(/^Reverso: la foto parece tener un reflejo/)).toBeVisible()
  await expectAccessible(page, { within: 'form' })
  await expectNoSidewaysScroll(page)

  // She judges that the photograph can be read: the choice stands, and the warning goes.
  await page.getByRole('button', { name: 'Se lee bien' }).first().click()
  await expect(page.getByText(/^Anverso: la foto/)).toHaveCount(0)
  await expect(field).not.toHaveAttribute('aria-invalid', 'true')
  expect(await field.evaluate((input: HTMLInputElement) => input.files?.length)).toBe(2)
  // Or she takes it anew: that side is free again, and the device's camera or folder opens.
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Tomarla de nuevo' }).click()
  await (await chooser).setFiles([file('mejor.jpg', await voterCard())])
  await expect(page.getByText('mejor.jpg')).toBeVisible()
  await expect(page.getByText(/la foto parece/)).toHaveCount(0)
})

test('a sharp document, and a photograph that is no document, get no warning', async ({ page }) => {
  await goToRegistration(page)
  const sharpOne = { name: 'acta.jpg', mimeType: 'image/jpeg', buffer: await voterCard() }
  await page.getByLabel('Acta de Nacimiento', { exact: true }).setInputFiles(sharpOne)
  const face = { name: 'rostro.jpg', mimeType: 'image/jpeg', buffer: await voterCard((one) => one.blur(12)) }
  await page.getByLabel('Foto Rostro', { exact: true }).setInputFiles(face)
  const small = { name: 'captura.jpg', mimeType: 'image/jpeg', buffer: await voterCard((one) => one.resize(480)) }
  await page.getByLabel('Constancia de Estudios', { exact: true }).setInputFiles(small)
  await expect(page.getByText(/^La foto es muy pequeña/)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Se lee bien' })).toHaveCount(1)
})
