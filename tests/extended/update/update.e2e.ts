import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readLedger, readVersion, writeLedger } from '../../../scripts/supervisor/versions.ts'
import { signedIn } from '../../e2e/accounts.ts'
import { expect, Site, test } from '../../e2e/site.ts'
import { copyBuiltProject } from '../../support/site/project-copy.ts'
import { startSite } from '../../support/site/running-site.ts'
import { startSteadyVisits } from '../../support/site/steady-visits.ts'
import { makeSampleFile } from '../../support/site/test-site.ts'
import { exportCommit, findPreviousCommit } from '../../support/site/version-before.ts'

let folder: string
let data: string
let count = 0
test.beforeAll(async () => {
  folder = await copyBuiltProject()
  data = await mkdtemp(join(tmpdir(), 'certamen-actualizar-'))
})
test.afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await rm(data, { recursive: true, force: true })
})

const DURING_THE_VOTE = { SITE_CLOCK: '2025-09-20T12:00-06:00' }
const freshData = () => join(data, String(++count))

interface UpdateOutcome {
  ok: boolean
  linea: string
  cambio?: boolean
  volvio?: boolean
}

/** Runs the update's command. @returns the process, its end, and its messages so far */
const runUpdate = (dataDir: string, ...args: string[]) => runUpdateOf(folder, dataDir, ...args)

