import { existsSync } from 'node:fs'
import { copyFile, lstat, mkdir, readdir, readFile, readlink, rename, rm, symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { keepAssets } from './anteriores.ts'

/** Whether the project's folder is what `npm run empaquetar` made: complete, with nothing left to install or build. */
export const isPaquete = (root: string): boolean => existsSync(join(root, 'paquete.json'))

/** What the site reads of a package by paths from where it runs. */
const LINKED = ['app', 'content', 'db', 'node_modules', 'package.json', 'scripts', 'server']
const BUILT = ['client', 'contenido', 'pages', 'server', 'stamp']

/**
 * Where a package's site runs. The package may lie in a folder that nobody can write to, and the site makes pictures
 * beside those that are there: so a folder of the data leads to the package's files, and has room for what is new.
 * @param dataDir absolute
 */
export async function prepareLugar(root: string, dataDir: string): Promise<string> {
  const lugar = join(dataDir, 'lugar')
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const images = join(lugar, '.cache/images')
  for (const folder of ['build', '.cache/images']) await mkdir(join(lugar, folder), { recursive: true, mode: 0o700 })
  for (const path of [...LINKED, ...BUILT.map((name) => `build/${name}`), '.cache/fonts'])
    await lead(join(lugar, path), join(root, path))

  const made = join(root, '.cache/images')
  const names = new Set(await readdir(made))
  for (const name of await readdir(images)) {
    const file = join(images, name)
    // What an earlier package had, and this one has no more.
    if (!names.has(name) && (await lstat(file)).isSymbolicLink()) await rm(file)
  }
  // Pictures are named by what they show: one that was made here meanwhile is the same.
  for (const name of names) if (name !== MANIFEST) await lead(join(images, name), join(made, name), { keepFile: true })
  const draft = join(images, `.${MANIFEST}.${process.pid}`)
  await copyFile(join(made, MANIFEST), draft)
  await rename(draft, join(images, MANIFEST))

  const construccion = await readFile(join(root, 'build/stamp'), 'utf8')
  const anteriores = join(lugar, 'build/anteriores')
  // The next package finds them here; the builds before this one come with it, too.
  for (const earlier of await readdir(join(root, 'build/anteriores')).catch(() => []))
    await keepAssets({ build: await asBuild(root, earlier, lugar), anteriores, construccion: earlier, seVa: true })
  await keepAssets({ build: join(root, 'build'), anteriores, construccion, seVa: false })
  return lugar
}

const MANIFEST = 'manifest.json'

/** An earlier build of the package in the shape of a whole one. */
async function asBuild(root: string, name: string, lugar: string): Promise<string> {
  const build = join(lugar, '.cache', `anteriores-${name}`)
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
export async function goToLugar(root: string, env: NodeJS.ProcessEnv): Promise<string> {
  if (!isPaquete(root)) return root
  const dataDir = resolve(env.DATA_DIR || 'data')
  env.DATA_DIR = dataDir
  const lugar = await prepareLugar(root, dataDir)
  process.chdir(lugar)
  return lugar
}
