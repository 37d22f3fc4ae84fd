import type { Page } from '@playwright/test'
import { expectAccessible } from '../../e2e/accessible.ts'
import { signIn } from '../../e2e/accounts.ts'
import { expectNoSidewaysScroll } from '../../e2e/look-at-screen.ts'
import { expect, test } from '../../e2e/site.ts'
import { sow } from '../../e2e/sow-entries.ts'

async function choose(page: Page, action: string, names: string[]) {
  for (const name of names) await page.getByRole('checkbox', { name: `Elegir ${name}` }).check()
  await page.getByText('Varias a la vez', { exact: true }).click()
  await page.getByRole('button', { name: `${action} las elegidas` }).click()
}

for (const { width, js } of [
  { width: 360, js: false },
  { width: 1440, js: true },
]) {
  test.describe(`${width} px, ${js ? 'with' : 'without'} JavaScript`, () => {
    test.use({ viewport: { width, height: 800 }, javaScriptEnabled: js })

    test('several entries are rejected, then deleted, each with a separate step or receipt', async ({
      page,
      context,
      site,
      expectedErrors,
    }) => {
      expectedErrors.push(/409|422/)
      const names = [1, 2, 3].map((n) => `Relleno ${n} de ${width}`)
      const ids = await sow(
        site,
        names.map((titular) => ({ titular })),
      )
      const [keeps] = await sow(site, [{ titular: `Ana de ${width}` }])
      await signIn(context, site, 'admin')
      await page.goto('/organizadores')

      await choose(page, 'Rechazar', names)
      await expect(page.getByRole('heading', { level: 1, name: '¿Rechazar 3 inscripciones?' })).toBeVisible()
      for (const name of names) await expect(page.getByText(name)).toBeVisible()
      if (js) await expectAccessible(page)
      await expectNoSidewaysScroll(page)
      await page.getByLabel('Nota (opcional, para la organización)').fill('Es relleno')
      // One entry changes in the meantime.
      await site.sql('update inscripciones set version = version + 1 where id = $1', [ids[0]])
      await page.getByRole('button', { name: 'Rechazar las elegidas' }).click()
      await expect(page.getByText('Se rechazaron 2 inscripciones. Una quedó como estaba')).toBeVisible()
      await expect(page.getByText(/no: mientras tanto la persona inscrita la cambió/)).toBeVisible()
      const states = () =>
        site.sql<{ estado: string }>('select estado from inscripciones where id = any($1::int[]) order by id', [ids])
      expect((await states()).map(({ estado }) => estado)).toEqual(['recibida', 'rechazada', 'rechazada'])
      const noted = await site.sql(
        "select 1 from cambios where nota = 'Es relleno' and inscripcion_id = any($1::int[])",
        [ids],
      )
      expect(noted).toHaveLength(2)

      await page.goto('/organizadores')
      await choose(page, 'Borrar', names)
      await expect(page.getByRole('heading', { level: 1, name: '¿Borrar 3 inscripciones?' })).toBeVisible()
      // One entry is taken off the list.
      await page.getByRole('checkbox', { name: names[2]! }).uncheck()
      await page.getByRole('checkbox', { name: 'Entiendo que no se puede deshacer' }).check()
      await page.getByRole('button', { name: 'Borrar las elegidas' }).click()
      await expect(page.getByText('Se borraron 2 inscripciones.')).toBeVisible()
      await expect(page.getByText(/^B-\w{5}-\w{5}$/)).toHaveCount(2)
      if (js) await expectAccessible(page)
      await expectNoSidewaysScroll(page)
      expect((await states()).map(({ estado }) => estado)).toEqual(['rechazada'])
      const receipts = await site.sql<{ acuse: string }>(
        "select acuse from bitacora where que = 'borrado.solicitud' and inscripcion = any($1::int[])",
        [ids],
      )
      for (const { acuse } of receipts) await expect(page.getByText(acuse)).toBeVisible()
      expect(receipts).toHaveLength(2)
      expect(await site.sql('select 1 from inscripciones where id = $1', [keeps])).toHaveLength(1)
    })

    test('without a choice nothing is done', async ({ page, context, site }) => {
      await sow(site, [{ titular: 'Nadie la elige' }])
      await signIn(context, site, 'admin')
      await page.goto('/organizadores')
      await choose(page, 'Borrar', [])
      await expect(page.getByText('No elegiste ninguna. Vuelve a la lista y marca las que quieras.')).toBeVisible()
    })
  })
}

test('deleting several entries needs the tick of an irreversible step', async ({ page, context, site }) => {
  const [id] = await sow(site, [{ titular: 'Se queda' }])
  await signIn(context, site, 'admin')
  const answer = await page.request.post(`/organizadores/varias?hacer=borrar&id=${id}`, {
    form: { hacer: 'borrar', id: `${id}:1` },
    headers: { origin: site.url },
  })
  expect(answer.status()).toBe(422)
  expect(await answer.text()).toContain('Marca que entiendes que no se puede deshacer.')
  expect(await site.sql('select 1 from inscripciones where id = $1', [id])).toHaveLength(1)
})
