// Longer than 350 lines: a reviewer’s work with entries, problem by problem, over the same seeded entries.
import type { Page } from '@playwright/test'
import sharp from 'sharp'
import { expectAccessible } from '../../e2e/accessible.ts'
import { signIn } from '../../e2e/accounts.ts'
import { expectNoSidewaysScroll } from '../../e2e/look-at-screen.ts'
import { hydrated } from '../../e2e/registration-form.ts'
import { expect, test } from '../../e2e/site.ts'
import { sow } from '../../e2e/sow-entries.ts'
import { candidateFiles } from '../../support/entries/seeded-entries.ts'

/** Files of an entry with random colours, so that no entry looks like a copy of another. */
const ownData = () =>
  Promise.all(
    candidateFiles().map(async (one) => {
      const background = `#${Math.floor(Math.random() * 0xffffff)
        .toString(16)
        .padStart(6, '0')}`
      const picture = sharp({ create: { width: 600, height: 800, channels: 3, background } })
      return { ...one, body: await picture.jpeg().toBuffer() }
    }),
  )

for (const [width, height] of [
  [390, 844],
  [1440, 900],
] as const)
  test.describe(`${width} px`, () => {
    test.use({ viewport: { width, height }, hasTouch: width < 500 })

    test('an opened document stays in view, and so does the next one', async ({ page, context, site }) => {
      const [id] = await sow(site, [{ titular: 'Ana Quieta' }])
      await signIn(context, site, 'admin')
      await page.goto(`/organizadores/inscripciones/${id}`)
      await hydrated(page)
      await page.getByRole('link', { name: 'Foto de rostro', exact: true }).click()
      const shown = page.getByRole('img', { name: /en grande$/ })
      for (const name of ['Foto de rostro', 'Constancia de estudios', 'Credencial de elector, reverso']) {
        await expect(shown).toHaveAttribute('alt', `${name}, en grande`)
        await expect.poll(() => shown.evaluate((one: HTMLImageElement) => one.naturalWidth)).toBeGreaterThan(0)
        await expect(shown).toBeInViewport({ ratio: 0.98 })
        // The page does not scroll afterwards, as it once did.
        const place = await page.evaluate(() => scrollY)
        await page.waitForTimeout(700)
        expect(await page.evaluate(() => scrollY)).toBe(place)
        await expect(shown).toBeInViewport({ ratio: 0.98 })
        await page.getByRole('link', { name: /^Anterior ?: / }).click()
      }
      await expectNoSidewaysScroll(page)
    })

    test('a whole row opens its entry, and its box is ticked beside it', async ({ page, context, site }) => {
      await sow(site, [{ titular: `Renglón de ${width}` }])
      await signIn(context, site, 'admin')
      await page.goto('/organizadores')
      await hydrated(page)
      const row = page.getByRole('row').filter({ hasText: `Renglón de ${width}` })
      await row.scrollIntoViewIfNeeded()
      const { width: wide, height: high } = (await row.boundingBox())!
      expect(high).toBeGreaterThanOrEqual(44)
      const box = row.getByRole('checkbox')
      const { x, y } = (await box.boundingBox())!
      // A click beside the small checkbox counts, too.
      await page.mouse.click(x - 6, y + 8)
      await expect(box).toBeChecked()
      await expect(page).toHaveURL(/\/organizadores$/)
      await row.click({ position: { x: wide - 12, y: high - 8 } })
      await expect(page.getByRole('heading', { level: 1, name: `Renglón de ${width}` })).toBeVisible()
      expect(await row.getByRole('link').count()).toBeLessThanOrEqual(1)
    })

    test('the outcome of a press is shown beside it', async ({ page, context, site }) => {
      const [id] = await sow(site, [{ titular: 'Junto al botón', files: await ownData() }])
      await signIn(context, site, 'admin')
      await page.goto(`/organizadores/inscripciones/${id}`)
      await hydrated(page)
      const said = page.getByRole('region', { name: 'Decisión' }).getByRole('status')
      await page.getByRole('button', { name: 'Aceptar', exact: true }).click()
      await expect(said).toHaveText('Listo: quedó aceptada.')
      await expect(said).toBeInViewport({ ratio: 1 })
      await expectAccessible(page)
      // On a phone the panel's bar is gone, and the ways to the list and to other sections stay in sight.
      if (width < 500) {
        await page.mouse.wheel(0, 600)
        const lists = page.getByRole('navigation', { name: 'Lista' })
        await expect(lists.getByRole('link', { name: 'Inscripciones' })).toBeInViewport({ ratio: 1 })
        await lists.getByRole('button', { name: 'Más' }).click()
        await expect(page.getByRole('link', { name: 'Mensajes' })).toBeInViewport({ ratio: 1 })
        await page.keyboard.press('Escape')
      }
      await page.getByRole('button', { name: 'Deshacer', exact: true }).click()
      await expect(said).toHaveText('Se deshizo: está como antes.')
      const title = page.getByRole('button', { name: /^Decidir/ })
      if (width < 500) await title.click()
      await page.getByLabel('Nota (opcional, para la organización)').fill('Todo en orden')
      const save = page.getByRole('button', { name: 'Guardar decisión' })
      await save.click()
      const done = page.getByText('Listo: el cambio quedó guardado.')
      await expect(done).toBeInViewport({ ratio: 1 })
      // The page may still move between the two measurements.
      const apart = async () => Math.abs((await done.boundingBox())!.y - (await save.boundingBox())!.y)
      await expect.poll(apart).toBeLessThan(160)
      await expectNoSidewaysScroll(page)
    })

    test('contact data is corrected: the entry shows both values, the log neither', async ({
      page,
      context,
      site,
      expectedErrors,
    }) => {
      expectedErrors.push(/422/)
      const [id] = await sow(site, [
        { tipo: 'traje', titular: 'Rosa Contacto', celular: '33 1111 2222', correo: 'rosa@correo.exmaple' },
      ])
      await signIn(context, site, 'revision')
      await page.goto(`/organizadores/inscripciones/${id}`)
      await hydrated(page)
      if (width < 500) await page.getByRole('button', { name: /^Datos/ }).click()
      await page.getByRole('button', { name: 'Corregir contacto' }).click()
      const email = page.getByRole('textbox', { name: /orreo/ })
      await email.fill('rosa arroba correo')
      await page.getByRole('button', { name: 'Guardar contacto' }).click()
      await expect(page.getByRole('alert')).toContainText('Revisa el contacto')
      await expect(email).toHaveValue('rosa arroba correo')
      await email.fill('rosa@correo.example')
      await page.getByRole('button', { name: 'Guardar contacto' }).click()
      await expect(page.getByText('Listo: el cambio quedó guardado.')).toBeInViewport({ ratio: 1 })
      if (width < 500) await page.getByRole('button', { name: /^Historia/ }).click()
      await expect(page.getByText('Correo: rosa@correo.exmaple → rosa@correo.example')).toBeVisible()
      const [row] = await site.sql(
        'select correo, email from inscripciones join trajes_tipicos on inscripcion_id = inscripciones.id where inscripciones.id = $1',
        [id],
      )
      expect(row).toEqual({ correo: 'rosa@correo.example', email: 'rosa@correo.example' })
      const log = await site.sql<{ datos: unknown }>(
        "select datos from bitacora where que = 'inscripcion.contacto' and inscripcion = $1",
        [id],
      )
      expect(log).toEqual([{ datos: { campos: ['correo'] } }])
    })
  })

