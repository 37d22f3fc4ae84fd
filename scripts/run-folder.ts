import { createHash } from 'node:crypto'
import {
  copyFile,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  utimes,
} from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { isPackage } from '#app/core/process/own-commands.server.ts'
import { isWorkingDirectory } from '#app/core/process/pid-info.server.ts'
import { keepAssets } from './build-steps/earlier-assets.ts'

/** Paths of a package that its run folder links to. */
const LINKED_PATHS = ['app', 'content', 'db', 'node_modules', 'package.json', 'scripts', 'server']
/** Paths under the package's build/ that its run folder links to. */
const LINKED_BUILD_PATHS = ['client', 'contenido', 'pages', 'server', 'stamp']

/** Number of packages that keep a run folder, those started last: as a rule the serving one, the one before, and one that takes over. */
const KEPT_RUN_FOLDERS = 3

/** Number of characters of the build's id that begin the name of its run folder. */
const BUILD_ID_CHARACTERS = 12

const MANIFEST = 'manifest.json'

/**
 * Prepares the folder in which a package's site runs. The package may be read-only, so a folder in the data folder links to the
 * package's files, and has room for pictures that the site generates. Each package has its own run folder, since two versions
 * serve side by side during an upgrade; generated pictures and earlier builds' assets are shared.
 * @param dataDir absolute
 */
export async function prepareRunFolder(packageFolder: string, dataDir: string): Promise<string> {
  const baseFolder = join(dataDir, 'lugar')
  const buildId = await readFile(join(packageFolder, 'build/stamp'), 'utf8')
  const packageHash = createHash('sha256').update(packageFolder).digest('hex').slice(0, 6)
  const runFolder = join(baseFolder, `${buildId.trim().slice(0, BUILD_ID_CHARACTERS)}-${packageHash}`)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const picturesFolder = join(runFolder, '.cache/images')
  const earlierBuildsFolder = join(baseFolder, 'build/anteriores')
  for (const folder of [join(runFolder, 'build'), picturesFolder, earlierBuildsFolder])
    await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const path of [...LINKED_PATHS, ...LINKED_BUILD_PATHS.map((name) => `build/${name}`), '.cache/fonts'])
    await replaceSymlink(join(runFolder, path), join(packageFolder, path))
  await replaceSymlink(join(runFolder, 'build/anteriores'), earlierBuildsFolder)

  // A picture's file name contains a hash of its content, so pictures that another package generated can be linked. Versions
  // before this layout ran in the base folder, and have pictures there.
  for (const otherFolder of [...(await listOtherRunFolders(baseFolder, runFolder)), baseFolder])
    await linkPictures(join(otherFolder, '.cache/images'), picturesFolder)
  const packagePictures = join(packageFolder, '.cache/images')
  for (const name of await readdir(packagePictures))
    if (name !== MANIFEST)
      await replaceSymlink(join(picturesFolder, name), join(packagePictures, name), { keepsRegularFile: true })
  const tempManifest = join(picturesFolder, `.${MANIFEST}.${process.pid}`)
  await copyFile(join(packagePictures, MANIFEST), tempManifest)
  await rename(tempManifest, join(picturesFolder, MANIFEST))

  // The modification time orders the run folders, and the builds whose assets are kept, by their last start. A version that runs now
  // may have started long ago: updates that failed have started others since.
  const now = new Date()
  for (const otherFolder of await listOtherRunFolders(baseFolder, runFolder))
    if (await isWorkingDirectory(otherFolder)) {
      await utimes(otherFolder, now, now)
      const ownPrefix = basename(otherFolder).slice(0, BUILD_ID_CHARACTERS)
      for (const name of await readdir(earlierBuildsFolder))
        if (name.startsWith(ownPrefix)) await utimes(join(earlierBuildsFolder, name), now, now)
    }
  // The assets of this build, and of the earlier builds in the package, are kept for pages opened before the next upgrade.
  for (const name of await readdir(join(packageFolder, 'build/anteriores')).catch(() => []))
    await keepAssets({
      assets: join(packageFolder, 'build/anteriores', name, 'assets'),
      earlierBuildsFolder,
      buildId: name,
      isReplaced: true,
    })
  const assets = join(packageFolder, 'build/client/assets')
  await keepAssets({ assets, earlierBuildsFolder, buildId, isReplaced: false })
  await utimes(runFolder, now, now)
  for (const oldFolder of (await listOtherRunFolders(baseFolder, runFolder)).slice(KEPT_RUN_FOLDERS - 1))
    await rm(oldFolder, { recursive: true, force: true })
  return runFolder
}

/** Lists the run folders of other packages, the last started first. */
async function listOtherRunFolders(baseFolder: string, runFolder: string): Promise<string[]> {
  const names = (await readdir(baseFolder)).filter((name) => /^[0-9a-f]{12}-[0-9a-f]{6}$/.test(name))
  const otherFolders = names.map((name) => join(baseFolder, name)).filter((path) => path !== runFolder)
  const datedFolders = await Promise.all(
    otherFolders.map(async (path) => ({ path, startedAtMs: (await stat(path)).mtimeMs })),
  )
  return datedFolders.sort((a, b) => b.startedAtMs - a.startedAtMs).map(({ path }) => path)
}

/** Hard-links the pictures of one folder into another, without symlinks, half-written files and the manifest. */
async function linkPictures(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true }).catch(() => []))
    if (entry.isFile() && !entry.name.startsWith('.') && !entry.name.endsWith('.parte') && entry.name !== MANIFEST)
      await link(join(from, entry.name), join(to, entry.name)).catch(() => {})
}

/**
 * Points a symlink to another path atomically, since a site may be running from it. With `keepsRegularFile`, a regular file in
 * its place stays.
 */
async function replaceSymlink(path: string, target: string, { keepsRegularFile = false } = {}): Promise<void> {
  const stats = await lstat(path).catch(() => undefined)
  if (stats?.isSymbolicLink() ? (await readlink(path)) === target : stats !== undefined && keepsRegularFile) return
  const tempLink = `${path}.${process.pid}.parte`
  await rm(tempLink, { force: true })
  await symlink(target, tempLink)
  await rename(tempLink, path)
}

/**
 * Prepares a package's run folder and changes into it. DATA_DIR becomes absolute for this process and its children.
 * @returns the folder that the site runs in: the run folder of a package, otherwise `root`
 */
export async function enterRunFolder(root: string, env: NodeJS.ProcessEnv): Promise<string> {
  if (!isPackage(root)) return root
  const dataDir = resolve(env.DATA_DIR || 'data')
  env.DATA_DIR = dataDir
  const runFolder = await prepareRunFolder(root, dataDir)
  process.chdir(runFolder)
  return runFolder
}
