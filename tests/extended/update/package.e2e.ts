import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@playwright/test'
import { freePort } from '../../support/site/running-site.ts'

const run = promisify(execFile)
const MINIMAL = { PATH: '/usr/bin:/bin' }

let folder: string
let home: string

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certamen-paquete-'))
  const { stdout, stderr } = await run(process.execPath, [
    ...['--disable-warning=ExperimentalWarning', 'scripts/empaquetar.ts'],
    ...['--a', folder, '--sin-fotos', '--json'],
  ])
  const said = JSON.parse(stdout) as { ok: boolean; archivo: string }
  expect(said.ok, stderr).toBe(true)
  await mkdir(join(folder, 'abierto'))
  await run('tar', ['-xzf', said.archivo, '-C', join(folder, 'abierto')])
  await rm(said.archivo)
  home = join(folder, 'abierto', (await readdir(join(folder, 'abierto')))[0]!)
})

test.afterAll(async () => {
  await run('chmod', ['-R', 'u+w', folder])
  await rm(folder, { recursive: true, force: true })
})

/** Starts the package with a minimal environment. */
async function start(at: string, dataDir: string, env: Record<string, string> = {}) {
  const port = await freePort()
  const child = spawn(join(at, 'certamen'), [], {
    cwd: folder,
    env: { ...MINIMAL, PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk
    })
  await expect.poll(() => `${said}${child.exitCode ?? ''}`, { timeout: 240_000 }).toContain('El sitio está en')
  return {
    url: `http://127.0.0.1:${port}`,
    said: () => said,
    async stop() {
      child.kill('SIGTERM')
      const [code] = await once(child, 'exit')
      expect(code, said).toBe(0)
    },
  }
}

test('the package starts alone, from a read-only folder, and writes only to its data folder', async () => {
  await run('chmod', ['-R', 'a-w', home])
  const before = (await run('find', [home, '-newermt', '@0', '-printf', '%p %T@\n'], { maxBuffer: 1e8 })).stdout
  const dataDir = join(folder, 'datos')
  const site = await start(home, dataDir)
  try {
    expect(site.said()).not.toContain('Construyendo')
    const document = await (await fetch(`${site.url}/`)).text()
    expect(document).toContain('NUESTROS PATROCINADORES')
    for (const path of ['/candidatas', '/registro', '/misspopularidad', '/healthz', '/readyz'])
      expect((await fetch(site.url + path)).status, path).toBe(200)
    const assets = [...new Set(document.match(/\/assets\/[\w.-]+\.js/g))]
    expect(assets.length).toBeGreaterThan(0)
    for (const path of assets) expect((await fetch(site.url + path)).status, path).toBe(200)
    const picture = /\/img\/[\w./-]+\.avif/.exec(document)?.[0]
    expect((await fetch(site.url + picture)).headers.get('content-type')).toMatch(/^image\//)
    // A command reaches the running site; its folder is relative to the caller's.
    const options = { cwd: folder, env: { ...MINIMAL, DATA_DIR: dataDir } }
    const accounts = await run(join(home, 'certamen'), ['cuentas', 'listar'], options)
    expect(accounts.stdout).toContain('organizacion@certamen.local')
    const backup = await run(join(home, 'certamen'), ['respaldo', '--a', 'copia'], options)
    expect(backup.stdout).toContain('Respaldo hecho y comprobado')
    expect(await readdir(join(folder, 'copia'))).not.toEqual([])
  } finally {
    await site.stop()
  }
  const after = (await run('find', [home, '-newermt', '@0', '-printf', '%p %T@\n'], { maxBuffer: 1e8 })).stdout
  expect(after).toBe(before)
})

test('an unknown command is answered with the list of commands', async () => {
  const failed = await run(join(home, 'certamen'), ['borrarlo-todo'], { env: MINIMAL }).catch((error) => error)
  expect(failed.code).toBe(1)
  expect(failed.stderr).toContain('certamen respaldo --a CARPETA')
})

test('after an upgrade, a page that was opened before finds its files', async () => {
  const dataDir = join(folder, 'datos-que-siguen')
  const first = await start(home, dataDir)
  const old = [...new Set((await (await fetch(`${first.url}/`)).text()).match(/\/assets\/[\w.-]+\.js/g))]
  await first.stop()
  // The next version, whose script has another name.
  const next = join(folder, 'siguiente')
  await cp(home, next, { recursive: true, verbatimSymlinks: true })
  await run('chmod', ['-R', 'u+w', next])
  const stamp = join(next, 'build/stamp')
  await writeFile(stamp, (await readFile(stamp, 'utf8')).replace(/^.{8}/, '00000000'))
  const gone = join(next, 'build/client', old[0]!)
  await rename(gone, gone.replace('.js', '-nuevo.js'))
  await rm(`${gone}.br`)
  const second = await start(next, dataDir)
  try {
    for (const path of old) {
      const answer = await fetch(second.url + path)
      expect(answer.status, path).toBe(200)
      expect(answer.headers.get('content-type')).toContain('javascript')
    }
    expect((await stat(join(dataDir, 'lugar/build/anteriores'))).isDirectory()).toBe(true)
  } finally {
    await second.stop()
  }
})
