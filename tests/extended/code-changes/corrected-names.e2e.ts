import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from '@playwright/test'
import { signIn } from '../../e2e/accounts.ts'
import { castOn } from '../../e2e/cast-votes.ts'
import { Site } from '../../e2e/site.ts'

/** Starts the built site over the content of the folder in which this program is started. */
const PROGRAM = `
  process.env.NODE_ENV = 'production'
  const { serveSite } = await import(process.argv[2])
  const site = await serveSite({ root: process.argv[3], env: process.env, say: console.log }).catch((error) => {
    console.error(error.message)
    process.exit(1)
  })
  process.on('SIGTERM', () => site.stop().then(() => process.exit(0)))
`

const PROGRAM_FILE = 'programa.mjs'

/** Links the project into a new folder with a copy of the content, which the test may change. */
async function withOwnContent(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'certamen-nombres-'))
  for (const name of await readdir('.'))
    if (!['content', 'data', '.git'].includes(name)) await symlink(resolve(name), join(folder, name))
  await writeFile(join(folder, PROGRAM_FILE), PROGRAM)
  // Content is copied, since the site follows no links there.
  await cp('content', join(folder, 'content'), { recursive: true })
  return folder
}

/** @returns the site's address, or only its output if it ended instead */
async function start(folder: string): Promise<{ child: ChildProcess; url?: string; said: string }> {
  const args = ['--disable-warning=ExperimentalWarning', PROGRAM_FILE, resolve('build/server/index.js'), folder]
  const env = {
    ...process.env,
    PORT: '0',
    DATA_DIR: join(folder, 'data'),
    LOG_LEVEL: 'silent',
    SITE_CLOCK: '2025-09-20T12:00-06:00',
  }
  const child = spawn(process.execPath, args, { cwd: folder, env })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
  for (;;) {
    const url = /El sitio está en (\S+)/.exec(said)?.[1]
    if (url) return { child, url, said }
    if (child.exitCode !== null) return { child, said }
    await new Promise((done) => setTimeout(done, 50))
  }
}

const stop = async (child: ChildProcess) => {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
}

test('a name corrected during the vote keeps its votes; a content that would orphan votes is not shown', async ({
  page,
  context,
}) => {
  const folder = await withOwnContent()
  const file = join(folder, 'content/2025/candidatas.yaml')
  const correct = async (from: string, to: string) => {
    const before = await readFile(file, 'utf8')
    const after = before.replace(from, to)
    expect(after).not.toBe(before)
    await writeFile(file, after)
  }
  const siteOf = ({ child, url, said }: Awaited<ReturnType<typeof start>>) => {
    expect(url, said).toBeDefined()
    return Site.of({ url: url!, dataDir: join(folder, 'data'), stop: () => stop(child) })
  }
  let site: Site | undefined
  try {
    site = siteOf(await start(folder))
    await castOn(site, [7, 2, 0, 0, 0])
    const first = page.getByRole('table').first().getByRole('row').nth(1)
    await signIn(context, site, 'admin')
    await page.goto(`${site.url}/misspopularidad-resultados`)
    await expect(first).toContainText(/Valeria Bugambilia Olmos\s*7\s*77\.8 %/)
    await page.goto('about:blank')
    await site.stop()

    await correct('nombre: Valeria Bugambilia Olmos', 'nombre: Valeria Bugambilla Olmos')
    site = siteOf(await start(folder))
    await signIn(context, site, 'admin')
    await page.goto(`${site.url}/misspopularidad-resultados`)
    await expect(first).toContainText(/Valeria Bugambilla Olmos\s*7\s*77\.8 %/)
    await expect(page.getByText(/Otros \/ inválidos: 0 · Total: 9/)).toBeVisible()
    await page.getByRole('button', { name: 'Recontar ahora' }).click()
    await expect(page.getByText('Recuento hecho: todo coincide.')).toBeVisible()
    await page.goto(`${site.url}/misspopularidad`)
    // Her place on the candidates' screen keeps the address that was shared before.
    await expect(page.getByRole('link', { name: 'Valeria Bugambilla Olmos', exact: true })).toHaveAttribute(
      'href',
      '/candidatas#valeria-bugambilia-olmos',
    )
    await page.goto('about:blank')
    await site.stop()

    const [VALERIA, RENATA] = ['valeria-bugambilia-olmos', 'renata-cempasuchil-nava']
    const exchange = async () => {
      await correct(`id: ${VALERIA}`, 'id: otra')
      await correct(`id: ${RENATA}`, `id: ${VALERIA}`)
      await correct('id: otra', `id: ${RENATA}`)
    }
    await exchange()
    const refused = await start(folder)
    await stop(refused.child)
    expect(refused.said).toContain('Mientras tanto se muestra la última publicación.')
    expect(refused.said).toContain(
      `content/2025/candidatas.yaml separa votos de su candidata: «Renata Cempasúchil Nava» tiene 2 votos con el id «${RENATA}», y ahora dice «${VALERIA}»; «Valeria Bugambilia Olmos» tiene 7 votos con el id «${VALERIA}», y ahora dice «${RENATA}»`,
    )
  } finally {
    await site?.stop()
    await rm(folder, { recursive: true, force: true })
  }
})
