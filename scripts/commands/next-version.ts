import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { access, constants, mkdir, mkdtemp, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { errorCode } from '#app/core/process/durable-files.server.ts'
import { isPackage } from '#app/core/process/own-commands.server.ts'
import type { ReportProgress } from '#app/core/process/progress.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { keepAssets } from '../build-steps/earlier-assets.ts'
import { copyFiles, linkNodeModules, shareCache, sourcesOf } from '../supervisor/version-snapshot.ts'
import { READY_MARKER, readVersion, type Version, versionIdOf, versionsFolderOf } from '../supervisor/versions.ts'
import { unpackPackage } from './package-archive.ts'

const run = promisify(execFile)
/** Limit of a git command, since some repositories do not answer. */
const GIT_TIMEOUT_MS = 60_000

/** The version to change to: a copy of a checkout's sources, an unpacked package, or the version before. */
export interface NextVersion {
  version: Version
  /** Whether the version is installed and built. */
  isReady: boolean
  /** Merges the fetched commit, if there is one, into the checkout. @returns the failure in Spanish; undefined on success */
  adopt(): Promise<string | undefined>
}

const nothingToAdopt = async () => undefined
/** Runs a git command. @returns its output; undefined when it fails */
const runGit = (root: string, ...args: string[]) =>
  run('git', ['-C', root, ...args], {
    timeout: GIT_TIMEOUT_MS,
    env: { ...process.env, GIT_TERMINAL_PROMPT: '0' },
  }).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  )

/**
 * Copies a checkout's newest sources: the upstream's if the upstream is ahead and the checkout has no changes, otherwise those in
 * the folder.
 */
export async function nextVersionFromCheckout(
  root: string,
  dataDir: string,
  onProgress: ReportProgress,
): Promise<NextVersion> {
  const tempFolder = await createTempFolder(dataDir)
  const upstreamCommit = await fetchAhead(root, dataDir, onProgress)
  if (upstreamCommit === undefined) await copyFiles(root, await sourcesOf(root, dataDir), tempFolder)
  else {
    const archive = ['-c', 'git -C "$0" archive "$1" | tar -x -C "$2"', root, upstreamCommit, tempFolder]
    await run('sh', archive).catch(() => {
      throw new StartError(`No se pudo sacar ${upstreamCommit} del repositorio. Revisa el espacio en disco.`)
    })
    await rm(join(tempFolder, 'tests'), { recursive: true, force: true })
  }
  const placed = await moveIntoPlace(tempFolder, dataDir)
  return {
    ...placed,
    async adopt() {
      if (upstreamCommit === undefined) return undefined
      const mergeResult = await runGit(root, 'merge', '--ff-only', upstreamCommit)
      return mergeResult === undefined
        ? `la carpeta ${root} quedó en la versión de antes: ponla al día con git pull`
        : undefined
    },
  }
}

/**
 * Fetches the upstream of a checkout.
 * @returns the upstream's commit if it is ahead of the checkout; undefined if it is not, if the checkout has changes, if the fetch
 * fails, and without git or an upstream
 */
async function fetchAhead(root: string, dataDir: string, onProgress: ReportProgress): Promise<string | undefined> {
  const statusOutput = await runGit(root, 'status', '--porcelain')
  if (statusOutput === undefined) return undefined
  const changedPaths = statusOutput
    .split('\n')
    .filter((line) => line !== '' && !join(root, line.slice(3)).startsWith(dataDir))
  if (changedPaths.length > 0) {
    onProgress('La carpeta tiene cambios propios: se usa lo que hay en ella.')
    return undefined
  }
  const upstream = await runGit(root, 'rev-parse', '--abbrev-ref', '@{upstream}')
  if (upstream === undefined) {
    onProgress('Sin un repositorio del que bajar novedades: se usa lo que hay en la carpeta.')
    return undefined
  }
  onProgress(`Buscando novedades en ${upstream}…`)
  if ((await runGit(root, 'fetch', '--quiet')) === undefined) {
    onProgress(`No se pudo llegar a ${upstream}: se usa lo que hay en la carpeta.`)
    return undefined
  }
  const commit = await runGit(root, 'rev-parse', '@{upstream}')
  const headCommit = await runGit(root, 'rev-parse', 'HEAD')
  if (commit === undefined || commit === headCommit) return undefined
  return (await runGit(root, 'merge-base', '--is-ancestor', 'HEAD', commit)) === undefined ? undefined : commit
}

