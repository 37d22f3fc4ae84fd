import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readdir, readFile, readlink, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { startSite } from '../../support/site/running-site.ts'

let folder: string
test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certamen-carpeta-'))
})
test.afterAll(() => rm(folder, { recursive: true, force: true }))

/** Runs a program in its own PID namespace, where this account may. */
const CONTAINER = ['unshare', ...(process.getuid?.() === 0 ? [] : ['-Ur']), '-pf']

/** Starts a site as in a container, with its own PID namespace. */
function startContained(dataDir: string): { child: ChildProcess; said(): string } {
  const [program, ...space] = [...CONTAINER, '--mount-proc', '--kill-child', process.execPath, 'scripts/serve.ts']
  const child = spawn(program!, space, {
    env: { ...process.env, NODE_NO_WARNINGS: '1', LOG_LEVEL: 'error', PORT: '0', DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (said += chunk))
  return { child, said: () => said }
}

/** Database servers of a data folder, in all PID namespaces. */
async function postmasters(dataDir: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(async (pid) => {
      const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0')
      const place = await readlink(`/proc/${pid}/cwd`).catch(() => '')
      return words.includes('-D') && place === join(dataDir, 'postgres')
    }),
  )
  return pids.filter((_, at) => found[at]).map(Number)
}

/** Starts a site that has to refuse. @returns the lines of its error output */
async function refusal(dataDir: string): Promise<string[]> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'scripts/serve.ts'], {
    env: { ...process.env, LOG_LEVEL: 'error', PORT: '0', DATA_DIR: dataDir },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk) => (said += chunk))
  const timer = setTimeout(() => child.kill('SIGTERM'), 40_000)
  const [code] = await once(child, 'close')
  clearTimeout(timer)
  expect(code).toBe(1)
  return said.trim().split('\n')
}

async function startsOver(dataDir: string): Promise<void> {
  const site = await startSite({ DATA_DIR: dataDir })
  expect((await fetch(`${site.url}/readyz`)).status).toBe(200)
  site.process.kill('SIGTERM')
  await once(site.process, 'exit')
}

test('of two containers over one data folder one serves, the other says why not', async () => {
  test.skip(
    spawnSync(CONTAINER[0]!, [...CONTAINER.slice(1), 'true']).status !== 0,
    'This machine lets nobody make containers.',
  )
  const dataDir = join(folder, 'dos')
  const first = startContained(dataDir)
  await expect.poll(first.said).toContain('El sitio está en')
  const second = startContained(dataDir)
  const [code] = await once(second.child, 'close')
  expect([code, second.said().trim().split('\n')]).toEqual([
    1,
    [expect.stringContaining('la usa otro sitio en marcha')],
  ])
  // A child of the server has its name for a moment.
  await expect.poll(() => postmasters(dataDir)).toHaveLength(1)
  // The container is killed: the next start takes over the data folder.
  first.child.kill('SIGKILL')
  await expect.poll(() => postmasters(dataDir)).toEqual([])
  const third = startContained(dataDir)
  await expect.poll(third.said).toContain('El sitio está en')
  third.child.kill('SIGKILL')
  await expect.poll(() => postmasters(dataDir)).toEqual([])
})

test('a data folder that was copied while its site worked is refused, beside the original and after it', async () => {
  const site = await startSite({ DATA_DIR: join(folder, 'viva') })
  const copy = join(folder, 'copia-de-viva')
  // The database's files change, and some vanish, during the copy.
  spawnSync('cp', ['-a', site.dataDir, copy])
  const refused = [
    expect.stringMatching(/^La base de datos de .* se copió mientras su sitio trabajaba: .*npm run respaldo/),
  ]
  expect(await refusal(copy)).toEqual(refused)
  await site.stop()
  expect(await refusal(copy)).toEqual(refused)
})

test('a data folder that was copied at rest starts beside the original, and nothing of it is in the way', async () => {
  const dataDir = join(folder, 'quieta')
  await startsOver(dataDir)
  await cp(dataDir, join(folder, 'copia-de-quieta'), { recursive: true })
  const original = await startSite({ DATA_DIR: dataDir })
  // A copy made at another time would hold the running original's sitio.pid, too.
  await cp(join(dataDir, 'sitio.pid'), join(folder, 'copia-de-quieta/sitio.pid'))
  await startsOver(join(folder, 'copia-de-quieta'))
  await original.stop()
})

test('a data folder whose site was killed starts where it stands, and where it was moved to', async () => {
  const dataDir = join(folder, 'matada')
  const site = await startSite({ DATA_DIR: dataDir })
  site.process.kill('SIGKILL')
  await once(site.process, 'exit')
  for (const pid of await postmasters(dataDir)) process.kill(pid, 'SIGKILL')
  await expect.poll(() => postmasters(dataDir)).toEqual([])
  await rename(dataDir, join(folder, 'mudada'))
  const second = await startSite({ DATA_DIR: join(folder, 'mudada') })
  second.process.kill('SIGKILL')
  await once(second.process, 'exit')
  await startsOver(join(folder, 'mudada'))
})

test('a lock file of the database that names another program’s process prevents no start', async () => {
  const dataDir = join(folder, 'numero')
  const site = await startSite({ DATA_DIR: dataDir })
  const lock = join(dataDir, 'postgres/postmaster.pid')
  const said = await readFile(lock, 'utf8')
  site.process.kill('SIGTERM')
  await once(site.process, 'exit')
  await writeFile(lock, said.replace(/^\d+/, String(process.pid)), { mode: 0o600 })
  await startsOver(dataDir)
})
