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

/** Whether the project's folder is what `npm run empaquetar` made: complete, with nothing left to install or build. */
export const isPackage = (root: string): boolean => existsSync(join(root, 'paquete.json'))

/** What the site reads of a package by paths from where it runs. */
const LINKED = ['app', 'content', 'db', 'node_modules', 'package.json', 'scripts', 'server']
const BUILT = ['client', 'contenido', 'pages', 'server', 'stamp']

/** Places of so many packages stay: the one that serves, the one before, and one that is just taking over. */
const KEPT_PLACES = 3

/**
 * Where a package's site runs. The package may lie in a folder that nobody can write to, and the site makes pictures
 * beside those that are there: so a folder of the data leads to the package's files, and has room for what is new. Each
 * package has its own, since two versions serve side by side during an upgrade; pictures that one has made, and addresses
 * of before, are everybody's.
 * @param dataDir absolute
 */
async function prepareRunFolder(root: string, dataDir: string): Promise<string> {
  const baseFolder = join(dataDir, 'lugar')
  const buildId = await readFile(join(root, 'build/stamp'), 'utf8')
  const where = createHash('sha256').update(root).digest('hex').slice(0, 6)
  const place = join(baseFolder, `${buildId.trim().slice(0, 12)}-${where}`)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const images = join(place, '.cache/images')
  const previous = join(baseFolder, 'build/anteriores')
  for (const folder of [join(place, 'build'), images, previous]) await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const path of [...LINKED, ...BUILT.map((name) => `build/${name}`), '.cache/fonts'])
    await lead(join(place, path), join(root, path))
  await lead(join(place, 'build/anteriores'), previous)

  const made = join(root, '.cache/images')
  // Pictures are named by what they show: one that was made in another place is the same.
  for (const other of await otherPlaces(baseFolder, place)) await takeOver(join(other, '.cache/images'), images)
  for (const name of await readdir(made))
    if (name !== MANIFEST) await lead(join(images, name), join(made, name), { keepFile: true })
  const draft = join(images, `.${MANIFEST}.${process.pid}`)
  await copyFile(join(made, MANIFEST), draft)
  await rename(draft, join(images, MANIFEST))

  // The next package finds them here; the builds before this one come with it, too.
  for (const earlier of await readdir(join(root, 'build/anteriores')).catch(() => []))
    await keepAssets({
      build: await asBuild(root, earlier, place),
      anteriores: previous,
      construccion: earlier,
      seVa: true,
    })
  await keepAssets({ build: join(root, 'build'), anteriores: previous, construccion: buildId, seVa: false })
  const now = new Date()
  await utimes(place, now, now)
  for (const old of (await otherPlaces(baseFolder, place)).slice(KEPT_PLACES - 1))
    if (old !== baseFolder) await rm(old, { recursive: true, force: true })
  return place
}

/** Places of other packages, the newest first; the last is where all of them ran before each had its own. */
async function otherPlaces(baseFolder: string, own: string): Promise<string[]> {
  const names = (await readdir(baseFolder)).filter((name) => /^[0-9a-f]{12}-[0-9a-f]{6}$/.test(name))
  const others = names.map((name) => join(baseFolder, name)).filter((path) => path !== own)
  const dated = await Promise.all(others.map(async (path) => ({ path, at: (await stat(path)).mtimeMs })))
  return [...dated.sort((a, b) => b.at - a.at).map(({ path }) => path), baseFolder]
}

/** Has a folder name the files of another one, but for what only leads elsewhere, or is half made. */
async function takeOver(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true }).catch(() => []))
    if (entry.isFile() && !entry.name.startsWith('.') && !entry.name.endsWith('.parte') && entry.name !== MANIFEST)
      await link(join(from, entry.name), join(to, entry.name)).catch(() => {})
}

const MANIFEST = 'manifest.json'

/** An earlier build of the package in the shape of a whole one. */
async function asBuild(root: string, name: string, place: string): Promise<string> {
  const build = join(place, '.cache', `anteriores-${name}`)
  await mkdir(build, { recursive: true })
  await lead(join(build, 'client'), join(root, 'build/anteriores', name))
  return build
}

/** Has a path lead to another, in one step: a site that runs from there finds the one or the other. */
async function lead(path: string, to: string, { keepFile = false } = {}): Promise<void> {
  const there = await lstat(path).catch(() => undefined)
  if (there?.isSymbolicLink() ? (await readlink(path)) === to : there !== undefined && keepFile) return
  const draft = `${path}.${process.pid}.parte`
  await rm(draft, { force: true })
  await symlink(to, draft)
  await rename(draft, path)
}

/**
 * Prepares where the site runs, and goes there; the data folder's path is kept whole for it and for what it starts.
 * @returns the folder that the site takes for the project's
 */
export async function enterRunFolder(root: string, env: NodeJS.ProcessEnv): Promise<string> {
  if (!isPackage(root)) return root
  const dataDir = resolve(env.DATA_DIR || 'data')
  env.DATA_DIR = dataDir
  const place = await prepareRunFolder(root, dataDir)
  process.chdir(place)
  return place
}