async function createTempFolder(dataDir: string): Promise<string> {
  await mkdir(versionsFolderOf(dataDir), { recursive: true, mode: 0o700 })
  return mkdtemp(join(versionsFolderOf(dataDir), 'nueva-'))
}

/** Moves a folder to the name of its version's id; if that folder exists and is complete, it is used instead. */
async function moveIntoPlace(tempFolder: string, dataDir: string): Promise<{ version: Version; isReady: boolean }> {
  const newVersion = { ...(await readVersion(tempFolder)), carpeta: '' }
  newVersion.carpeta = join(versionsFolderOf(dataDir), newVersion.id)
  const isReady = existsSync(join(newVersion.carpeta, READY_MARKER))
  if (isReady) await rm(tempFolder, { recursive: true, force: true })
  else {
    await rm(newVersion.carpeta, { recursive: true, force: true })
    await rename(tempFolder, newVersion.carpeta)
  }
  return { version: newVersion, isReady }
}

/**
 * Builds a version in its folder, while another version serves.
 * @param before the serving version, whose pictures, packages and assets are reused
 * @throws StartError if a package cannot be installed, or the build fails
 */
export async function buildVersion(newVersion: Version, before: Version, onProgress: ReportProgress): Promise<void> {
  const { carpeta } = newVersion
  const readLockfile = (folder: string) => readFile(join(folder, 'package-lock.json'), 'utf8').catch(() => '')
  if ((await readLockfile(carpeta)) === (await readLockfile(before.carpeta)))
    await linkNodeModules(before.carpeta, carpeta)
  else {
    onProgress('Instalando los paquetes de la versión nueva…')
    await copyLentPackages(before)
    const install =
      "import { installDependencies } from './scripts/prepare.mjs'; await installDependencies({ dev: false })"
    await runIn(carpeta, ['--input-type=module', '-e', install], 'instalar', onProgress)
  }
  await shareCache(before.carpeta, carpeta)
  if (existsSync(join(before.carpeta, 'build/anteriores')))
    await copyFiles(before.carpeta, ['build/anteriores'], carpeta)
  await keepAssets({
    assets: join(before.carpeta, 'build/client/assets'),
    earlierBuildsFolder: join(carpeta, 'build/anteriores'),
    buildId: await readFile(join(before.carpeta, 'build/stamp'), 'utf8').catch(() => ''),
    isReplaced: true,
  })
  await runIn(carpeta, ['scripts/build.ts'], 'construir', onProgress)
  // A build that changes sources changes the version's id.
  if ((await versionIdOf(carpeta)) !== newVersion.id) onProgress('Al construir cambió algo en app/ o en content/.')
  await writeFile(join(carpeta, READY_MARKER), `${(await readFile(join(carpeta, 'build/stamp'), 'utf8')).trim()}\n`)
}

/** Replaces the symlink to the checkout's node_modules by hard links, where they can be made, before an update changes the packages. */
async function copyLentPackages({ carpeta }: Version): Promise<void> {
  const packagesFolder = join(carpeta, 'node_modules')
  const lendingFolder = await realpath(packagesFolder).catch(() => packagesFolder)
  if (lendingFolder === packagesFolder) return
  await run('cp', ['-al', lendingFolder, `${packagesFolder}.parte`]).then(
    async () => {
      await rm(packagesFolder)
      await rename(`${packagesFolder}.parte`, packagesFolder)
    },
    () => rm(`${packagesFolder}.parte`, { recursive: true, force: true }),
  )
}