test('an entry is a desk: it ends with the window, and its rail scrolls under no verdict', async ({
  page,
  context,
  site,
}) => {
  // An entry like no other, since likely duplicates would stand above the desk.
  const [id] = await sow(site, [{ titular: 'Mesa Tejocote', celular: '33 9191 4040', files: await ownData() }])
  await signIn(context, site, 'admin')
  await page.goto(`/organizadores/inscripciones/${id}`)
  await hydrated(page)
  const high = () => page.evaluate(() => document.documentElement.scrollHeight)
  await expect.poll(high).toBeLessThanOrEqual(900)
  await page.getByRole('link', { name: 'Foto de rostro', exact: true }).click()
  await expect(page.getByRole('img', { name: /en grande$/ })).toBeInViewport({ ratio: 0.98 })
  expect(await high()).toBeLessThanOrEqual(900)
  const verdict = page.getByRole('region', { name: 'Decisión' })
  const before = (await verdict.boundingBox())!
  const last = page.getByRole('heading', { name: 'Llevar y borrar' })
  await last.scrollIntoViewIfNeeded()
  expect(await verdict.boundingBox()).toEqual(before)
  expect((await last.boundingBox())!.y).toBeGreaterThan(before.y + before.height)
})

test('possible duplicates of an entry are shown with the reason, and lead to one another', async ({
  page,
  context,
  site,
}) => {
  const files = await ownData()
  const mine = await ownData()
  mine[0] = { ...mine[0]!, body: files[0]!.body }
  const [one] = await sow(site, [
    { titular: 'María  JOSÉ Núñez', celular: '33 9090 1212', files: mine },
    { titular: 'Maria José Nuñez', celular: '33 0000 7777', files: await ownData() },
    { titular: 'Otra Persona', celular: '+52 (33) 9090-1212', files: await ownData() },
    { titular: 'Con La Misma Acta', celular: '33 0000 8888', files },
    { titular: 'Nada Que Ver', celular: '33 0000 9999', files: await ownData() },
  ])
  await signIn(context, site, 'admin')
  await page.goto(`/organizadores/inscripciones/${one}`)
  const repeated = page.getByRole('region', { name: /^Puede estar repetida/ })
  await repeated.getByText('Puede estar repetida con 3').click()
  await expect(repeated.getByRole('listitem')).toHaveText([/mismo nombre/, /mismo celular/, /mismo archivo/], {
    useInnerText: true,
  })
  await repeated.getByRole('link', { name: 'Otra Persona' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Otra Persona' })).toBeVisible()
  await expect(repeated.getByRole('link')).toHaveText(['María  JOSÉ Núñez'])
})

test('a keyboard goes through documents and entries and decides, but never while text is typed', async ({
  page,
  context,
  site,
}) => {
  await sow(
    site,
    ['Teclado Uno', 'Teclado Dos', 'Teclado Tres'].map((titular, at) => ({
      titular,
      createdAt: new Date(Date.now() - (3 - at) * 60_000),
    })),
  )
  await signIn(context, site, 'admin')
  await page.goto('/organizadores?buscar=teclado')
  await hydrated(page)
  await page.getByRole('link', { name: 'Teclado Tres' }).click()
  const title = page.getByRole('heading', { level: 1 })
  await expect(title).toHaveText('Teclado Tres')
  for (const [key, name] of [
    ['j', 'Teclado Dos'],
    ['n', 'Teclado Uno'],
    ['k', 'Teclado Dos'],
    ['p', 'Teclado Tres'],
  ] as const) {
    await page.waitForLoadState('networkidle')
    await page.keyboard.press(key)
    await expect(title).toHaveText(name)
  }
  await page.getByRole('link', { name: 'Acta de nacimiento', exact: true }).click()
  await expect(page.getByRole('img', { name: 'Acta de nacimiento, en grande' })).toBeVisible()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('img', { name: 'Credencial de elector, frente, en grande' })).toBeVisible()
  await page.keyboard.press('ArrowLeft')
  await expect(page.getByRole('img', { name: 'Acta de nacimiento, en grande' })).toBeVisible()
  // Zoom and rotation by keys and the wheel.
  const picture = page.locator('[data-viewer] [data-zoom-target]')
  const wide = async () => (await picture.boundingBox())!.width
  const before = await wide()
  await page.keyboard.press('+')
  await expect.poll(wide).toBeGreaterThan(before * 1.4)
  await page.keyboard.press('0')
  await expect.poll(wide).toBeLessThan(before * 1.01)
  await page.keyboard.press('g')
  await expect(page.getByRole('img', { name: /en grande/ })).toHaveAttribute('data-turns', '1')
  await page.mouse.move(500, 500)
  await picture.hover()
  await page.mouse.wheel(0, -300)
  await expect.poll(wide).toBeGreaterThan(before * 1.2)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('img', { name: /en grande/ })).toHaveCount(0)
  // Enter shows the reserved photograph, but not from a link, which it activates.
  const reserved = page.getByRole('link', { name: 'Foto de cuerpo (traje de baño)', exact: true })
  const notice = page.getByText('traje de baño. Ábrela sólo si')
  await reserved.click()
  await expect(notice).toBeVisible()
  await page.getByRole('link', { name: 'Cerrar' }).press('Enter')
  await expect(notice).toHaveCount(0)
  await expect(page.getByRole('img', { name: /en grande/ })).toHaveCount(0)
  await reserved.click()
  await expect(page.locator('[data-viewer]')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('img', { name: /en grande/ })).toBeVisible()
  await page.keyboard.press('Escape')

  const note = page.getByLabel('Nota (opcional, para la organización)')
  await note.focus()
  await page.keyboard.type('raza')
  await expect(note).toHaveValue('raza')
  await note.fill('')
  await note.blur()
  const said = page.getByRole('region', { name: 'Decisión' }).getByRole('status')
  await page.keyboard.press('r')
  await expect(said).toHaveText('Listo: quedó rechazada.')
  await expect(page.getByRole('button', { name: 'Deshacer', exact: true })).toBeVisible()
  await page.keyboard.press('z')
  await expect(said).toHaveText('Se deshizo: está como antes.')
  await expect(page.getByRole('button', { name: 'Aceptar', exact: true })).toBeVisible()
  await page.keyboard.press('a')
  await expect(said).toHaveText('Listo: quedó aceptada.')
  await expect(page.getByRole('link', { name: 'Siguiente que espera' })).toBeVisible()
  await page.keyboard.press('s')
  await expect(title).toHaveText('Teclado Dos')
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Con el teclado' })).toBeVisible()
  await expectAccessible(page)
})

