// Checks Node's version and installs the lockfile's packages. It runs before any package is installed, so it imports only Node's own
// modules.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The oldest Node that can install the packages, of which one is the Node that runs the site (`nodeForTheSite`). */
const MIN_NODE_MAJOR = 20
/** The first version of Node with net.BoundSocket, by which the supervisor holds the port. */
const SITE_NODE_VERSION = '24.19'
const FREE_BYTES_TO_INSTALL = 700 * 1_048_576

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/**
 * @param {string} line the fault and its remedy
 * @returns {never}
 */
export function fail(line) {
  console.error(line)
  process.exit(1)
}

/** @param {string} path */
function isWritable(path) {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Finds paths that this account must write, but cannot, since another account owns them, usually because it once started the site.
 * @param {readonly string[]} paths
 * @param {number | undefined} uid of this account; undefined on Windows
 * @returns {string | undefined} a Spanish sentence with the remedy; undefined if there are no such paths
 */
export function findOwnershipFault(paths, uid = process.getuid?.(), canWrite = isWritable) {
  if (!uid) return undefined
  const foreignPaths = paths.filter((path) => existsSync(path) && statSync(path).uid !== uid && !canWrite(path))
  if (foreignPaths.length === 0) return undefined
  return `${foreignPaths[0]} es de otra cuenta: el sitio se arrancó alguna vez con ella, quizá con sudo. Devuélvelo con sudo chown -R ${uid} ${foreignPaths.join(' ')} y repite la orden.`
}

/** @param {string} version */
const majorOf = (version) => Number(version.replace(/^v/, '').split('.')[0])

if (majorOf(process.version) < MIN_NODE_MAJOR)
  fail(
    `Este sitio necesita Node ${MIN_NODE_MAJOR} o más nuevo; aquí hay ${process.version}. Instala uno actual y repite la orden.`,
  )

/**
 * Installs exactly the lockfile's packages, unless they are installed already.
 * @param {{ dev: boolean }} options dev: also the packages of the checks
 */
export async function installDependencies({ dev }) {
  const lockHash = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  const stamp = join(root, 'node_modules/.instalado')
  const installedStamp = existsSync(stamp) ? readFileSync(stamp, 'utf8').trim() : ''
  if (installedStamp === `${lockHash} dev` || (!dev && installedStamp === lockHash)) return
  const ownershipFault = findOwnershipFault([join(root, 'node_modules')])
  if (ownershipFault) fail(ownershipFault)
  // A complete installation by npm itself is kept, with the packages of the checks.
  if (installedStamp === '' && hasInstalled()) return writeFileSync(stamp, `${lockHash} dev`)

  const { bavail, bsize } = statfsSync(root)
  if (bavail * bsize < FREE_BYTES_TO_INSTALL)
    fail(`No queda espacio en el disco de ${root}: instalar pide unos 700 MB. Libera espacio y repite la orden.`)
  console.log('Instalando lo que pide package-lock.json…')
  const npm = process.env.npm_execpath
  const [program, leadingArgs] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []]
  const args = [
    'ci',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--prefer-offline',
    ...(dev ? [] : ['--omit=dev']),
  ]
  // npm's variables are left out, so that settings of the npm that runs this script do not reach the npm that it starts.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_(?!config_(registry|cache|userconfig))/.test(name)),
  )
  const startMs = Date.now()
  const child = spawn(program, [...leadingArgs, ...args], { cwd: root, stdio: ['ignore', 'ignore', 'pipe'], env })
  const progressTimer = setInterval(() => console.log(`  … ${Math.round((Date.now() - startMs) / 1000)} s`), 10_000)
  let errorOutput = ''
  child.stderr.on('data', (chunk) => {
    errorOutput += chunk
  })
  const code = await once(child, 'exit').then(
    ([status]) => status,
    () => 1,
  )
  clearInterval(progressTimer)
  if (code !== 0) {
    if (/ENOSPC/.test(errorOutput)) fail(`No queda espacio en el disco de ${root}. Libera espacio y repite la orden.`)
    console.error(errorOutput.trim())
    fail('npm no pudo instalar los paquetes (arriba dice por qué). Revisa la conexión y repite la orden.')
  }
  writeFileSync(stamp, dev ? `${lockHash} dev` : lockHash)
  console.log(`Instalado en ${Math.round((Date.now() - startMs) / 1000)} s.`)
}

/** Returns whether npm has installed all packages of the lockfile for this machine. npm writes its own list last. */
function hasInstalled() {
  const installedList = join(root, 'node_modules/.package-lock.json')
  if (!existsSync(installedList)) return false
  const isGlibc = 'glibcVersionRuntime' in /** @type {any} */ (process.report.getReport()).header
  /** @param {string} file @returns {Record<string, any>} */
  const packagesOf = (file) => JSON.parse(readFileSync(file, 'utf8')).packages
  const installedPackages = packagesOf(installedList)
  return Object.entries(packagesOf(join(root, 'package-lock.json'))).every(
    ([path, { version, optional, os, cpu, libc }]) =>
      path === '' ||
      installedPackages[path]?.version === version ||
      // The package is for other machines, or a fallback for machines without a native one.
      (optional && !os && !cpu && !libc) ||
      (os && !os.includes(process.platform)) ||
      (cpu && !cpu.includes(process.arch)) ||
      (libc && !libc.includes(isGlibc ? 'glibc' : 'musl')),
  )
}

/**
 * Returns the path of the Node that runs the site: the lockfile's Node if it starts, or the machine's if it is new enough.
 * Fails if neither can run the site.
 */
export function nodeForTheSite() {
  const lockedNode = join(root, 'node_modules/.bin/node')
  if (existsSync(lockedNode) && spawnSync(lockedNode, ['-e', '']).status === 0) return lockedNode
  if ('BoundSocket' in net) return process.execPath
  return fail(
    `El sitio corre con Node ${SITE_NODE_VERSION} y aquí hay ${process.version}; para este sistema npm no trae uno. Instala Node ${SITE_NODE_VERSION} y repite la orden.`,
  )
}
