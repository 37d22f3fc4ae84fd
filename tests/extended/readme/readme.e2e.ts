import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { freePort } from '../../support/site/running-site.ts'

/** How each command of README.md and docs/comandos.md is tried. A new command there needs a row here. */
const TRIED: Record<string, (command: string) => Promise<unknown>> = {
  'npm start': (command) => serves(command, 'El sitio está en'),
  'npm run dev': (command) => serves(command, 'Desarrollo en'),
  'npm run muestra -- votacion': (command) => showsMoment(command, 'votar'),
  'npm run prueba -- app/cms/edition-settings': (command) => succeeds(command),
  'npm run contenido -- revisar': (command) => succeeds(command),
  // A whole rehearsal of these two: tests/extended/code-changes/new-edition.e2e.ts.
  'npm run edicion -- nueva 2026': () => leadsTo('edicion', 'createContentFolder'),
  // Both ways, without loss: tests/extended/operation/publication.e2e.ts.
  'npm run edicion -- exportar 2025 carpeta': () => leadsTo('edicion', 'exportEdition(Number(first), second)'),
  'npm run edicion -- importar carpeta': () => leadsTo('edicion', 'importEdition(first)'),
  'npm run contenido -- revisar 2026': () => leadsTo('contenido', 'readEdition'),
  // Each of its verbs: tests/extended/accounts/accounts-command.e2e.ts.
  'npm run cuentas -- listar': () => leadsTo('cuentas', 'accounts-command'),
  // Run on a published act by tests/e2e/voting.e2e.ts, and on that of a final by tests/extended/scenarios/final.e2e.ts.
  'npm run escrutinio -- acta.json': () => leadsTo('escrutinio', 'verifyRecord'),
  // Both ways and both moves, really made: tests/extended/operation/backups.e2e.ts.
  'npm run respaldo -- --a carpeta': () => leadsTo('respaldo', 'backup-command'),
  'npm run restaurar -- carpeta': () => leadsTo('restaurar', 'restore-command'),
  'npm run mudanza -- --a-archivo file': () => leadsTo('mudanza', 'move-command'),
  // Really done, under visits and votes, and taken back: tests/extended/update/update.e2e.ts.
  'npm run actualizar': () => leadsTo('actualizar', 'update-command'),
  // Packed, opened and started in an empty folder: tests/extended/update/package.e2e.ts.
  'npm run empaquetar': () => leadsTo('empaquetar', 'listPackagesToRun'),
  'npm run bench': async (command) => {
    const began = Date.now()
    expect(await succeeds(`${command} -- --vueltas 1 --solo / pantallas`)).toContain('LCP')
    expect((await stat('build/bench.json')).mtimeMs).toBeGreaterThan(began)
  },
  // Run against a site by tests/extended/panel/health-watch.e2e.ts.
  'npm run estado': () => leadsTo('estado', 'INTERNAL_CHECKS'),
  // Its questions and trials: scripts/commands/configure.test.ts.
  'npm run configurar': () => leadsTo('configurar', 'configure('),
  // These run this very test; the last five need servers of their own, which they install.
  'npm test': () => leadsTo('test', 'scripts/check-runner/check.ts'),
  'npm run test:all': () => leadsTo('test:all', 'scripts/check-runner/check.ts'),
  'npm test -- --touched': () => leadsTo('test', 'scripts/check-runner/check.ts'),
  'npm run check': () => leadsTo('check', './check-runner/check.ts'),
  'npm run check -- --quick': () => leadsTo('check', './check-runner/check.ts'),
  'npm run check -- app/cms/edition-settings': () => leadsTo('check', './check-runner/check.ts'),
  'npm run fix': () => leadsTo('fix', 'biome check --write'),
  'npx playwright test tests/e2e/rate-limits.e2e.ts': async (command) =>
    expect(await succeeds(`${command} --list`)).toContain('Total: 1 test in 1 file'),
  'npm run build': () => leadsTo('build', 'isBuilt'),
  // Run by the database tests, which compare the file: app/core/db/tables.db.test.ts.
  'npm run tablas': () => leadsTo('tablas', 'toMatchFileSnapshot'),
  'npm run letras': () => leadsTo('letras', 'makeFonts()'),
  'npm run imagenes': () => leadsTo('imagenes', 'makeImages({'),
  'npm run test:s3': () => leadsTo('test:s3', 's3'),
  'npm run test:despliegue': () => leadsTo('test:despliegue', 'tryProxy'),
  'npm run test:varios': () => leadsTo('test:varios', 'tryCrashes'),
  'npm run test:fallas': () => leadsTo('test:fallas', '--project faults'),
  'npm run test:imap': () => leadsTo('test:imap', "'imap'"),
}

