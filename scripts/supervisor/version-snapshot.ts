// Sets versions of the site aside, each in a folder of its own that nothing changes any more. The keeper runs it apart,
// and is told by one line of JSON which version that was.
import { execFile } from 'node:child_process'
import { constants, existsSync } from 'node:fs'
import { cp, link, mkdir, readdir, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { isBuilt } from '../builder/build-stamp.ts'
import { isPackage } from '../builder/package.ts'
import { idDe, READY_MARKER, readVersion, type Version, versionsFolderOf } from './versions.ts'

const run = promisify(execFile)

/** Never sources, where git does not say it. */
const NOT_SOURCES = /^(node_modules|build|data|\.cache|\.git|\.react-router|test-results|playwright-report)(\/|$)/
/** What only the checks read. */
const NOT_RUN = /^(tests|\.ci|\.github)\//

/** Paths of a checkout's sources, as they stand in its folder. @param dataDir never among them, nor copies beside it */
export async function sourcesOf(root: string, dataDir: string): Promise<string[]> {
  const all = await run('git', ['-C', root, 'ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    maxBuffer: 1e8,
  }).then(
    ({ stdout }) => stdout.split('\0'),
    async () =>
      (await readdir(root, { recursive: true, withFileTypes: true }))
        .filter((entry) => !entry.isDirectory())
        .map((entry) => relative(root, join(entry.parentPath, entry.name))),
  )
  const data = relative(root, dataDir).split(sep).join('/')
  const isData = (path: string) => data !== '' && (path.startsWith(`${data}/`) || path.startsWith(`${data}.copias/`))
  return all.filter(
    (path) =>
      path !== '' && !NOT_SOURCES.test(path) && !NOT_RUN.test(path) && !isData(path) && existsSync(join(root, path)),
  )
}

export async function copyFiles(from: string, paths: string[], to: string): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(join(to, path)), { recursive: true })
    // Blocks are shared where the file system can.
    await cp(join(from, path), join(to, path), {
      recursive: true,
      preserveTimestamps: true,
      verbatimSymlinks: true,
      mode: constants.COPYFILE_FICLONE,
    })
  }
}

/** The pictures that a version has: files that nobody changes once they are there, so that both folders name the same ones. */
export async function sharePictures(from: string, to: string): Promise<void> {
  const [there, here] = [join(from, '.cache/images'), join(to, '.cache/images')]
  await mkdir(here, { recursive: true })
  for (const name of await readdir(there).catch(() => [])) {
    if (name.endsWith('.parte')) continue
    const paths = [join(there, name), join(here, name)] as const
    if (name === 'manifest.json') await cp(...paths)
    // What cannot be shared, on another disk, is made again behind the site.
    else await link(...paths).catch(() => {})
  }
  await copyFiles(
    from,
    ['.cache/fonts'].filter((path) => existsSync(join(from, path))),
    to,
  )
}

/** Has a folder use the packages of another one. */
export async function lendPackages(from: string, to: string): Promise<void> {
  await symlink(await realpath(join(from, 'node_modules')), join(to, 'node_modules'))
}

/**
 * Sets the built version of a folder aside, if that was not done already.
 * @returns undefined where its sources are not those any more that it was built of
 */
async function snapshotVersion(root: string, dataDir: string): Promise<Version | undefined> {
  const here = await readVersion(root)
  // Nobody writes into a package, or into what was set aside.
  if (isPackage(root) || dirname(root) === versionsFolderOf(dataDir)) return here
  const folder = join(versionsFolderOf(dataDir), here.id)
  if (existsSync(join(folder, READY_MARKER))) return { ...here, carpeta: folder }
  if (!(await isBuilt(root))) return undefined
  const draft = `${folder}.parte`
  await rm(draft, { recursive: true, force: true })
  await rm(folder, { recursive: true, force: true })
  await mkdir(draft, { recursive: true, mode: 0o700 })
  await copyFiles(root, [...(await sourcesOf(root, dataDir)), 'build'], draft)
  await sharePictures(root, draft)
  await lendPackages(root, draft)
  if ((await idDe(draft)) !== here.id) {
    await rm(draft, { recursive: true, force: true })
    return undefined
  }
  await writeFile(join(draft, READY_MARKER), `${(await readFile(join(draft, 'build/stamp'), 'utf8')).trim()}\n`)
  await rename(draft, folder)
  return { ...here, carpeta: folder }
}

if (import.meta.main) {
  process.on('disconnect', () => process.exit(1))
  const [root, dataDir] = process.argv.slice(2) as [string, string]
  console.log(JSON.stringify((await snapshotVersion(root, dataDir)) ?? null))
  process.exit(0)
}
