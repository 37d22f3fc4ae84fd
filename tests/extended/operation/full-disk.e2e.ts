import { statfs } from 'node:fs/promises'
import { PASSWORD, signedIn, signIn } from '../../e2e/accounts.ts'
import { hydrated } from '../../e2e/registration-form.ts'
import { expect, Site, test } from '../../e2e/site.ts'
import { sow } from '../../e2e/sow-entries.ts'

test('at the disk’s reserve no registration is taken, and the organisers are told and can make room', async ({
  page,
}) => {
  const { bavail, bsize } = await statfs('.')
  // The reserve is larger than the free space, so that any upload would go below it.
  const site = await Site.start({
    DISK_FLOOR: `${Math.ceil((bavail * bsize) / 1024 ** 3) + 50}GB`,
    SITE_CLOCK: '2025-08-01T12:00:00-06:00',
  })
  try {
    const [id] = await sow(site, [{ titular: 'Relleno', createdAt: new Date('2025-08-01T12:00:00-06:00') }])

    // A full disk is said before the form is filled in.
    for (const path of ['/registro', '/registro-traje-tipico']) {
      await page.goto(`${site.url}${path}`)
      await expect(page.getByRole('heading', { name: /^Por ahora no podemos recibir registros/ })).toBeVisible()
      await expect(page.getByRole('button', { name: 'Enviar Registro' })).toHaveCount(0)
    }

    // Signing in writes to the disk, and so does opening a document.
    const { correo } = await signedIn(site, 'admin')
    await page.goto(`${site.url}/organizadores`)
    await page.getByLabel('Correo Electrónico').fill(correo)
    await page.getByLabel('Contraseña', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Iniciar sesión' }).click()
    await expect(
      page.getByText(/^El disco está lleno: quedan .* No recibe registros\. Borra las inscripciones/),
    ).toBeVisible()
    await page.goto(`${site.url}/organizadores/varias?hacer=borrar&id=${id}`)
    await page.getByRole('checkbox', { name: 'Entiendo que no se puede deshacer' }).check()
    await page.getByRole('button', { name: 'Borrar las elegidas' }).click()
    await expect(page.getByText('Se borró una inscripción.')).toBeVisible()

    // The mail goes to the first administrator, whom the start created.
    const written = async () => (await site.mails('organizacion@certamen.local')).join('')
    await expect.poll(written).toContain('se le acaba el disco')
  } finally {
    await site.stop()
  }
})

test('the panel reports a proxy that the settings do not count', async ({ page, site }) => {
  const { name, value } = await signedIn(site, 'admin')
  const ask = async (headers: Record<string, string> = {}) => {
    const answer = await page.request.get('/organizadores', { headers: { cookie: `${name}=${value}`, ...headers } })
    return answer.text()
  }
  const said = 'Las visitas llegan a través de un servidor intermedio'
  expect(await ask({ 'x-forwarded-for': '198.51.100.9' })).toContain(said)
  expect(await ask()).not.toContain(said)
})

test('on a full disk nothing is half done, and the typed text stays', async ({ page, site, expectedErrors }) => {
  expectedErrors.push(/507/)
  const [id] = await sow(site, [{ titular: 'Llena Pitaya' }])
  await signIn(page.context(), site, 'admin')
  await page.goto(`/organizadores/inscripciones/${id}`)
  await hydrated(page)
  // The error that the database raises on a full disk.
  await site.sql(`create function lleno() returns trigger language plpgsql as $$ begin
    raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$`)
  await site.sql('create trigger lleno before insert on bitacora for each row execute function lleno()')
  try {
    await page.getByLabel('Pasa a').selectOption('aceptada')
    await page.getByLabel('Nota (opcional, para la organización)').fill('Una nota larga')
    await page.getByRole('button', { name: 'Guardar decisión' }).click()
    await expect(page.getByRole('alert')).toContainText('No se guardó nada: el disco del servidor está lleno.')
    await expect(page.getByLabel('Nota (opcional, para la organización)')).toHaveValue('Una nota larga')
    // A picture is not shown if the audit log cannot record its opening.
    await page.getByRole('link', { name: 'Acta de nacimiento', exact: true }).click()
    await expect(page.getByText('No se pudo mostrar.')).toBeVisible()
    const [record] = await site.sql<{ path: string }>(
      "select path from documentos where inscripcion_id = $1 and clase = 'actaNacimiento'",
      [id],
    )
    const original = await page.request.get(`/archivos/registro/${record!.path}`)
    expect([original.status(), await original.text()]).toEqual([507, expect.stringContaining('no se abre')])
    await page.goto('/organizadores/impresion')
    await expect(page.getByRole('alert')).toContainText('no se puede anotar en la bitácora')
    await page.getByRole('link', { name: 'Ajustes del año' }).click()
    await page.getByLabel('Días que se conservan').fill('45')
    const privacy = page.getByRole('form', { name: 'Privacidad' })
    await privacy.getByRole('button', { name: 'Guardar' }).click()
    await expect(page.getByRole('alert')).toContainText('el disco del servidor está lleno')
    await expect(page.getByLabel('Días que se conservan')).toHaveValue('45')
    const csv = await page.request.get('/organizadores/exportar?formato=csv')
    expect([csv.status(), await csv.text()]).toEqual([507, expect.stringContaining('El disco del servidor está lleno')])
  } finally {
    await site.sql('drop function lleno cascade')
  }
  expect(await site.sql('select estado, version from inscripciones where id = $1', [id])).toEqual([
    { estado: 'recibida', version: 1 },
  ])
  expect(await site.sql("select 1 from ajustes where nombre = 'privacidad.dias'")).toEqual([])
})

test('a disk that fills up between two entries: the page says which one was changed, and takes it back', async ({
  page,
  site,
  expectedErrors,
}) => {
  expectedErrors.push(/507/)
  const ids = await sow(site, [{ titular: 'Llena Tuna' }, { titular: 'Llena Guayaba' }])
  await signIn(page.context(), site, 'admin')
  await page.goto(`/organizadores/varias?hacer=aceptar&id=${ids.join('&id=')}`)
  await hydrated(page)
  const changes = page.locator('input[name="id"]')
  const last = Number((await changes.last().inputValue()).split(':')[0])
  await site.sql(`create function lleno() returns trigger language plpgsql as $$ begin
    raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$`)
  await site.sql(
    `create trigger lleno before insert on bitacora for each row when (new.inscripcion = ${last}) execute function lleno()`,
  )
  try {
    await page.getByRole('button', { name: 'Aceptar las elegidas' }).click()
    await expect(page.getByRole('alert')).toContainText('El disco del servidor se llenó a la mitad: abajo está')
  } finally {
    await site.sql('drop function lleno cascade')
  }
  const states = () =>
    site.sql<{ estado: string }>('select estado from inscripciones where id = any($1::int[]) order by id = $2', [
      ids,
      last,
    ])
  expect(await states()).toEqual([{ estado: 'aceptada' }, { estado: 'recibida' }])
  await expect(page.getByRole('region', { name: 'Qué pasó con cada una' }).getByRole('listitem')).toHaveCount(1)
  await page.getByRole('button', { name: 'Deshacer el cambio' }).click()
  await expect(page.getByText('Volvió a como estaba una inscripción.')).toBeVisible()
  expect(await states()).toEqual([{ estado: 'recibida' }, { estado: 'recibida' }])
})