test('every command of README.md and docs/comandos.md is tried', async () => {
  const pages = (await Promise.all(['README.md', 'docs/comandos.md'].map((page) => readFile(page, 'utf8')))).join('\n')
  const blocks = [...pages.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block]) => block!.trim().split('\n'))
  const spans = [...pages.matchAll(/`(np[mx] [^`]+)`/g)].map(([, command]) => command!)
  expect([...new Set([...blocks, ...spans])].sort()).toEqual(Object.keys(TRIED).sort())
})

test('the guide to a first change has no command but these and git’s', async () => {
  const guide = await readFile('docs/primer-cambio.md', 'utf8')
  const blocks = [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block]) => block!.trim().split('\n'))
  const known = Object.keys(TRIED).map((command) => command.replace(/ -- .*/, ''))
  expect(blocks.filter((one) => !/^(git|cd) /.test(one) && !known.includes(one.replace(/ -- .*/, '')))).toEqual([])
})

for (const [command, tryOut] of Object.entries(TRIED))
  test(`command: ${command}`, async () => {
    await tryOut(command)
  })

for (const [moment, call] of [
  ['registro', 'inscribirse'],
  ['final', 'conocer-ganadora'],
  ['despues', 'conocer-reina'],
])
  test(`the sample’s moment ${moment}`, () => showsMoment(`npm run muestra -- ${moment}`, call!))

/** Expects that the sample is served at a moment whose call to action is this one. */
const showsMoment = (command: string, call: string) =>
  serves(command, 'El sitio está en', async (url) =>
    expect.poll(async () => (await (await fetch(`${url}/periodos`)).json()).llamado.que).toBe(call),
  )

async function succeeds(command: string): Promise<string> {
  const child = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk
    })
  const [code] = await once(child, 'close')
  expect(code, said).toBe(0)
  return said
}

/** Expects that the command starts a site that shows its home, and ends on a signal. */
async function serves(command: string, ready: string, look?: (url: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'certamen-readme-'))
  const port = await freePort()
  const child = spawn('sh', ['-c', `exec ${command}`], {
    env: { ...process.env, PORT: String(port), DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk
    })
  try {
    await expect.poll(() => said, { timeout: 120_000 }).toContain(ready)
    const url = `http://127.0.0.1:${port}`
    const home = await fetch(url)
    expect(home.status).toBe(200)
    expect(await home.text()).toContain('NUESTROS PATROCINADORES')
    await look?.(url)
  } finally {
    // The signal goes to the whole process group, as Ctrl-C in a terminal does.
    process.kill(-child.pid!, 'SIGINT')
  }
  const gone = () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      () => false,
      () => true,
    )
  await expect.poll(gone).toBe(true)
  // The sample's data stand beside the data folder.
  const claims = async () => (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('sitio.pid'))
  await expect.poll(claims).toEqual([])
  // The database may still write its last files.
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 })
}

async function leadsTo(script: string, part: string): Promise<void> {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: Record<string, string> }
  const file = scripts[script]?.split(' ').findLast((word) => !word.startsWith('-')) ?? ''
  expect(`${scripts[script]}\n${await readFile(file, 'utf8').catch(() => '')}`).toContain(part)
}
