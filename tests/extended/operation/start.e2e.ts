import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as later } from 'node:timers/promises'
import { expect, test } from '@playwright/test'
import { copyBuiltProject } from '../../support/site/project-copy.ts'
import { freePort, startSite } from '../../support/site/running-site.ts'

/** Runs a command to its end. @returns the exit code, and the lines of its output */
async function runToEnd(env: Record<string, string>, command = [process.execPath, 'scripts/serve.ts']) {
  const [program, ...args] = command as [string, ...string[]]
  const child = spawn(program, args, {
    env: { ...process.env, NODE_NO_WARNINGS: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk
    })
  const timer = setTimeout(() => child.kill('SIGKILL'), 40_000)
  const [code] = await once(child, 'close')
  clearTimeout(timer)
  return { code: code as number | null, lines: said.trim().split('\n') }
}

let folder: string
test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certamen-arranque-'))
})
test.afterAll(() => rm(folder, { recursive: true, force: true }))

test('a busy port: one line, another way out, no data made', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as { port: number }
  const dataDir = join(folder, 'ocupado')
  const env = { PORT: String(port), DATA_DIR: dataDir }
  for (const script of ['scripts/start.mjs', 'scripts/serve.ts']) {
    const { code, lines } = await runToEnd(env, [process.execPath, script])
    expect(code).toBe(1)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(`El puerto ${port} está ocupado.`)
  }
  await expect(stat(dataDir)).rejects.toThrow('ENOENT')
  other.close()
})

test('settings that cannot be used: one line that names the setting and the mend', async () => {
  const wrong: [Record<string, string>, RegExp][] = [
    [{ PORT: '70000' }, /^El ajuste PORT debe ser un número de puerto/],
    [{ PUBLIC_URL: 'azahares.mx' }, /^El ajuste PUBLIC_URL debe ser una dirección como https:/],
    [{ SITE_CLOCK: 'ayer' }, /^El ajuste SITE_CLOCK debe ser un momento ISO con zona/],
    [{ STORAGE_URL: 'https://x' }, /^El ajuste STORAGE_URL debe ser una dirección como s3:/],
    [{ DATABASE_URL: 'postgres://nadie@127.0.0.1:1/x' }, /^La base de datos de DATABASE_URL no responde/],
    [{ DATA_DIR: '/dev/null/datos' }, /DATA_DIR/],
  ]
  for (const [env, expected] of wrong) {
    const { code, lines } = await runToEnd({ PORT: String(await freePort()), DATA_DIR: join(folder, 'mal'), ...env })
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(expected)
    expect(code).toBe(1)
  }
})

test('too old a Node: one line that says which one is needed', async () => {
  const older = 'data:text/javascript,Object.defineProperty(process,"version",{value:"v18.20.0"})'
  const { code, lines } = await runToEnd({}, [process.execPath, '--import', older, 'scripts/start.mjs'])
  expect(code).toBe(1)
  expect(lines).toEqual([expect.stringMatching(/^Este sitio necesita Node 20 o más nuevo; aquí hay v18\.20\.0\./)])
})

test('a full disk: one line, and the half-made database is gone', async () => {
  const disk = join(folder, 'disco')
  const script = `mkdir -p ${disk} && mount -t tmpfs -o size=16m none ${disk} && "${process.execPath}" scripts/serve.ts; code=$?; ls ${disk}/datos; exit $code`
  const unshare = ['unshare', ...(process.getuid?.() === 0 ? ['-m'] : ['-Urm']), 'sh', '-c', script]
  const env = { PORT: String(await freePort()), DATA_DIR: join(disk, 'datos') }
  const { code, lines } = await runToEnd(env, unshare)
  expect(code).toBe(1)
  expect(lines[0]).toMatch(/^No queda espacio en el disco de .*Libera espacio/)
  expect(lines.slice(1)).not.toContain('postgres')
})