/** Runs a script of a version with less priority than the site. @throws StartError with the last lines of a script that failed */
async function runIn(folder: string, args: string[], stepName: string, onProgress: ReportProgress): Promise<void> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (child.pid !== undefined) setPriority(child.pid, 5)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk
    })
  child.stdout.on('data', (chunk) => onProgress(String(chunk).trimEnd()))
  const [code] = await once(child, 'close')
  if (code === 0) return
  const log = join(dirname(folder), `${stepName}.log`)
  await writeFile(log, output)
  const lastLines = output.trim().split('\n').slice(-3).join(' ')
  throw new StartError(
    `La versión nueva no se pudo ${stepName}, y sigue la de antes. Lo que dijo está en ${log}: ${lastLines}`,
  )
}

/** Matches names that are safe for a folder. */
const PLAIN_NAME = /^\w[\w.-]*$/

/**
 * Takes a package, as an archive or unpacked in a folder, as the next version. An archive is unpacked only if its checksum matches.
 * @param checksum SHA-256 that the archive's maker sent by another channel; not needed for a folder
 * @param preferredFolder receives the version if this account may write to it; otherwise the data folder does
 * @throws StartError if there is no package that can be read, or if its checksum is missing or wrong
 */
export async function nextVersionFromPackage(
  packagePath: string,
  { dataDir, preferredFolder, checksum }: { dataDir: string; preferredFolder: string; checksum: string | undefined },
  onProgress: ReportProgress,
): Promise<NextVersion> {
  const givenStats = await stat(packagePath).catch((error: unknown) => {
    if (errorCode(error) !== 'EACCES') return undefined
    throw new StartError(`Esta cuenta no puede leer ${packagePath}. Ponlo en /var/tmp y repite la orden con esa ruta.`)
  })
  if (!givenStats) throw new StartError(`No hay ningún paquete en ${packagePath}. Revisa la ruta y repite la orden.`)
  if (givenStats.isDirectory()) {
    const folder = await realpath(packagePath)
    if (!isPackage(folder))
      throw new StartError(`En ${packagePath} no hay un paquete abierto: ahí debe estar paquete.json.`)
    return { version: await readVersion(folder), isReady: true, adopt: nothingToAdopt }
  }
  if (checksum === undefined)
    throw new StartError(
      `Falta la suma del paquete: repite la orden con --suma y lo que dijo npm run empaquetar a quien lo hizo. Pídesela por otro camino que el del paquete.`,
    )
  onProgress(`Abriendo ${basename(packagePath)}…`)
  const mayWrite = await access(preferredFolder, constants.W_OK).then(
    () => true,
    () => false,
  )
  const versionsFolder = mayWrite ? preferredFolder : versionsFolderOf(dataDir)
  await mkdir(versionsFolder, { recursive: true, mode: 0o700 })
  const tempFolder = await mkdtemp(join(versionsFolder, 'nueva-'))
  try {
    const unpackedFolder = await unpackPackage(packagePath, checksum, tempFolder)
    if (!isPackage(unpackedFolder)) throw new StartError(`${packagePath} no es un paquete de npm run empaquetar.`)
    const version = await readVersion(unpackedFolder)
    if (![version.version, version.id].every((name) => PLAIN_NAME.test(name) && !name.includes('..')))
      throw new StartError(`${packagePath} no dice qué versión trae.`)
    const folder = join(versionsFolder, mayWrite ? `${version.version}-${version.id}` : version.id)
    if (!existsSync(join(folder, 'paquete.json'))) {
      await rm(folder, { recursive: true, force: true })
      await rename(unpackedFolder, folder)
    }
    return { version: { ...version, carpeta: folder }, isReady: true, adopt: nothingToAdopt }
  } finally {
    await rm(tempFolder, { recursive: true, force: true })
  }
}
