import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@playwright/test'
import { freePort } from '../running-site.ts'

const run = promisify(execFile)

/**
 * What a volunteer does next year, in a copy of the project: lay out the edition, write it, switch, build, browse. The
 * photographs and everything outside content/ stay as they are.
 */
test('a new edition needs nothing but content/', async ({ page }) => {
  test.setTimeout(240_000)
  const copy = await mkdtemp(join(tmpdir(), 'certamen-ensayo-'))
  let site: ReturnType<typeof spawn> | undefined
  try {
    const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'])
    const files = stdout.split('\0').filter((file) => file !== '' && !file.startsWith('tests/'))
    for (const file of files) {
      await mkdir(dirname(join(copy, file)), { recursive: true })
      await cp(file, join(copy, file), { preserveTimestamps: true })
    }
    await symlink(resolve('node_modules'), join(copy, 'node_modules'))
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
    for (const file of ['edicion', 'inicio', 'candidatas', 'historia', 'convocatorias', 'registro-traje', 'privacidad'])
      await change(`2026/${file}.yaml`, (text) =>
        text
          .replace('Valeria Bugambilia Olmos', 'Inés Biznaga Ruiz')
          .replaceAll('2025-', '2026-')
          .replaceAll(' # CAMBIAR', ''),
      )
    expect(await npm('contenido', '--', 'revisar', '2026')).toMatchObject({ code: 0 })
    await change('actual.yaml', (text) => text.replace('2025', '2026'))

    const port = await freePort()
    site = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'scripts/serve.ts'], {
      cwd: copy,
      env: {
        ...process.env,
        PORT: String(port),
        DATA_DIR: join(copy, 'data'),
        LOG_LEVEL: 'error',
        SITE_CLOCK: '2026-10-02T12:00-06:00',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    site.stdout!.on('data', (chunk) => {
      said += chunk
    })
    await expect.poll(() => said, { timeout: 120_000 }).toContain('El sitio está en')

    await page.goto(`http://127.0.0.1:${port}/`)
    await expect(page).toHaveTitle('Señorita Azahares 2026')
    await expect(page.getByText('Feria de Azahares · edición 102')).toBeVisible()
    await page.goto(`http://127.0.0.1:${port}/candidatas`)
    await expect(page.getByRole('heading', { name: 'Inés Biznaga Ruiz' })).toBeVisible()
    // Nobody has won yet, though the deadline has passed.
    await page.goto(`http://127.0.0.1:${port}/misspopularidad`)
    await expect(page.getByRole('heading', { level: 1, name: 'Muy pronto sabremos quién es' })).toBeVisible()
    expect(await (await page.request.get(`http://127.0.0.1:${port}/feria.ics`)).text()).toContain(
      'DTSTART;VALUE=DATE:2026',
    )
    expect(await digest(copy, code)).toEqual(before)
  } finally {
    await page.goto('about:blank')
    site?.kill('SIGTERM')
    if (site && site.exitCode === null) await new Promise((resolve) => site!.once('exit', resolve))
    await rm(copy, { recursive: true, force: true })
  }
})

async function digest(folder: string, files: string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const file of files) hash.update(file).update(await readFile(join(folder, file)))
  return hash.digest('hex')
}
