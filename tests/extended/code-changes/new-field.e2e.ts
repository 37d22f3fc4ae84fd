import { execFile } from 'node:child_process'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@playwright/test'
import { signIn } from '../../e2e/accounts.ts'
import { button, chooseDocuments, fillFields, hydrated } from '../../e2e/registration-form.ts'
import { Site } from '../../e2e/site.ts'
import { copyProject } from '../../support/site/project-copy.ts'
import { type RunningSite, startSite } from '../../support/site/running-site.ts'

const run = promisify(execFile)
const CHECK = ['node_modules/vitest/vitest.mjs', 'run', '--no-color']
const FIELDS = 'app/entries/definitions/candidate-fields.ts'
const LARGO = 'El apodo no debe exceder 40 caracteres.'

/** The first code block of a language in docs/campo-nuevo.md: it adds a field to a form. */
async function pageSays(language: 'ts' | 'sql'): Promise<string> {
  const blocks = [...(await readFile('docs/campo-nuevo.md', 'utf8')).matchAll(/```(\w+)\n([\s\S]*?)```/g)]
  const found = blocks.find(([, of]) => of === language)
  if (!found) throw new Error(`docs/campo-nuevo.md has no block of ${language}`)
  return found[2]!
}

/** In a copy of the project, a descriptor and a migration make a field: form, checks, panel, export, metadata. */
test('a new field is what docs/campo-nuevo.md says, and nothing else', async ({ page, context }) => {
  const { folder } = await copyProject()
  let running: RunningSite | undefined
  try {
    const source = await readFile(join(folder, FIELDS), 'utf8')
    const end = source.indexOf('\n]\n', source.indexOf('export const CANDIDATE_FIELDS'))
    await writeFile(join(folder, FIELDS), `${source.slice(0, end)}\n${await pageSays('ts')}${source.slice(end)}`)
    await writeFile(join(folder, 'db/migrations/20990101000000_apodo.sql'), await pageSays('sql'))
    await cp('tests', join(folder, 'tests'), { recursive: true })
    // The folder's tests, as the guide says.
    const checked = await run(
      process.execPath,
      [...CHECK, '--project', 'unit', 'app/entries', 'tests/conventions/migrations.test.ts'],
      { cwd: folder },
    )
    expect(checked.stdout).toMatch(/Tests\s+\d+ passed \(/)
    running = await startSite({ DATA_DIR: join(folder, 'data') }, folder)
    const site = Site.of(running)

    await page.goto(`${site.url}/registro`)
    await hydrated(page)
    const nickname = page.getByLabel('Apodo', { exact: true })
    await fillFields(page)
    await chooseDocuments(page)
    await button(page).click()
    await expect(page.locator('#apodo-error')).toHaveText('Escribe tu apodo.')
    await nickname.fill('a'.repeat(41))
    await button(page).click()
    await expect(page.getByRole('alert').getByText(LARGO).first()).toBeVisible()

    // The server checks the field again, for requests that bypass the page.
    const typed = { entrega: crypto.randomUUID(), nombre: 'x', apodo: 'a'.repeat(41) }
    const answer = await page.request.post(`${site.url}/registro/envio`, { form: typed })
    expect(await answer.json()).toMatchObject({
      reason: 'incompleto',
      campos: expect.arrayContaining([{ campo: 'apodo', message: LARGO }]),
    })

    await nickname.fill('La Güera')
    await button(page).click()
    await expect(page.getByText('Registro exitoso.')).toBeVisible()
    const [stored] = await site.sql<{ apodo: string; metadata_path: string }>(
      'select apodo, metadata_path from registros',
    )
    expect(stored!.apodo).toBe('La Güera')
    const metadata = await readFile(join(site.dataDir, 'objects/registro', stored!.metadata_path), 'utf8')
    expect(JSON.parse(metadata)).toMatchObject({ apodo: 'La Güera' })

    await signIn(context, site, 'admin')
    await page.goto(`${site.url}/organizadores`)
    await page.getByRole('link', { name: 'Lucía' }).first().click()
    await expect(page.getByRole('term').filter({ hasText: 'Apodo' })).toBeVisible()
    await expect(page.getByRole('definition').filter({ hasText: 'La Güera' })).toBeVisible()
    const csv = await (await page.request.get(`${site.url}/organizadores/exportar?formato=csv`)).text()
    const [head, row] = csv.split('\r\n').map((line) => line.split(','))
    expect(row![head!.indexOf('Apodo')]).toBe('La Güera')
  } finally {
    await page.goto('about:blank')
    await running?.stop()
    await rm(folder, { recursive: true, force: true })
  }
})
