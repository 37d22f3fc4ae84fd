// Longer than 350 lines: every kind of file that the editor takes, from a phone, a camera and a crowd of photographs.
import { randomUUID } from 'node:crypto'
import { readFile, truncate, writeFile } from 'node:fs/promises'
import type { Page, Route } from '@playwright/test'
import sharp from 'sharp'
import { expectAccessible } from '../../e2e/accessible.ts'
import { signedIn, signIn } from '../../e2e/accounts.ts'
import { expect, type Site, test } from '../../e2e/site.ts'

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true })
test.afterEach(({ site }) => site.sql('delete from borradores'))

/** Opens the home's form at its first photograph, and waits for hydration. */
async function openIt(page: Page): Promise<void> {
  await page.goto('/organizadores/sitio/portada?campo=inicio.galeria.0')
  await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
}

const first = (page: Page) => page.locator('[data-field-key="inicio.galeria.0"]')
const choose = (page: Page) => first(page).getByLabel(/^Cambiar fotografía: /)
const altText = (page: Page) => first(page).getByRole('textbox', { name: /^Texto alternativo/ })

interface Picture {
  foto: string
  alt: string
  foco: [number, number]
}
async function readDraftPicture(site: Site): Promise<Picture | undefined> {
  const [row] = await site.sql<{ valor: { galeria: Picture[] } }>(
    `select valor from borradores where documento = 'inicio.yaml'`,
  )
  return row?.valor.galeria[0]
}

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 80"><circle cx="40" cy="40" r="30" fill="#e8b04a"/></svg>'

/** A photograph as a camera takes it: on its side, with a place in its metadata, some megabytes. */
const phonePhoto = () =>
  sharp({
    create: {
      width: 2400,
      height: 1600,
      channels: 3,
      background: '#c21f6b',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })
    .withExif({ IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '20/1 40/1 0/1' } })
    .jpeg({ quality: 96 })
    .toBuffer()

