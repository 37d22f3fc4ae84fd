import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { expect, Site, test } from '../../e2e/site.ts'
import { ownConnection } from '../../faults/consistency.ts'
import { publish } from '../../faults/publication.ts'
import { type RunningSite, startSite } from '../../support/site/running-site.ts'

const run = promisify(execFile)

const npm = (dataDir: string, ...args: string[]) =>
  run('npm', ['run', '--silent', ...args], { env: { ...process.env, DATA_DIR: dataDir } }).then(
    ({ stdout }) => ({ code: 0, said: stdout }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      said: error.stdout + error.stderr,
    }),
  )

/** All files under a folder: path → bytes. */
async function contents(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return new Map(
    await Promise.all(files.map(async (file) => [file.slice(folder.length + 1), await readFile(file)] as const)),
  )
}

const textOf = async (url: string) => (await fetch(url)).text()

test('an edition goes out into a folder and comes back changed, without a start', async ({ site }) => {
  const folder = await mkdtemp(join(tmpdir(), 'certamen-carpeta-'))
  const contentFolder = join(folder, 'edicion')
  try {
    expect(await npm(site.dataDir, 'edicion', '--', 'exportar', '2025', contentFolder)).toMatchObject({
      code: 0,
      said: expect.stringContaining('La edición 2025 está en'),
    })
    const [out, sample] = await Promise.all([contents(contentFolder), contents('content/2025')])
    expect([...out.keys()].filter((path) => path.endsWith('.yaml')).sort()).toEqual(
      [...sample.keys()].filter((path) => path.endsWith('.yaml')).sort(),
    )
    for (const [path, bytes] of out)
      if (path.endsWith('.yaml')) expect(parse(bytes.toString())).toEqual(parse(sample.get(path)!.toString()))
      else expect(bytes.equals(sample.get(path)!)).toBe(true)
    // Without changes there is nothing to publish.
    expect((await npm(site.dataDir, 'edicion', '--', 'importar', contentFolder)).said).toContain('ya dice eso')

    const home = join(contentFolder, 'inicio.yaml')
    const change = async (file: string, from: string | RegExp, to: string) =>
      writeFile(file, (await readFile(file, 'utf8')).replace(from, to))
    await change(home, 'una sola noche', 'una noche entera')
    await writeFile(join(contentFolder, 'inicio/ga4.jpg'), sample.get('inicio/ga1.jpg')!)
    const before = /\/img\/inicio-ga4-[0-9a-f]{10}-480\.avif/.exec(await textOf(`${site.url}/`))![0]
    expect((await npm(site.dataDir, 'edicion', '--', 'importar', contentFolder)).code).toBe(0)
    await expect.poll(() => textOf(`${site.url}/`)).toContain('una noche entera')
    const after = /\/img\/inicio-ga4-[0-9a-f]{10}-480\.avif/.exec(await textOf(`${site.url}/`))![0]
    expect(after).not.toBe(before)
    // Pictures of a page that is still open keep their addresses.
    for (const url of [before, after]) expect((await fetch(site.url + url)).status).toBe(200)

    // A mistake is reported with its field, and nothing changes.
    await change(join(contentFolder, 'edicion.yaml'), /^anio: .*$/m, 'anio: mil')
    const refused = await npm(site.dataDir, 'edicion', '--', 'importar', contentFolder)
    expect(refused.code).toBe(1)
    expect(refused.said).toContain('edicion/edicion.yaml › anio: debe ser un número, sin comillas')
    expect(refused.said).not.toMatch(/^ +at /m)
    expect(await textOf(`${site.url}/`)).toContain('una noche entera')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

/** Milliseconds from the request for a publication to the kill. */
const KILLS = [0, 100, 250, 400, 600, 800, 1_000, 1_250, 1_500, 2_000]

test('killed at any moment of publishing, the site is never a mixture, and finishes at the next start', async () => {
  test.setTimeout(1_800_000)
  const dataDir = await mkdtemp(join(tmpdir(), 'certamen-'))
  let running: RunningSite | undefined
  try {
    running = await startSite({ DATA_DIR: dataDir })
    for (const [turn, afterMs] of KILLS.entries()) {
      const site = Site.of(running)
      const word = `palabra${turn}`
      await publish(ownConnection(site.dataDir), word)
      const seen = watchPages(running.url, word)
      await sleep(afterMs)
      const gone = once(running.process, 'exit')
      running.process.kill('SIGKILL')
      await gone
      await seen

      running = await startSite({ DATA_DIR: dataDir })
      // A start and a whole publication under the load of other tests.
      await expect.poll(() => textOf(`${running!.url}/`), { timeout: 240_000 }).toContain(word)
      for (const path of ['/', '/nuestra-historia', '/medios']) expect(await textOf(running.url + path)).toContain(word)
      expect(await Site.of(running).sql(`select 1 from publicaciones where estado <> 'publicada'`)).toEqual([])
    }
  } finally {
    running?.process.kill('SIGKILL')
    await rm(dataDir, { recursive: true, force: true })
  }
})

test('the first answer after an upgrade is the publication in force, which the new version has to render first', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'certamen-'))
  let running: RunningSite | undefined
  try {
    running = await startSite({ DATA_DIR: dataDir })
    const site = Site.of(running)
    await publish(ownConnection(site.dataDir), 'palabra')
    await expect.poll(() => textOf(`${running!.url}/`)).toContain('palabra')
    // Pages that another version has rendered are as good as none.
    await site.sql('delete from paginas')
    const stopped = once(running.process, 'exit')
    running.process.kill('SIGTERM')
    await stopped

    running = await startSite({ DATA_DIR: dataDir })
    expect(await textOf(`${running.url}/`)).toContain('palabra')
  } finally {
    running?.process.kill('SIGKILL')
    await rm(dataDir, { recursive: true, force: true })
  }
})

/** Reads three screens by turns until the site is gone: after the first new screen none is old. */
async function watchPages(url: string, word: string): Promise<void> {
  let isNew = false
  for (;;) {
    for (const path of ['/', '/nuestra-historia', '/medios']) {
      const text = await textOf(url + path).catch(() => undefined)
      if (text === undefined) return
      if (isNew) expect(text).toContain(word)
      else isNew = text.includes(word)
    }
  }
}
