import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@playwright/test'
import pg from 'pg'
import { copyProject } from '../../support/site/project-copy.ts'
import { type RunningSite, startSite } from '../../support/site/running-site.ts'

const run = promisify(execFile)

/**
 * A volunteer's steps for a new year, in a copy of the project: lay out the edition, write it, switch, build, browse.
 * Photographs and everything outside content/ stay unchanged.
 */
test('a new edition needs nothing but content/', async ({ page }) => {
  const { folder: copy, files } = await copyProject()
  let site: RunningSite | undefined
  try {
    const code = files.filter((file) => !file.startsWith('content/'))
    const before = await digest(copy, code)
    const npm = async (...args: string[]) =>
      run('npm', ['run', '--silent', ...args], { cwd: copy }).then(
        ({ stdout: said }) => ({ code: 0, said }),
        (error: { code: number; stdout: string; stderr: string }) => ({
          code: error.code,
          said: error.stdout + error.stderr,
        }),
      )

    expect((await npm('edicion', '--', 'nueva', '2026')).said).toContain('content/2026')
    const unfinished = await npm('contenido', '--', 'revisar', '2026')
    expect(unfinished.code).toBe(1)
    expect(unfinished.said).toContain('content/2026/candidatas.yaml › candidatas[1].nombre: dice lo de otra edición')

    const change = async (file: string, edit: (text: string) => string) => {
      const path = join(copy, 'content', file)
      await writeFile(path, edit(await readFile(path, 'utf8')))
    }
    for (const file of [
      'edicion',
      'inicio',
      'candidatas',
      'historia',
      'convocatorias',
      'programa',
      'registro-traje',
      'privacidad',
    ])
      await change(`2026/${file}.yaml`, (text) =>
        text
          .replace('Valeria Bugambilia Olmos', 'Inés Biznaga Ruiz')
          .replaceAll('2025-', '2026-')
          .replaceAll(' # CAMBIAR', ''),
      )
    expect(await npm('contenido', '--', 'revisar', '2026')).toMatchObject({ code: 0 })
    await change('actual.yaml', (text) => text.replace('2025', '2026'))

    site = await startSite({ DATA_DIR: join(copy, 'data'), SITE_CLOCK: '2026-10-02T12:00-06:00' }, copy)

    await page.goto(`${site.url}/`)
    await expect(page).toHaveTitle('Señorita Azahares 2026')
    await expect(page.getByText('Feria de Azahares · edición 102')).toBeVisible()
    await page.goto(`${site.url}/candidatas`)
    await expect(page.getByRole('heading', { name: 'Inés Biznaga Ruiz' })).toBeVisible()
    // There is no winner yet, though the deadline has passed.
    await page.goto(`${site.url}/misspopularidad`)
    await expect(page.getByRole('heading', { level: 1, name: 'Muy pronto sabremos quién es' })).toBeVisible()
    expect(await (await page.request.get(`${site.url}/feria.ics`)).text()).toContain('DTSTART;VALUE=DATE:2026')
    expect(await digest(copy, code)).toEqual(before)

    // A candidate with votes keeps her id.
    const owner = { host: join(copy, 'data/postgres.sockets'), user: 'certamen', database: 'certamen' }
    const client = new pg.Client(owner)
    await client.connect()
    await client.query(
      `insert into votos_por_hora (edicion, hora, candidata, votos) values (2026, now(), 'Inés Biznaga Ruiz', 1)`,
    )
    await client.end()
    const kept = await readFile(join(copy, 'content/2026/candidatas.yaml'), 'utf8')
    await change('2026/candidatas.yaml', (text) => text.replace('id: candidata-1\n', 'id: ines-biznaga-ruiz\n'))
    expect(await npm('contenido', '--', 'revisar')).toMatchObject({
      code: 1,
      said: expect.stringContaining(
        'content/2026/candidatas.yaml separa votos de su candidata: «Inés Biznaga Ruiz» tiene 1 voto',
      ),
    })
    await writeFile(join(copy, 'content/2026/candidatas.yaml'), kept)
    expect(await npm('contenido', '--', 'revisar')).toMatchObject({ code: 0 })
  } finally {
    await page.goto('about:blank')
    await site?.stop()
    await rm(copy, { recursive: true, force: true })
  }
})

async function digest(folder: string, files: string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const file of files) hash.update(file).update(await readFile(join(folder, file)))
  return hash.digest('hex')
}
