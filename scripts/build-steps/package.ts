import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
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
import { join, resolve } from 'node:path'
import { keepAssets } from './earlier-assets.ts'

/** Returns whether a folder is a package made by `npm run empaquetar`: complete, with nothing left to install or build. */
export const isPackage = (root: string): boolean => existsSync(join(root, 'paquete.json'))

/** The site reads these paths of a package relative to its run folder. */
const LINKED_PATHS = ['app', 'content', 'db', 'node_modules', 'package.json', 'scripts', 'server']
const BUILT_PATHS = ['client', 'contenido', 'pages', 'server', 'stamp']

/** This many packages keep a run folder: the serving one, the one before, and one that is taking over. */
const KEPT_RUN_FOLDERS = 3

/**
 * Prepares the folder in which a package's site runs. The package may be read-only, while the site makes new pictures, so a
 * folder in the data folder links to the package's files and has room for new ones. Each package has its own run folder, since
 * two versions serve side by side during an upgrade; made pictures and earlier builds' assets are shared.
 * @param dataDir absolute
 */
async function prepareRunFolder(root: string, dataDir: string): Promise<string> {
  const baseFolder = join(dataDir, 'lugar')
  const buildId = await readFile(join(root, 'build/stamp'), 'utf8')
  const rootHash = createHash('sha256').update(root).digest('hex').slice(0, 6)
  const runFolder = join(baseFolder, `${buildId.trim().slice(0, 12)}-${rootHash}`)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const images = join(runFolder, '.cache/images')
  const earlierAssetsFolder = join(baseFolder, 'build/anteriores')
  for (const folder of [join(runFolder, 'build'), images, earlierAssetsFolder])
    await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const path of [...LINKED_PATHS, ...BUILT_PATHS.map((name) => `build/${name}`), '.cache/fonts'])
    await pointLink(join(runFolder, path), join(root, path))
  await pointLink(join(runFolder, 'build/anteriores'), earlierAssetsFolder)

  const pictures = join(root, '.cache/images')
  // A picture's name contains a hash of its content: one that another package made is the same.
  for (const otherFolder of await otherRunFolders(baseFolder, runFolder))
    await takeOver(join(otherFolder, '.cache/images'), images)
  for (const name of await readdir(pictures))
    if (name !== MANIFEST) await pointLink(join(images, name), join(pictures, name), { keepFile: true })
  const draft = join(images, `.${MANIFEST}.${process.pid}`)
  await copyFile(join(pictures, MANIFEST), draft)
  await rename(draft, join(images, MANIFEST))

  // The next package finds the assets here, including earlier builds' that this package brings.
  for (const earlier of await readdir(join(root, 'build/anteriores')).catch(() => []))
    await keepAssets({
      build: await asBuild(root, earlier, runFolder),
      previousBuilds: earlierAssetsFolder,
      buildId: earlier,
      isReplaced: true,
    })
  await keepAssets({ build: join(root, 'build'), previousBuilds: earlierAssetsFolder, buildId, isReplaced: false })
  const now = new Date()
  await utimes(runFolder, now, now)
  for (const old of (await otherRunFolders(baseFolder, runFolder)).slice(KEPT_RUN_FOLDERS - 1))
    if (old !== baseFolder) await rm(old, { recursive: true, force: true })
  return runFolder
}

/** Lists the run folders of other packages, the newest first; last the base folder, where versions before this layout ran. */
async function otherRunFolders(baseFolder: string, own: string): Promise<string[]> {
  const names = (await readdir(baseFolder)).filter((name) => /^[0-9a-f]{12}-[0-9a-f]{6}$/.test(name))
  const others = names.map((name) => join(baseFolder, name)).filter((path) => path !== own)
  const dated = await Promise.all(others.map(async (path) => ({ path, at: (await stat(path)).mtimeMs })))
  return [...dated.sort((a, b) => b.at - a.at).map(({ path }) => path), baseFolder]
}

/** Hard-links the pictures of one folder into another, without symlinks and half-written files. */
async function takeOver(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true }).catch(() => []))
    if (entry.isFile() && !entry.name.startsWith('.') && !entry.name.endsWith('.parte') && entry.name !== MANIFEST)
      await link(join(from, entry.name), join(to, entry.name)).catch(() => {})
}

const MANIFEST = 'manifest.json'

/** Links an earlier build's assets into the layout of a build folder. */
async function asBuild(root: string, name: string, runFolder: string): Promise<string> {
  const build = join(runFolder, '.cache', `anteriores-${name}`)
  await mkdir(build, { recursive: true })
  await pointLink(join(build, 'client'), join(root, 'build/anteriores', name))
  return build
}

/** Points a symlink to another path in one step, since a site may be running from it. */
async function pointLink(path: string, to: string, { keepFile = false } = {}): Promise<void> {
  const stats = await lstat(path).catch(() => undefined)
  if (stats?.isSymbolicLink() ? (await readlink(path)) === to : stats !== undefined && keepFile) return
  const draft = `${path}.${process.pid}.parte`
  await rm(draft, { force: true })
  await symlink(to, draft)
  await rename(draft, path)
}

/**
 * Prepares a package's run folder and changes into it; DATA_DIR becomes absolute for this process and its children.
 * @returns the site's root folder
 */
export async function enterRunFolder(root: string, env: NodeJS.ProcessEnv): Promise<string> {
  if (!isPackage(root)) return root
  const dataDir = resolve(env.DATA_DIR || 'data')
  env.DATA_DIR = dataDir
  const runFolder = await prepareRunFolder(root, dataDir)
  process.chdir(runFolder)
  return runFolder
}