test('a volunteer replaces a photograph with one of her iPhone, sets its point and says what is seen', async ({
  page,
  site,
}, info) => {
  await signIn(page.context(), site, 'admin')
  await openIt(page)
  await choose(page).setInputFiles('tests/samples/foto.heic')
  await expect.poll(async () => (await readDraftPicture(site))?.foto).toMatch(/^fotos\/[0-9a-f]{12}\.jpg$/)
  await expect(first(page).getByText('Mide 320 px de ancho; aquí hacen falta')).toBeVisible()
  await expect(first(page).getByText('revisa que este texto diga lo que ahora se ve')).toBeVisible()

  const wholePicture = first(page).getByRole('button', { name: /^Punto que siempre se ve/ })
  // The button is as tall as its picture, which loads after the text.
  await expect
    .poll(() => wholePicture.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBeGreaterThan(0)
  const { width, height } = (await wholePicture.boundingBox())!
  await wholePicture.click({ position: { x: width * 0.2, y: height * 0.7 } })
  await expect.poll(async () => (await readDraftPicture(site))?.foco).toEqual([20, 70])
  await wholePicture.press('ArrowRight')
  await wholePicture.press('ArrowUp')
  await expect.poll(async () => (await readDraftPicture(site))?.foco).toEqual([25, 65])
  const cut = first(page).getByRole('figure').filter({ hasText: 'En el teléfono' }).locator('img')
  await expect(cut).toHaveCSS('object-position', '25% 65%')

  await altText(page).fill('foto.heic')
  await altText(page).blur()
  await expect(first(page).getByText('Ése es el nombre del archivo.')).toBeVisible()
  await altText(page).fill('Un arreglo de azahares sobre la mesa del jurado')
  await expect(first(page).getByText('Ése es el nombre del archivo.')).toBeHidden()
  await expect
    .poll(async () => (await readDraftPicture(site))?.alt)
    .toBe('Un arreglo de azahares sobre la mesa del jurado')
  await page.reload()
  await expect(first(page).getByText('Mide 320 px de ancho; aquí hacen falta')).toBeVisible()

  await expectAccessible(page)
  await first(page).screenshot({ path: info.outputPath('foto-390.png') })
  const touched = await first(page).evaluate((field) =>
    [...field.querySelectorAll('button, label:has(input), textarea')]
      .map((one) => one.getBoundingClientRect())
      .every(({ width, height }) => width >= 44 && height >= 44),
  )
  expect(touched).toBe(true)
  await page.setViewportSize({ width: 1440, height: 900 })
  await first(page).screenshot({ path: info.outputPath('foto-1440.png') })
})

test('an upload waits for a broken connection, and sends no chunk a second time', async ({
  page,
  site,
  expectedErrors,
}) => {
  expectedErrors.push(/net::ERR_|Failed to load resource/)
  const body = await phonePhoto()
  expect(body.length).toBeGreaterThan(3_000_000)
  await signIn(page.context(), site, 'admin')
  await openIt(page)
  const sent: number[] = []
  let cuts = 0
  const handler = async (route: Route) => {
    const request = route.request()
    if (request.method() !== 'PATCH') return route.continue()
    sent.push(Number(request.headers()['upload-offset']))
    // Every second chunk is lost with its connection.
    if (sent.length % 2 === 0 && cuts < 2) {
      cuts++
      return route.abort('connectionreset')
    }
    return route.continue()
  }
  await page.route('**/organizadores/sitio/subidas/**', handler)
  await choose(page).setInputFiles({ name: 'IMG_2033.JPG', mimeType: 'image/jpeg', buffer: body })
  await expect.poll(async () => (await readDraftPicture(site))?.foto).toMatch(/^fotos\//)
  expect(cuts).toBe(2)
  expect(sent.filter((offset) => offset === 0)).toHaveLength(1)
  const { foto } = (await readDraftPicture(site))!
  const kept = Buffer.from(
    await (await page.request.get(`/organizadores/sitio/archivo?ruta=${encodeURIComponent(foto)}`)).body(),
  )
  const { exif, width } = await sharp(kept).metadata()
  expect([exif, width]).toEqual([undefined, 2400])
})

test('a paused upload goes on from where it was', async ({ page, site }) => {
  const body = await phonePhoto()
  await signIn(page.context(), site, 'admin')
  await openIt(page)
  let open = () => {}
  const held = new Promise<void>((resolve) => {
    open = resolve
  })
  let passed = 0
  await page.route('**/organizadores/sitio/subidas/**', async (route) => {
    if (route.request().method() === 'PATCH' && ++passed > 1) await held
    await route.continue().catch(() => {})
  })
  await choose(page).setInputFiles({ name: 'IMG_2034.JPG', mimeType: 'image/jpeg', buffer: body })
  await expect(first(page).getByRole('progressbar')).toBeVisible()
  await expect.poll(() => passed).toBe(2)
  await first(page).getByRole('button', { name: 'Pausar' }).click()
  await expect(first(page).getByText('«IMG_2034.JPG» está en pausa.')).toBeVisible()
  open()
  await first(page).getByRole('button', { name: 'Seguir' }).click()
  await expect.poll(async () => (await readDraftPicture(site))?.foto).toMatch(/^fotos\//)
})

test('a session that ends during an upload loses neither the words nor the file', async ({
  page,
  site,
  expectedErrors,
}) => {
  expectedErrors.push(/401|403|Failed to load resource/)
  const { correo, name, value } = await signedIn(site, 'admin')
  await page.context().addCookies([{ name, value, url: site.url }])
  await openIt(page)
  await page.route('**/organizadores/sitio/archivos', async (route) => {
    await site.sql(
      'update sessions set expires_at = now() where user_id = (select id from profiles where email = $1)',
      [correo],
    )
    await route.continue()
  })
  await choose(page).setInputFiles('tests/samples/foto.heic')
  await expect(first(page).getByText('Tu sesión terminó. Entra de nuevo en otra pestaña')).toBeVisible()
  await expect(first(page).getByRole('link', { name: 'Entrar en otra pestaña' })).toBeVisible()
  await page.unroute('**/organizadores/sitio/archivos')
  await site.sql(
    `update sessions set expires_at = now() + '1 day' where user_id = (select id from profiles where email = $1)`,
    [correo],
  )
  await first(page).getByRole('button', { name: 'Seguir' }).click()
  await expect.poll(async () => (await readDraftPicture(site))?.foto).toMatch(/^fotos\//)
})

test('a file that is no picture, or too large, is refused beside its field, and so is one that is no video', async ({
  page,
  site,
  expectedErrors,
}, info) => {
  expectedErrors.push(/422|Failed to load resource/)
  await signIn(page.context(), site, 'admin')
  await openIt(page)
  const send = (name: string, buffer: Buffer) => choose(page).setInputFiles({ name, mimeType: 'image/jpeg', buffer })
  await send('nota.jpg', Buffer.from('Esto no es una fotografía'))
  await expect(first(page).getByText('«nota.jpg» no es una fotografía. Elige una de tu galería')).toBeVisible()
  const half = await phonePhoto()
  await send('media.jpg', half.subarray(0, half.length / 3))
  await expect(first(page).getByText('«media.jpg» no se puede abrir: está incompleto o dañado.')).toBeVisible()
  const huge = info.outputPath('enorme.jpg')
  await writeFile(huge, '')
  await truncate(huge, 41 * 1_048_576)
  await choose(page).setInputFiles(huge)
  await expect(first(page).getByText('«enorme.jpg» pesa 41 MB y el máximo es 40 MB.')).toBeVisible()
  expect(await readDraftPicture(site)).toBeUndefined()
  const video = page.getByLabel(/^Cambiar video: /).first()
  await video.setInputFiles('content/2025/convocatoria/boletin.docx')
  await expect(page.getByText('«boletin.docx» no es un video MP4 ni WebM.')).toBeVisible()
})

test('a replaced film is the only film: its lighter copy goes, and the other screens’ film stays', async ({
  page,
  site,
}) => {
  await signIn(page.context(), site, 'admin')
  await openIt(page)
  const wide = page.getByRole('region', { name: 'En computadora' })
  await expect(wide.getByLabel(/^Cambiar video: /)).toHaveCount(1)
  await wide.getByLabel('Cambiar video: Video').setInputFiles('content/2025/inicio/fondo-vertical.mp4')
  await expect(wide.getByText('La imagen fija sigue siendo la de antes')).toBeVisible()
  const drafted = async () => {
    const [row] = await site.sql<{ valor: { video: Record<'ancho' | 'vertical', { av1?: string; h264: string }> } }>(
      `select valor from borradores where documento = 'inicio.yaml'`,
    )
    return row?.valor.video
  }
  await expect
    .poll(async () => (await drafted())?.ancho)
    .toEqual({ h264: expect.stringMatching(/^videos\/[0-9a-f]{12}\.mp4$/), cartel: expect.anything() })
  // The still image is the frame on the screen, and not black.
  await wide.getByRole('button', { name: 'Usar esta imagen como imagen fija' }).click()
  await expect(wide.getByText('Listo: ya es la imagen fija.')).toBeVisible()
  await expect(wide.getByText('La fotografía cambió: revisa que este texto diga lo que ahora se ve.')).toBeVisible()
  const poster = async () => ((await drafted())?.ancho as { cartel?: Picture } | undefined)?.cartel?.foto
  await expect.poll(poster).toMatch(/^fotos\//)
  const still = await page.request.get(
    `/organizadores/sitio/archivo?ruta=${encodeURIComponent((await poster())!)}&ancho=960`,
  )
  const { channels } = await sharp(await still.body()).stats()
  expect(Math.max(...channels.map(({ mean }) => mean))).toBeGreaterThan(10)
  expect((await drafted())?.vertical.av1).toBe('inicio/fondo-vertical.webm')
})

test('several photographs become as many items, each sent in its turn; a refused one is named', async ({
  page,
  site,
  expectedErrors,
}, info) => {
  expectedErrors.push(/422|Failed to load resource/)
  await signIn(page.context(), site, 'admin')
  await openIt(page)
  const photos = page.getByRole('region', { name: /^Fotografías/ })
  const before = await photos.getByRole('listitem').count()
  const photo = (background: string) =>
    sharp({ create: { width: 1400, height: 900, channels: 3, background } })
      .jpeg()
      .toBuffer()
  await photos.getByLabel('Elegir varias fotografías: Fotografías').setInputFiles([
    { name: 'uno.jpg', mimeType: 'image/jpeg', buffer: await photo('#aa3355') },
    { name: 'nota.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('Esto no es una fotografía') },
    { name: 'dos.jpg', mimeType: 'image/jpeg', buffer: await photo('#3355aa') },
  ])
  await expect(photos.getByRole('listitem')).toHaveCount(before + 2)
  await expect(photos.getByText('«nota.jpg» no es una fotografía.')).toBeVisible()
  await expect
    .poll(async () => {
      const [row] = await site.sql<{ valor: { galeria: Picture[] } }>(
        `select valor from borradores where documento = 'inicio.yaml'`,
      )
      return new Set(row?.valor.galeria.slice(before).map(({ foto }) => foto)).size
    })
    .toBe(2)
  // The empty alternative text is a fault only once the field was left.
  const added = page.locator(`[data-field-key="inicio.galeria.${before}"]`)
  await expect(page.getByText(/^Guardado a las/)).toBeVisible()
  await page.waitForTimeout(1_000)
  await expect(added.getByText(/^Falta el texto alternativo/)).toHaveCount(0)
  await expectAccessible(page)
  await photos.screenshot({ path: info.outputPath('varias-390.png') })
  const words = added.getByRole('textbox', { name: /^Texto alternativo/ })
  await words.focus()
  await words.blur()
  await expect(words).toHaveAttribute('aria-invalid', 'true')
  await expect(words).toHaveAccessibleDescription(/^Falta el texto alternativo: describe la fotografía/)
  await expect(added.locator('[aria-invalid]')).toHaveCount(1)
  await expect(added.getByText(/^Falta el texto alternativo/)).toHaveCount(1)
})

test('an alternative text is suggested by the name, and is written by one tap', async ({ page, site }, info) => {
  await signIn(page.context(), site, 'admin')
  await page.goto('/organizadores/sitio/candidatas')
  await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
  await page
    .getByRole('button', { name: /^Ximena Agave Montaño/ })
    .first()
    .tap()
  const silhouette = page.locator('[data-field-key$=".silueta"]')
  const words = silhouette.getByRole('textbox', { name: /^Texto alternativo/ })
  await words.fill('')
  const suggestion = silhouette.getByRole('button', { name: /^Usar «Fotografía de Ximena Agave Montaño»/ })
  await silhouette.screenshot({ path: info.outputPath('propuesta-390.png') })
  await suggestion.tap()
  await expect(words).toHaveValue('Fotografía de Ximena Agave Montaño')
  await expect(words).toBeFocused()
  await expect(suggestion).toHaveCount(0)
})

test('a sponsor’s logo is a drawing, and is shown as a picture', async ({ page, site }) => {
  await signIn(page.context(), site, 'admin')
  await page.goto('/organizadores/sitio/patrocinadores')
  await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
  await page.getByRole('button', { name: 'Agregar patrocinador' }).tap()
  const added = page
    .getByRole('region', { name: /^Patrocinadores/ })
    .getByRole('listitem')
    .last()
  await added.getByLabel('Nombre', { exact: true }).fill('Nopalitos del Valle')
  await added
    .locator('input[type="file"]')
    .setInputFiles({ name: 'Nopalitos.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(LOGO) })
  await expect(added.getByRole('img', { name: /^Logotipo que está puesto/ })).toBeVisible()
})

test('only organisers send files, and see unpublished files', async ({ site }) => {
  const cookieOf = ({ name, value }: { name: string; value: string }) => `${name}=${value}`
  const [press, admin] = [cookieOf(await signedIn(site, 'prensa')), cookieOf(await signedIn(site, 'admin'))]
  const begin = (cookie: string) =>
    fetch(`${site.url}/organizadores/sitio/subidas`, {
      method: 'POST',
      headers: {
        cookie,
        'tus-resumable': '1.0.0',
        'x-entrega': randomUUID(),
        'upload-length': '3',
        'upload-metadata': `clase ${btoa('foto')},filename ${btoa('a.jpg')}`,
      },
    })
  const open = (cookie: string) =>
    fetch(`${site.url}/organizadores/sitio/archivos`, {
      method: 'POST',
      headers: { cookie, origin: site.url },
      body: new URLSearchParams({ entrega: randomUUID(), subida: randomUUID() }),
    })
  const see = (cookie: string) =>
    fetch(`${site.url}/organizadores/sitio/archivo?ruta=inicio/ga1.jpg`, { headers: { cookie } })
  expect((await begin('')).status).toBe(401)
  expect((await begin(press)).status).toBe(403)
  expect((await begin(admin)).status).toBe(201)
  expect([(await open('')).status, (await open(press)).status, (await open(admin)).status]).toEqual([401, 403, 404])
  const away = await begin(press)
  expect(await away.json()).toMatchObject({ reason: 'permiso', message: expect.stringContaining('organización') })
  expect([(await see('')).status, (await see(press)).status, (await see(admin)).status]).toEqual([403, 403, 200])
  const seen = await see(admin)
  expect(seen.headers.get('cache-control')).toContain('private')
  expect(Buffer.from(await seen.arrayBuffer()).equals(await readFile('content/2025/inicio/ga1.jpg'))).toBe(true)
  for (const path of ['../../../etc/passwd', 'inicio/%00', 'toString', '__proto__', ''])
    expect(
      (await fetch(`${site.url}/organizadores/sitio/archivo?ruta=${path}`, { headers: { cookie: admin } })).status,
      path,
    ).toBe(404)
})