test('a data folder in use by another site stays as it is', async () => {
  const site = await startSite()
  const { code, lines } = await runToEnd({ PORT: String(await freePort()), DATA_DIR: site.dataDir })
  expect(code).toBe(1)
  expect(lines).toEqual([
    expect.stringContaining(`La carpeta de datos ${site.dataDir} la usa otro sitio en marcha (${site.url}`),
  ])
  expect((await fetch(`${site.url}/readyz`)).status).toBe(200)
  const status = (dataDir: string) =>
    runToEnd({ DATA_DIR: dataDir, PUBLIC_URL: site.url }, [process.execPath, 'scripts/estado.ts'])
  expect((await status(site.dataDir)).lines[0]).toMatch(/^ok {5}Sitio: Versión .*El sitio está en marcha\.$/)
  await site.end()
  const stopped = await status(site.dataDir)
  expect([stopped.code, stopped.lines.at(-1)]).toEqual([1, 'El sitio NO atiende a nadie. Arriba dice qué hacer.'])
  const nowhere = await status(join(folder, 'sin-sitio'))
  expect([nowhere.code, nowhere.lines[0]]).toEqual([1, expect.stringContaining('Aquí no hay ningún sitio')])
  await site.stop()
})

test('a site that root started once is refused to its user in one line that says how to mend it', async () => {
  test.skip(process.getuid?.() !== 0, 'only root can leave files behind')
  await chmod(folder, 0o755)
  const dataDir = join(folder, 'de-root')
  await mkdir(join(dataDir, 'postgres'), { recursive: true, mode: 0o700 })
  const env = { PORT: String(await freePort()), DATA_DIR: dataDir }
  const asUser = ['setpriv', '--reuid=65534', '--clear-groups', process.execPath, 'scripts/serve.ts']
  const { code, lines } = await runToEnd(env, asUser)
  expect([code, lines]).toEqual([1, [expect.stringContaining(`${dataDir} es de otra cuenta`)]])
})

test('the first start keeps the first administrator in a private file; later ones say nothing', async () => {
  const dataDir = await mkdtemp(join(folder, 'primero-'))
  const run = async () => {
    const child = spawn(process.execPath, ['scripts/serve.ts'], {
      env: { ...process.env, PORT: String(await freePort()), DATA_DIR: dataDir },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const said = await untilSaid(child, 'Los datos están en')
    await new Promise((resolve) => setTimeout(resolve, 300))
    child.kill('SIGTERM')
    // `close` comes after the end of the output, unlike `exit`.
    const [code] = await once(child, 'close')
    expect(code).toBe(0)
    return said()
  }
  const first = await run()
  const file = join(dataDir, 'primer-administrador.txt')
  expect(first).toContain(`su contraseña está en ${file}`)
  const password = /Contraseña: (\S{23})/.exec(await readFile(file, 'utf8'))?.[1]
  expect(password).toBeDefined()
  // Without a terminal the password is not printed, since it would stand in a log.
  expect(first).not.toContain(password)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await run()).not.toContain('Contraseña')
})

test('a data folder whose database is gone opens no empty site', async () => {
  const dataDir = await mkdtemp(join(folder, 'perdido-'))
  const site = await startSite({ DATA_DIR: dataDir })
  await site.end()
  await rm(join(dataDir, 'postgres'), { recursive: true })
  const { code, lines } = await runToEnd({ PORT: String(await freePort()), DATA_DIR: dataDir })
  expect([code, lines]).toEqual([1, [expect.stringMatching(/^Falta la base de datos: .*«Restaurar»/)]])
  expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
  await site.stop()
})

test('a site that was killed, database included, starts again over the same data', async () => {
  const dataDir = await mkdtemp(join(folder, 'matado-'))
  const site = await startSite({ DATA_DIR: dataDir })
  const postmaster = Number((await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0])
  site.process.kill('SIGKILL')
  await once(site.process, 'exit')
  // First the database is still alive, then everything is killed.
  const second = await startSite({ DATA_DIR: dataDir })
  expect((await fetch(`${second.url}/readyz`)).status).toBe(200)
  const successor = Number((await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0])
  expect(successor).not.toBe(postmaster)
  second.process.kill('SIGKILL')
  process.kill(successor, 'SIGKILL')
  await once(second.process, 'exit')
  const third = await startSite({ DATA_DIR: dataDir })
  expect((await fetch(`${third.url}/readyz`)).status).toBe(200)
  await third.stop()
})

test('a database whose killed server is still a zombie starts again', async () => {
  test.skip(process.platform !== 'linux', 'Only there does the system say so.')
  const dataDir = await mkdtemp(join(folder, 'insepulto-'))
  const first = await startSite({ DATA_DIR: dataDir })
  const lock = join(dataDir, 'postgres/postmaster.pid')
  const postmaster = Number((await readFile(lock, 'utf8')).split('\n')[0])
  first.process.kill('SIGKILL')
  process.kill(postmaster, 'SIGKILL')
  await once(first.process, 'exit')
  // A shell that becomes `sleep` does not wait for its child, which stays a zombie.
  const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [said] = (await once(parent.stdout, 'data')) as [Buffer]
    await writeFile(lock, (await readFile(lock, 'utf8')).replace(/^\d+/, said.toString().trim()))
    const second = await startSite({ DATA_DIR: dataDir })
    expect((await fetch(`${second.url}/readyz`)).status).toBe(200)
    await second.stop()
  } finally {
    parent.kill()
  }
})

