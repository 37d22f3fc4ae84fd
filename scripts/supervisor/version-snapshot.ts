// Makes a snapshot of the running version in a folder that never changes. The supervisor runs this script as a separate process,
// and reads the version, or null, as one line of JSON.
import { execFile } from 'node:child_process'
import { constants, existsSync } from 'node:fs'
import { cp, link, mkdir, readdir, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { isPackage } from '#app/core/process/own-commands.server.ts'
import { isBuilt } from '../build-steps/build-stamp.ts'
import { READY_MARKER, readVersion, type Version, versionIdOf, versionsFolderOf } from './versions.ts'

const run = promisify(execFile)

/** Ends the name of a file or folder that is not complete yet. */
const PARTIAL_SUFFIX = '.parte'

/** Paths that are never sources. The pattern is needed where git is absent, so that .gitignore does not apply. */
const NOT_SOURCES = /^(node_modules|build|data|\.cache|\.git|\.react-router|test-results|playwright-report)(\/|$)/
/** Sources that only the checks need. */
const CHECKS_ONLY = /^(tests|\.ci|\.github)\//

/** Lists the sources of a checkout as paths from its root. @param dataDir is left out, with the backups beside it */
export async function sourcesOf(root: string, dataDir: string): Promise<string[]> {
  const paths = await run('git', ['-C', root, 'ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    maxBuffer: 1e8,
  }).then(
    ({ stdout }) => stdout.split('\0'),
    async () =>
      (await readdir(root, { recursive: true, withFileTypes: true }))
        .filter((entry) => !entry.isDirectory())
        .map((entry) => relative(root, join(entry.parentPath, entry.name))),
  )
  const dataPath = relative(root, dataDir).split(sep).join('/')
  const isData = (path: string) =>
    dataPath !== '' && (path.startsWith(`${dataPath}/`) || path.startsWith(`${dataPath}.copias/`))
  return paths.filter(
    (path) =>
      path !== '' &&
      !NOT_SOURCES.test(path) &&
      !CHECKS_ONLY.test(path) &&
      !isData(path) &&
      existsSync(join(root, path)),
  )
}

export async function copyFiles(from: string, paths: string[], to: string): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(join(to, path)), { recursive: true })
    // COPYFILE_FICLONE shares the blocks (copy-on-write) where the file system supports it.
    await cp(join(from, path), join(to, path), {
      recursive: true,
      preserveTimestamps: true,
      verbatimSymlinks: true,
      mode: constants.COPYFILE_FICLONE,
    })
  }
}

/** Hard-links a version's pictures, which never change, into another folder, and copies their manifest and the fonts. */
export async function shareCache(from: string, to: string): Promise<void> {
  const [sourcePictures, targetPictures] = [join(from, '.cache/images'), join(to, '.cache/images')]
  await mkdir(targetPictures, { recursive: true })
  for (const name of await readdir(sourcePictures).catch(() => [])) {
    if (name.endsWith(PARTIAL_SUFFIX)) continue
    const paths = [join(sourcePictures, name), join(targetPictures, name)] as const
    if (name === 'manifest.json') await cp(...paths)
    // A picture on another disk cannot be linked; the site generates it again in the background.
    else await link(...paths).catch(() => {})
  }
  await copyFiles(
    from,
    ['.cache/fonts'].filter((path) => existsSync(join(from, path))),
    to,
  )
}

export async function linkNodeModules(from: string, to: string): Promise<void> {
  await symlink(await realpath(join(from, 'node_modules')), join(to, 'node_modules'))
}

/**
 * Makes a snapshot of a built version, unless there is one already, or the version is a package or a snapshot.
 * @returns the version in its folder; undefined if the build is not up to date, or the sources changed while they were copied
 */
async function snapshotVersion(root: string, dataDir: string): Promise<Version | undefined> {
  const version = await readVersion(root)
  // Packages and snapshots never change, so they need no snapshot.
  if (isPackage(root) || dirname(root) === versionsFolderOf(dataDir)) return version
  const folder = join(versionsFolderOf(dataDir), version.id)
  if (existsSync(join(folder, READY_MARKER))) return { ...version, carpeta: folder }
  if (!(await isBuilt(root))) return undefined
  const tempFolder = folder + PARTIAL_SUFFIX
  await rm(tempFolder, { recursive: true, force: true })
  await rm(folder, { recursive: true, force: true })
  await mkdir(tempFolder, { recursive: true, mode: 0o700 })
  await copyFiles(root, [...(await sourcesOf(root, dataDir)), 'build'], tempFolder)
  await shareCache(root, tempFolder)
  await linkNodeModules(root, tempFolder)
  if ((await versionIdOf(tempFolder)) !== version.id) {
    await rm(tempFolder, { recursive: true, force: true })
    return undefined
  }
  await writeFile(
    join(tempFolder, READY_MARKER),
    `${(await readFile(join(tempFolder, 'build/stamp'), 'utf8')).trim()}\n`,
  )
  await rename(tempFolder, folder)
  return { ...version, carpeta: folder }
}

if (import.meta.main) {
  const [root, dataDir] = process.argv.slice(2) as [string, string]
  console.log(JSON.stringify((await snapshotVersion(root, dataDir)) ?? null))
  process.exit(0)
}
