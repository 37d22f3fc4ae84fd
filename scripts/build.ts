import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { glob, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { makeFonts } from './fonts.ts'
import { makeImages } from './images.ts'
import { renderPages } from './pages.ts'

/** What a build depends on. */
const INPUTS = [
  'app',
  'server',
  'content',
  'public',
  'scripts/build.ts',
  'scripts/pages.ts',
  'scripts/fonts.ts',
  'scripts/images.ts',
  'vite.config.ts',
  'react-router.config.ts',
  'package-lock.json',
]
/** Larger files are photographs and videos: their size and date tell a change as well as their bytes. */
const HASHED_WHOLE_BYTES = 262_144

/** Builds what the site serves, unless nothing has changed since the last time. */
export async function build({ root, say }: { root: string; say(line: string): void }): Promise<void> {
  const stamp = join(root, 'build/stamp')
  const now = await fingerprint(root)
  const described = existsSync(join(root, '.cache/images/manifest.json'))
  if (described && existsSync(stamp) && (await readFile(stamp, 'utf8')) === now) return

  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const began = Date.now()
    const result = await work()
    say(`  ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`)
    return result
  }
  say('Construyendo el sitio…')
  await rm(stamp, { force: true })
  await step('letras', () => makeFonts())
  await step('fotografías de la primera vista', () => makeImages({ only: 'first-view' }))
  await step('aplicación', () => bundle(root))
  await step('compresión', () => compress(join(root, 'build/client')))
  await step('páginas', () => renderPages(root))
  await writeFile(stamp, now)
}

async function fingerprint(root: string): Promise<string> {
  const hash = createHash('sha256')
  for (const input of INPUTS) {
    for (const file of await filesUnder(join(root, input))) {
      const { size, mtimeMs } = await stat(file)
      hash.update(`${relative(root, file)}\0`)
      hash.update(size > HASHED_WHOLE_BYTES ? `${size} ${mtimeMs}` : await readFile(file))
    }
  }
  return hash.digest('hex')
}

async function filesUnder(path: string): Promise<string[]> {
  const found = await stat(path).catch(() => undefined)
  if (!found) return []
  if (found.isFile()) return [path]
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && !/\.(db\.|s3\.)?test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

async function bundle(root: string): Promise<void> {
  const cli = join(root, 'node_modules/@react-router/dev/bin.cjs')
  const child = spawn(process.execPath, [cli, 'build'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk
    })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`La aplicación no se pudo construir:\n${said}`)
}

const brotli = promisify(brotliCompress)

async function compress(folder: string): Promise<void> {
  for await (const file of glob('**/*.{js,css,svg,json,txt,webmanifest}', {
    cwd: folder,
    exclude: (name) => String(name).includes('.vite'),
  })) {
    const path = join(folder, file)
    const body = await readFile(path)
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength }
    await writeFile(`${path}.br`, await brotli(body, { params }))
  }
}

if (import.meta.main) await build({ root: process.cwd(), say: console.log })
