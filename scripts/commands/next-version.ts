import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { access, constants, mkdir, mkdtemp, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { ReportProgress } from '#app/core/process/progress.server.ts'
import { StartError } from '#app/core/process/start-error.server.ts'
import { keepAssets } from '../build-steps/earlier-assets.ts'
import { isPackage } from '../run-folder.ts'
import { copyFiles, lendPackages, sharePictures, sourcesOf } from '../supervisor/version-snapshot.ts'
import { READY_MARKER, readVersion, type Version, versionIdOf, versionsFolderOf } from '../supervisor/versions.ts'
import { unpackPackage } from './package-archive.ts'

const run = promisify(execFile)
/** Limit of a git command, since some repositories do not answer. */
const GIT_TIMEOUT_MS = 60_000

/** The version to change to: a copy of sources, or an unpacked package. */
export interface NextBuild {
  version: Version
  isReady: boolean
  /** Merges the fetched commit into the checkout, once the version serves. @returns the failure in Spanish */
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
 * Copies a checkout's newest sources: those of its upstream if they can be fetched and the checkout has no changes, otherwise those
 * in the folder.
 */
export async function nextOf(root: string, dataDir: string, onProgress: ReportProgress): Promise<NextBuild> {
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
  const put = await intoPlace(tempFolder, dataDir)
  return {
    ...put,
    async adopt() {
      if (upstreamCommit === undefined) return undefined
      const merged = await runGit(root, 'merge', '--ff-only', upstreamCommit)
      return merged === undefined
        ? `la carpeta ${root} quedó en la versión de antes: ponla al día con git pull`
        : undefined
    },
  }
}

/** Fetches the upstream. @returns its commit if the upstream is ahead of this checkout */
async function fetchAhead(root: string, dataDir: string, onProgress: ReportProgress): Promise<string | undefined> {
  const said = await runGit(root, 'status', '--porcelain')
  if (said === undefined) return undefined
  const changed = said.split('\n').filter((line) => line !== '' && !join(root, line.slice(3)).startsWith(dataDir))
  if (changed.length > 0) {
    onProgress('La carpeta tiene cambios propios: se usa lo que hay en ella.')
    return undefined
  }
  const upstream = await runGit(root, 'rev-parse', '--abbrev-ref', '@{upstream}')
  if (upstream === undefined) {
    onProgress('Sin un repositorio del que bajar novedades: se usa lo que hay en la carpeta.')
    return undefined
  }
  onProgress(`Buscando novedades en ${upstream}…`)
  if ((await runGit(root, 'fetch', '--quiet')) === undefined)
    onProgress(`No se pudo llegar a ${upstream}: se usa lo que hay en la carpeta.`)
  const commit = await runGit(root, 'rev-parse', '@{upstream}')
  const here = await runGit(root, 'rev-parse', 'HEAD')
  if (commit === undefined || commit === here) return undefined
  return (await runGit(root, 'merge-base', '--is-ancestor', 'HEAD', commit)) === undefined ? undefined : commit
}

async function createTempFolder(dataDir: string): Promise<string> {
  await mkdir(versionsFolderOf(dataDir), { recursive: true, mode: 0o700 })
  return mkdtemp(join(versionsFolderOf(dataDir), 'nueva-'))
}

/** Moves a folder to the name of its version's id; if that folder exists and is complete, it is used instead. */
async function intoPlace(tempFolder: string, dataDir: string): Promise<{ version: Version; isReady: boolean }> {
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
 * @throws StartError with the step that failed
 */
export async function buildVersion(newVersion: Version, before: Version, onProgress: ReportProgress): Promise<void> {
  const { carpeta } = newVersion
  const lock = (folder: string) => readFile(join(folder, 'package-lock.json'), 'utf8').catch(() => '')
  if ((await lock(carpeta)) === (await lock(before.carpeta))) await lendPackages(before.carpeta, carpeta)
  else {
    onProgress('Instalando los paquetes de la versión nueva…')
    await keepPackages(before)
    const install =
      "import { installDependencies } from './scripts/prepare.mjs'; await installDependencies({ dev: false })"
    await runIn(carpeta, ['--input-type=module', '-e', install], 'instalar', onProgress)
  }
  await sharePictures(before.carpeta, carpeta)
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

/** Replaces the symlink to the checkout's node_modules by hard links, before an update changes them. */
async function keepPackages({ carpeta }: Version): Promise<void> {
  const own = join(carpeta, 'node_modules')
  const lender = await realpath(own).catch(() => own)
  if (lender === own) return
  await run('cp', ['-al', lender, `${own}.parte`]).then(
    async () => {
      await rm(own)
      await rename(`${own}.parte`, own)
    },
    () => rm(`${own}.parte`, { recursive: true, force: true }),
  )
}

async function runIn(folder: string, args: string[], what: string, onProgress: ReportProgress): Promise<void> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // The running site has priority.
  if (child.pid !== undefined) setPriority(child.pid, 5)
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk
    })
  child.stdout.on('data', (chunk) => onProgress(String(chunk).trimEnd()))
  const [code] = await once(child, 'close')
  if (code === 0) return
  const log = join(dirname(folder), `${what}.log`)
  await writeFile(log, said)
  const last = said.trim().split('\n').slice(-3).join(' ')
  throw new StartError(`La versión nueva no se pudo ${what}, y sigue la de antes. Lo que dijo está en ${log}: ${last}`)
}

/** Matches names that are safe for a folder. */
const PLAIN_NAME = /^\w[\w.-]*$/

/**
 * Takes a package, as an archive or unpacked in a folder, as the next version. An archive is unpacked only if its checksum matches.
 * @param sum SHA-256 that the archive's maker sent by another channel; not needed for a folder
 * @param beside folder of the versions, if this account may write to it; otherwise the data folder is used
 */
export async function nextVersionFromPackage(
  given: string,
  { dataDir, beside, sum }: { dataDir: string; beside: string; sum: string | undefined },
  onProgress: ReportProgress,
): Promise<NextBuild> {
  const found = await stat(given).catch(() => undefined)
  if (!found) throw new StartError(`No hay ningún paquete en ${given}. Revisa la ruta y repite la orden.`)
  if (found.isDirectory()) {
    const folder = await realpath(given)
    if (!isPackage(folder)) throw new StartError(`En ${given} no hay un paquete abierto: ahí debe estar paquete.json.`)
    return { version: await readVersion(folder), isReady: true, adopt: nothingToAdopt }
  }
  if (sum === undefined)
    throw new StartError(
      `Falta la suma del paquete: repite la orden con --suma y lo que dijo npm run empaquetar a quien lo hizo. Pídesela por otro camino que el del paquete.`,
    )
  onProgress(`Abriendo ${basename(given)}…`)
  const mayWrite = await access(beside, constants.W_OK).then(
    () => true,
    () => false,
  )
  const where = mayWrite ? beside : versionsFolderOf(dataDir)
  await mkdir(where, { recursive: true, mode: 0o700 })
  const tempFolder = await mkdtemp(join(where, 'nueva-'))
  try {
    const opened = await unpackPackage(given, sum, tempFolder)
    if (!isPackage(opened)) throw new StartError(`${given} no es un paquete de npm run empaquetar.`)
    const here = await readVersion(opened)
    if (![here.version, here.id].every((one) => PLAIN_NAME.test(one) && !one.includes('..')))
      throw new StartError(`${given} no dice qué versión trae.`)
    const folder = join(where, mayWrite ? `${here.version}-${here.id}` : here.id)
    if (!existsSync(join(folder, 'paquete.json'))) {
      await rm(folder, { recursive: true, force: true })
      await rename(opened, folder)
    }
    return { version: { ...here, carpeta: folder }, isReady: true, adopt: nothingToAdopt }
  } finally {
    await rm(tempFolder, { recursive: true, force: true })
  }
}