test('a site whose terminal is closed still ends in order, database and all', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'certamen-cerrada-'))
  try {
    const site = await startSite({ DATA_DIR: join(folder, 'datos') })
    const postmaster = join(site.dataDir, 'postgres', 'postmaster.pid')
    expect(existsSync(postmaster)).toBe(true)
    site.process.stdout!.destroy()
    site.process.kill('SIGHUP')
    expect(await once(site.process, 'exit')).toEqual([0, null])
    expect(existsSync(postmaster)).toBe(false)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('SIGTERM lets the request under way finish, takes no new one, and ends within ten seconds', async () => {
  const site = await startSite()
  const submission = crypto.randomUUID()
  const body = Buffer.alloc(200_000, 7)
  const created = await fetch(`${site.url}/subidas`, {
    method: 'POST',
    headers: {
      'tus-resumable': '1.0.0',
      'x-entrega': submission,
      'upload-length': String(body.byteLength),
      'upload-metadata': `clase ${btoa('actaNacimiento')},filename ${btoa('acta.pdf')},filetype ${btoa('application/pdf')}`,
    },
  })
  expect(created.status).toBe(201)
  const upload = new URL(created.headers.get('location')!, site.url)
  const patch = httpRequest(upload, {
    method: 'PATCH',
    headers: {
      'tus-resumable': '1.0.0',
      'x-entrega': submission,
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
      'content-length': String(body.byteLength / 2),
      // The server answers 100 as soon as it has the request (RFC 9110).
      expect: '100-continue',
    },
  })
  const underWay = once(patch, 'continue')
  patch.write(body.subarray(0, 50_000))
  await underWay
  const began = Date.now()
  site.process.kill('SIGTERM')
  await expect
    .poll(() =>
      fetch(`${site.url}/healthz`).then(
        () => 'answered',
        () => 'refused',
      ),
    )
    .toBe('refused')
  const answered = once(patch, 'response')
  patch.end(body.subarray(50_000, 100_000))
  const [response] = await answered
  expect(response.statusCode).toBe(204)
  expect(response.headers['upload-offset']).toBe('100000')
  response.resume()
  await once(site.process, 'exit')
  expect(site.process.exitCode).toBe(0)
  expect(Date.now() - began).toBeLessThan(10_000)
  await site.stop()
})

async function untilSaid(child: ChildProcess, text: string): Promise<() => string> {
  let said = ''
  child.stdout?.on('data', (chunk) => {
    said += chunk
  })
  while (!said.includes(text)) {
    await new Promise((resolve) => setTimeout(resolve, 30))
    if (child.exitCode !== null) throw new Error(`The site did not start:\n${said}`)
  }
  return () => said
}

test('a machine that starts no process for the pictures keeps the site up', async () => {
  const copy = await copyBuiltProject()
  const gone = `${copy}-ido`
  const site = await startSite({ LOG_LEVEL: 'silent' }, copy)
  try {
    // Five seconds after its start the site spawns picture makers from this folder, which fails.
    await rename(copy, gone)
    await later(8_000)
    expect(site.process.exitCode).toBeNull()
    expect((await fetch(`${site.url}/healthz`)).status).toBe(200)
    expect(await (await fetch(site.url)).text()).toContain('Señorita')
  } finally {
    await rename(gone, copy).catch(() => {})
    await site.stop()
    await rm(copy, { recursive: true, force: true })
  }
})