test('several entries are accepted at once, and taken back with one press', async ({ page, context, site }) => {
  const names = ['Tanda Uno', 'Tanda Dos', 'Tanda Tres']
  const ids = await sow(
    site,
    names.map((titular) => ({ titular })),
  )
  await signIn(context, site, 'revision')
  await page.goto('/organizadores?buscar=tanda')
  await hydrated(page)
  for (const name of names) await page.getByRole('checkbox', { name: `Elegir ${name}` }).check()
  await page.getByText('Varias a la vez', { exact: true }).click()
  // Another role deletes entries.
  await expect(page.getByRole('button', { name: 'Borrar las elegidas' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Aceptar las elegidas' }).click()
  await expect(page.getByRole('heading', { level: 1, name: '¿Aceptar 3 inscripciones?' })).toBeVisible()
  await page.getByRole('button', { name: 'Aceptar las elegidas' }).click()
  await expect(page.getByText('Se aceptaron 3 inscripciones.')).toBeVisible()
  const states = async () =>
    (
      await site.sql<{ estado: string }>('select estado from inscripciones where id = any($1::int[]) order by id', [
        ids,
      ])
    ).map(({ estado }) => estado)
  expect(await states()).toEqual(['aceptada', 'aceptada', 'aceptada'])
  // One entry changes in the meantime: only this entry stays as it is.
  await site.sql('update inscripciones set version = version + 1 where id = $1', [ids[1]])
  await page.getByRole('button', { name: 'Deshacer los 3 cambios' }).click()
  await expect(page.getByText('Volvieron a como estaban 2 inscripciones. Una quedó como estaba')).toBeVisible()
  expect(await states()).toEqual(['recibida', 'aceptada', 'recibida'])
})

test('swimsuit photographs are for those who may see them, and leave the site only where the box is ticked', async ({
  page,
  context,
  site,
  browser,
}) => {
  const [id] = await sow(site, [{ titular: 'Con Reserva' }])
  const [body] = await site.sql<{ id: number }>(
    "select id from documentos where inscripcion_id = $1 and clase = 'fotoCuerpo'",
    [id],
  )
  const namesIn = async (at: Page, search: string) =>
    (await (await at.request.get(`/organizadores/exportar?formato=zip&id=${id}${search}`)).body()).toString('latin1')
  await signIn(context, site, 'admin')
  expect(await namesIn(page, '')).not.toMatch(/Con Reserva\/\d Foto de cuerpo/)
  expect(await namesIn(page, '&cuerpo=si')).toMatch(/Con Reserva\/\d Foto de cuerpo/)
  const [line] = await site.sql<{ datos: object }>(
    "select datos from bitacora where que = 'exporte.zip' order by id desc",
  )
  expect(line!.datos).toMatchObject({ conCuerpo: true })
  await page.goto(`/organizadores/inscripciones/${id}`)
  await expect(page.getByRole('checkbox', { name: 'Con fotos de cuerpo completo' })).not.toBeChecked()
  const html = await page.content()
  const [, address] = new RegExp(`(/organizadores/documentos/${body!.id}\\?llave=[\\w-]+)`).exec(html) ?? []
  expect((await page.request.get(`${address}&tamano=miniatura`)).status()).toBe(404)

  const other = await browser.newContext({ baseURL: site.url })
  await signIn(other, site, 'revision')
  const hers = await other.newPage()
  await hers.goto(`/organizadores/inscripciones/${id}`)
  await expect(hers.getByText('tu cuenta no la ve')).toBeVisible()
  expect(await hers.content()).not.toContain(`/organizadores/documentos/${body!.id}`)
  expect((await hers.request.get(`/organizadores/exportar?formato=zip&id=${id}&cuerpo=si`)).status()).toBe(403)
  await expect(hers.getByRole('checkbox', { name: 'Con fotos de cuerpo completo' })).toHaveCount(0)
  await other.close()
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true })

  test('the chosen filters stand in view, and a bar at the foot has the panel’s sections', async ({
    page,
    context,
    site,
  }) => {
    await sow(site, [{ titular: 'Una Sola' }])
    await signIn(context, site, 'admin')
    for (const path of ['?estado=rechazada', '?tipo=traje&estado=aceptada', '?edad=fuera']) {
      await page.goto(`/organizadores${path}`)
      await hydrated(page)
      for (const one of await page.locator('nav[aria-label="Qué inscripciones"] [aria-current]').all())
        await expect(one).toBeInViewport({ ratio: 0.95 })
    }
    await page.getByRole('link', { name: /^Rechazadas/ }).click()
    // The menu below closes when a navigation ends, so this one has to end first.
    await expect(page.getByRole('link', { name: /^Rechazadas/ })).toHaveAttribute('aria-current')
    await expect(page.getByRole('link', { name: /^Rechazadas/ })).toBeInViewport({ ratio: 0.99 })
    const panel = page.getByRole('navigation', { name: 'Panel' })
    const bar = (await panel.boundingBox())!
    expect(bar.y + bar.height).toBeCloseTo(844, 0)
    await expect(page.getByRole('banner')).toBeHidden()
    await expect(panel.getByRole('link', { name: 'Mensajes' })).toBeHidden()
    await page.getByRole('button', { name: 'Más', exact: true }).click()
    await expectAccessible(page)
    await panel.getByRole('link', { name: 'Mensajes' }).click()
    await expect(page).toHaveURL(/mensajes$/)
    await expect(panel.getByRole('link', { name: 'Mensajes' })).toBeHidden()
  })

  test('an entry and a page of the log are short, and no field makes a phone enlarge the page', async ({
    page,
    context,
    site,
  }) => {
    const [id] = await sow(site, [{ titular: 'Corta Ciruela', celular: '33 7171 2020', files: await ownData() }])
    await site.sql(
      "insert into bitacora (quien, desde, que, inscripcion) select null, 'sitio', 'inscripcion.en-revision', $1 from generate_series(1, 120)",
      [id],
    )
    await signIn(context, site, 'admin')
    const high = () => page.evaluate(() => document.documentElement.scrollHeight)
    await page.goto(`/organizadores/inscripciones/${id}`)
    await hydrated(page)
    await page.waitForTimeout(500)
    await expect.poll(high).toBeLessThan(2_300)
    await expect(page.getByRole('button', { name: 'Aceptar', exact: true })).toBeInViewport({ ratio: 1 })
    await expect(page.getByRole('link', { name: 'Foto de rostro', exact: true })).toBeInViewport()
    await page.goto('/organizadores/bitacora')
    await expect.poll(high).toBeLessThan(4_000)
    await expect(page.getByRole('link', { name: 'Más antiguos' })).toBeAttached()

    const screens = [
      '',
      `/inscripciones/${id}`,
      `/varias?hacer=rechazar&id=${id}`,
      '/personas',
      '/bitacora',
      '/edicion',
    ]
    const others = [
      '/privacidad',
      '/cuenta',
      '/confirmar',
      '/sitio',
      '/sitio/publicar',
      '/sitio/ediciones',
      '/sitio/retirar',
    ]
    const first = await page.request.get('/organizadores/sitio')
    const written = [...(await first.text()).matchAll(/href="(\/organizadores\/sitio\/[a-z-]+)"/g)].map(
      ([, path]) => path!,
    )
    const all = [...new Set([...[...screens, ...others].map((path) => `/organizadores${path}`), ...written])]
    for (const path of all) {
      await page.goto(path)
      await hydrated(page)
      const small = await page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>('input, select, textarea')]
          .filter((one) => !/checkbox|radio|hidden|file|color|range/.test(one.getAttribute('type') ?? ''))
          .filter((one) => Number.parseFloat(getComputedStyle(one).fontSize) < 16)
          .map((one) => `${one.tagName} ${one.getAttribute('name')} ${getComputedStyle(one).fontSize}`),
      )
      expect(small, path).toEqual([])
    }
  })
})

test('a picture that did not load: the original is offered to those who may download it', async ({
  page,
  context,
  site,
  expectedErrors,
}) => {
  expectedErrors.push(/net::ERR_/)
  const [id] = await sow(site, [{ titular: 'Sin Imagen' }])
  await page.route(/\/documentos\/\d+\?llave=[^&]*$/, (route) => route.abort())
  for (const [role, linkCount] of [
    ['admin', 1],
    ['revision', 0],
  ] as const) {
    await signIn(context, site, role)
    await page.goto(`/organizadores/inscripciones/${id}`)
    await hydrated(page)
    await page.getByRole('link', { name: 'Acta de nacimiento', exact: true }).click()
    await expect(page.getByText(/^No se pudo mostrar\..* pídelo de nuevo\.$/)).toBeVisible()
    await expect(page.getByRole('link', { name: 'Descargar el original (sin marca)' })).toHaveCount(linkCount)
  }
})
