import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'

/** Files and folders that the code is built from. */
export const BUILD_INPUTS = [
  'app',
  'server',
  'public',
  'scripts/build.ts',
  'scripts/build-steps/render-pages.ts',
  'scripts/fonts.ts',
  'scripts/build-steps/public-route-manifest.ts',
  'scripts/images.ts',
  'scripts/build-steps/share-cards.ts',
  'vite.config.ts',
  'react-router.config.ts',
  'package-lock.json',
]
/** Larger files are photographs and videos. They are not hashed, since their size and date show a change as well. */
const MAX_HASHED_BYTES = 262_144

export const stampPath = (root: string) => join(root, 'build/stamp')
/** Returns the path of the stamp of content/ as it was last rendered. */
export const contentStampPath = (root: string) => join(root, 'build/contenido')

/** Returns whether build/ is up to date with the sources and with content/. */
export async function isBuilt(root: string): Promise<boolean> {
  return (await isCodeBuilt(root)) && (await isContentBuilt(root))
}

export const readOrEmpty = (file: string) => readFile(file, 'utf8').catch(() => '')

export const isCodeBuilt = async (root: string) =>
  (await readOrEmpty(stampPath(root))) === (await fingerprintFiles(root, BUILD_INPUTS))

async function isContentBuilt(root: string): Promise<boolean> {
  const stamp = await readOrEmpty(contentStampPath(root))
  return stamp !== '' && existsSync(join(root, '.cache/images')) && stamp === (await contentStamp(root))
}

export const contentStamp = async (root: string) =>
  `${await readOrEmpty(stampPath(root))} ${await fingerprintFiles(root, ['content'])}`

export async function fingerprintFiles(root: string, paths: string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const path of paths) {
    for (const file of await listFilesUnder(join(root, path))) {
      const { size, mtimeMs } = await stat(file)
      hash.update(`${relative(root, file)}\0`)
      hash.update(size > MAX_HASHED_BYTES ? `${size} ${mtimeMs}` : await readFile(file))
    }
  }
  return hash.digest('hex')
}

/** Lists the files at a path and below it, without tests, sorted. */
export async function listFilesUnder(path: string): Promise<string[]> {
  const pathStat = await stat(path).catch(() => undefined)
  if (!pathStat) return []
  if (pathStat.isFile()) return [path]
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && !/\.(db\.|s3\.|imap\.)?test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}