/** Runs the update's command of the version in a folder. */
function runUpdateOf(cwd: string, dataDir: string, ...args: string[]) {
  const child: ChildProcess = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', 'scripts/actualizar.ts', '--json', ...args],
    { cwd, env: { ...process.env, DATA_DIR: dataDir }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let out = ''
  let said = ''
  child.stdout!.on('data', (chunk) => (out += chunk))
  child.stderr!.on('data', (chunk) => (said += chunk))
  const end = once(child, 'close').then(([code]): UpdateOutcome & { code: number | null } => ({
    ...(out === '' ? { ok: false, linea: said } : (JSON.parse(out) as UpdateOutcome)),
    code: code as number | null,
  }))
  return { child, end, said: () => said }
}

const HOME = 'app/site/home/sponsors.tsx'
const MIGRATION = 'db/migrations/20990101000000_ensayo.sql'
const homeOf = async (url: string) => (await fetch(`${url}/`)).text()

/** Votes for one voter after another. @returns a function that ends the votes, and gives the statuses */
function vote(url: string, cookies: string[]) {
  let isOver = false
  const answers: number[] = []
  const all = (async () => {
    for (const cookie of cookies) {
      if (isOver) break
      const body = new URLSearchParams({ vote: '1', intento: crypto.randomUUID() })
      const headers = { cookie, origin: url }
      const answer = await fetch(`${url}/misspopularidad/voto`, { method: 'POST', headers, body })
      answers.push(answer.status)
      await sleep(1_500)
    }
  })()
  return async () => {
    isOver = true
    await all
    return answers
  }
}

/** Begins an upload that drips. @returns a function that ends the upload, and gives the status */
async function beginUpload(url: string) {
  const body = makeSampleFile('pdf', 400_000)
  const submission = crypto.randomUUID()
  const common = { 'tus-resumable': '1.0.0', 'x-entrega': submission }
  const created = await fetch(`${url}/subidas`, {
    method: 'POST',
    headers: {
      ...common,
      'upload-length': String(body.length),
      'upload-metadata': `clase ${btoa('actaNacimiento')},filename ${btoa('acta.pdf')},filetype ${btoa('application/pdf')}`,
    },
  })
  expect(created.status).toBe(201)
  const patch = request(new URL(created.headers.get('location')!, url), {
    method: 'PATCH',
    agent: false,
    headers: {
      ...common,
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
      'content-length': String(body.length),
    },
  })
  const answered = once(patch, 'response')
  let at = 0
  const drip = setInterval(() => {
    patch.write(body.subarray(at, at + 1_000))
    at += 1_000
  }, 200)
  return async () => {
    clearInterval(drip)
    patch.end(body.subarray(at))
    const [response] = await answered
    response.resume()
    return response.statusCode as number
  }
}

test('a changed copy takes over while people visit, vote and upload; and back again, also after a restart', async () => {
  test.setTimeout(1_800_000)
  const dataDir = freshData()
  const running = await startSite({ ...DURING_THE_VOTE, DATA_DIR: dataDir }, folder, ['--aparta'])
  const site = Site.of(running)
  const cookies: string[] = []
  for (let turn = 0; turn < 24; turn++) {
    const { name, value } = await signedIn(site, 'admin')
    cookies.push(`${name}=${value}`)
  }
  const before = await readFile(join(folder, HOME), 'utf8')
  // The folder of versions appears some time after the start.
  await expect.poll(() => readdir(join(dataDir, 'construcciones')).catch(() => [])).toContain('libro.json')
  try {
    await writeFile(join(folder, HOME), before.replace('NUESTROS PATROCINADORES', 'NUESTROS AMIGOS'))
    await writeFile(join(folder, MIGRATION), 'create table ensayo (a int);\n')
    const endUpload = await beginUpload(site.url)
    const visits = startSteadyVisits(site.url)
    const endVotes = vote(site.url, cookies)
    const upgrade = runUpdate(dataDir, '--vigila', '4')
    const first = await upgrade.end
    const home = await homeOf(site.url)
    // The version that leaves finishes this upload first.
    const uploaded = await endUpload()
    // A backup's place that cannot be used is no reason to stay.
    const back = await runUpdate(dataDir, '--volver', '--vigila', '4', '--copia', '/dev/null/copias').end
    const homeBack = await homeOf(site.url)
    const votes = await endVotes()
    const { answered, wrong } = await visits.stop()

    expect(first).toMatchObject({ ok: true, cambio: true, code: 0, linea: expect.stringContaining('-- --volver') })
    expect(home).toContain('NUESTROS AMIGOS')
    expect(uploaded).toBe(204)
    expect(back).toMatchObject({ ok: true, cambio: true, code: 0 })
    expect(homeBack).toContain('NUESTROS PATROCINADORES')
    expect(wrong).toEqual([])
    expect(answered).toBeGreaterThan(200)
    expect(votes.length).toBeGreaterThan(5)
    expect(votes.filter((status) => status !== 200)).toEqual([])
    expect(await site.sql('select count(*)::int as n from banda_digital_votes')).toEqual([{ n: votes.length }])
    // The newer version's table stays in the database, and disturbs no other version.
    expect(await site.sql(`select to_regclass('ensayo') is not null as hay`)).toEqual([{ hay: true }])

    running.process.kill('SIGTERM')
    await once(running.process, 'exit')
    // While the site is stopped, too: to the newer version, and back again.
    for (let turn = 0; turn < 2; turn++)
      expect(await runUpdate(dataDir, '--volver').end).toMatchObject({
        ok: true,
        linea: expect.stringContaining('su próximo arranque'),
      })
    const again = await startSite({ ...DURING_THE_VOTE, DATA_DIR: dataDir }, folder, ['--aparta'])
    try {
      expect(again.output()).toContain('Arranca la versión')
      expect(await homeOf(again.url)).toContain('NUESTROS PATROCINADORES')
      // A version that was taken back is tried again by hand, without a new build.
      expect(await runUpdate(dataDir, '--vigila', '1').end).toMatchObject({ ok: true, cambio: true })
      expect(await homeOf(again.url)).toContain('NUESTROS AMIGOS')
      expect(await runUpdate(dataDir).end).toMatchObject({
        ok: true,
        cambio: false,
        linea: expect.stringMatching(/^Ya está en la versión más nueva/),
      })
    } finally {
      again.process.kill('SIGTERM')
      await once(again.process, 'exit')
    }
  } finally {
    await writeFile(join(folder, HOME), before)
    await rm(join(folder, MIGRATION), { force: true })
    if (running.process.exitCode === null) running.process.kill('SIGKILL')
  }
})

/** Makes another version, as an unpacked package whose server first runs `does`. */
async function versionThat(does: string): Promise<string> {
  const other = join(data, `version-${++count}`)
  await mkdir(join(other, 'build'), { recursive: true })
  for (const name of await readdir(folder))
    if (!['build', 'package.json'].includes(name)) await symlink(join(folder, name), join(other, name))
  for (const name of await readdir(join(folder, 'build')))
    if (name === 'server') await cp(join(folder, 'build', name), join(other, 'build', name), { recursive: true })
    else await symlink(join(folder, 'build', name), join(other, 'build', name))
  const about = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as object
  await writeFile(join(other, 'package.json'), JSON.stringify({ ...about, version: `9.0.${count}` }))
  await writeFile(join(other, 'paquete.json'), '{}')
  const bundle = join(other, 'build/server/index.js')
  await writeFile(bundle, `${does}\n${await readFile(bundle, 'utf8')}`)
  return other
}

const HANGS = 'await new Promise(() => {})'
const BROKEN_HOME = `import __http from 'node:http'
import { syncBuiltinESMExports as __sync } from 'node:module'
const __create = __http.createServer
__http.createServer = (...args) => {
  const answer = args.pop()
  return __create(...args, (request, response) =>
    request.url === '/' ? response.writeHead(500).end('no') : answer(request, response))
}
__sync()`
const DIES_LATER = `process.on('message', ({ que }) => que === 'abre' && setTimeout(() => process.exit(7), 1_500))`

const UNWELL: { que: string; does: string; volvio: boolean; linea: RegExp }[] = [
  { que: 'fails at its start', does: `throw new Error('esta versión no sirve')`, volvio: false, linea: /no sirve/ },
  { que: 'answers 500 at the home', does: BROKEN_HOME, volvio: false, linea: /\/ contesta 500/ },
  { que: 'never gets ready', does: HANGS, volvio: false, linea: /no dio señales en 3 s/ },
  { que: 'dies once it serves', does: DIES_LATER, volvio: true, linea: /terminó por sí sola \(7\)/ },
]

test('a faulty version is not put in place, or is taken back at once, and no visit is refused', async () => {
  const dataDir = freshData()
  const site = await startSite({ ...DURING_THE_VOTE, DATA_DIR: dataDir }, folder, ['--aparta'])
  try {
    for (const { que, does, volvio, linea } of UNWELL) {
      const other = await versionThat(does)
      const visits = startSteadyVisits(site.url)
      const done = await runUpdate(dataDir, other, '--vigila', '8', '--paciencia', que.includes('never') ? '3' : '60')
        .end
      await sleep(500)
      const { answered, wrong } = await visits.stop()
      expect(done, que).toMatchObject({ ok: false, code: 1, volvio, linea: expect.stringMatching(linea) })
      // Only requests that a dying process was answering are cut off.
      expect(
        wrong.filter((one) => !(volvio && / (ECONNRESET|EPIPE|socket hang up)$/.test(one))),
        que,
      ).toEqual([])
      expect(answered, que).toBeGreaterThan(50)
      expect(await homeOf(site.url)).toContain('NUESTROS PATROCINADORES')
    }
  } finally {
    await site.stop()
  }
})

test('one upgrade runs at a time; after an interruption, or a killed supervisor, the site is as it was', async () => {
  const dataDir = freshData()
  const site = await startSite({ ...DURING_THE_VOTE, DATA_DIR: dataDir }, folder, ['--aparta'])
  const other = await versionThat(HANGS)
  const begin = async () => {
    const one = runUpdate(dataDir, other, '--paciencia', '100')
    await expect.poll(one.said).toContain('arranca junto')
    return one
  }
  const first = await begin()
  expect(await runUpdate(dataDir, other).end).toMatchObject({
    code: 1,
    linea: expect.stringMatching(/^Ya hay otra actualización en marcha/),
  })
  first.child.kill('SIGINT')
  await first.end
  expect((await fetch(`${site.url}/readyz`)).status).toBe(200)

  const second = await begin()
  site.process.kill('SIGKILL')
  await once(site.process, 'exit')
  expect(await second.end).toMatchObject({ code: 1 })
  const again = await startSite({ ...DURING_THE_VOTE, DATA_DIR: dataDir }, folder, ['--aparta'])
  expect((await fetch(`${again.url}/readyz`)).status).toBe(200)
  expect(await homeOf(again.url)).toContain('NUESTROS PATROCINADORES')
  await again.stop()
})

test('the supervisor of the version before takes this version and goes back from it, and the other way round', async () => {
  test.setTimeout(1_800_000)
  const commit = await findPreviousCommit()
  test.skip(commit === undefined, 'The commit of .ci/base is not here.')
  const earlier = join(data, 'version-de-antes')
  await mkdir(earlier)
  await exportCommit(commit!, earlier)
  const dataDir = freshData()
  const env = { ...DURING_THE_VOTE, DATA_DIR: dataDir }
  const now = await versionThat('')
  const changed = { ok: true, cambio: true, code: 0 }

  const old = await startSite(env, earlier)
  let visits = startSteadyVisits(old.url)
  expect(await runUpdateOf(earlier, dataDir, now, '--vigila', '3').end).toMatchObject(changed)
  expect(await runUpdate(dataDir, '--volver', '--vigila', '3').end).toMatchObject(changed)
  expect(await runUpdate(dataDir, now, '--vigila', '3').end).toMatchObject(changed)
  expect(await runUpdateOf(earlier, dataDir, '--volver', '--vigila', '3').end).toMatchObject(changed)
  expect((await visits.stop()).wrong).toEqual([])
  await old.end()

  const { sirve } = await readLedger(dataDir)
  await writeLedger(dataDir, { sirve: await readVersion(folder), antes: sirve!, desvios: {} })
  const site = await startSite(env, folder)
  visits = startSteadyVisits(site.url)
  expect(await runUpdate(dataDir, '--volver', '--vigila', '3').end).toMatchObject(changed)
  expect(await runUpdateOf(earlier, dataDir, '--volver', '--vigila', '3').end).toMatchObject(changed)
  expect(await runUpdate(dataDir, '--volver', '--vigila', '3').end).toMatchObject(changed)
  expect((await visits.stop()).wrong).toEqual([])
  await site.end()
  const again = await startSite(env, folder)
  expect(again.output()).toContain('Arranca la versión')
  expect((await fetch(`${again.url}/readyz`)).status).toBe(200)
  await again.stop()
})
