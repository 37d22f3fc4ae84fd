import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { glob, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { FALLAS_DE_CONTENIDO } from '../app/edicion/muestra.server.ts'
import { claim } from '../app/platform/site-lock.server.ts'
import { diskFault, StartError } from '../app/platform/start-error.server.ts'
import { keepAssets } from './anteriores.ts'
import { endWith } from './fault.ts'
import { makeFonts } from './fonts.ts'
import { makeImages } from './images.ts'
import { renderPages } from './pages.ts'
import { isPaquete } from './paquete.ts'

/** Files and folders that the site's code is built of. */
const INPUTS = [
  'app',
  'server',
  'public',
  'scripts/build.ts',
  'scripts/pages.ts',
  'scripts/fonts.ts',
  'scripts/images.ts',
  'scripts/tarjetas.ts',
  'vite.config.ts',
  'react-router.config.ts',
  'package-lock.json',
]
/** Only smaller files are hashed. Larger ones are photographs and videos, whose size and date tell a change as well. */
const HASHED_WHOLE_BYTES = 262_144

/** How long a start waits for another one that is building in the same folder. */
const PATIENCE_MS = 10 * 60_000

/**
 * Builds what the site serves, unless nothing has changed since the last time; one process at a time. A change of
 * content/ alone takes no building of the code.
 */
export async function build({ root, say }: { root: string; say(line: string): void }): Promise<void> {
  // A package brings all of it, and may lie where nothing can be written.
  if (isPaquete(root)) return
  if (await isBuilt(root)) return
  await mkdir(join(root, '.cache'), { recursive: true })
  const release = await claim(join(root, '.cache/construccion.pid'), root, PATIENCE_MS)
  if (typeof release !== 'function')
    throw new StartError(
      `Otro proceso (${release.pid}) lleva demasiado construyendo ${root}. Detenlo y repite la orden.`,
    )
  try {
    if (!(await isBuilt(root))) await buildAll(root, say)
  } catch (error) {
    throw diskFault(error, root) ?? error
  } finally {
    await release()
  }
}

const stampOf = (root: string) => join(root, 'build/stamp')
/** Of content/ as it was rendered last. */
const contentStampOf = (root: string) => join(root, 'build/contenido')

async function isBuilt(root: string): Promise<boolean> {
  return (await isCodeBuilt(root)) && (await isContentBuilt(root))
}

const read = (file: string) => readFile(file, 'utf8').catch(() => '')

const isCodeBuilt = async (root: string) => (await read(stampOf(root))) === (await fingerprint(root, INPUTS))

async function isContentBuilt(root: string): Promise<boolean> {
  const stamp = await read(contentStampOf(root))
  return stamp !== '' && existsSync(join(root, '.cache/images')) && stamp === (await contentStamp(root))
}

const contentStamp = async (root: string) => `${await read(stampOf(root))} ${await fingerprint(root, ['content'])}`

async function buildAll(root: string, say: (line: string) => void): Promise<void> {
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const began = Date.now()
    const result = await work()
    say(`  ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`)
    return result
  }
  say('Construyendo el sitio…')
  if (!(await isCodeBuilt(root))) {
    const now = await fingerprint(root, INPUTS)
    const before = {
      build: join(root, 'build'),
      anteriores: join(root, 'build/anteriores'),
      construccion: await read(stampOf(root)),
    }
    await keepAssets({ ...before, seVa: true })
    await rm(stampOf(root), { force: true })
    await step('letras', () => makeFonts())
    await step('aplicación', () => bundle(root))
    await step('compresión', () => compress(join(root, 'build/client')))
    await writeFile(stampOf(root), now)
  }
  const now = await contentStamp(root)
  await rm(contentStampOf(root), { force: true })
  try {
    await step('fotografías de la primera vista', () => makeImages({ only: 'first-view' }))
    await step('páginas', () => renderPages(root))
  } catch (error) {
    // A site that has published something goes on showing that; the start says what is wrong here.
    if (!(error instanceof Error && error.name === 'ContentError' && 'fallas' in error)) throw error
    await rm(join(root, 'build/pages'), { recursive: true, force: true })
    await mkdir(join(root, 'build/pages'), { recursive: true })
    await writeFile(join(root, FALLAS_DE_CONTENIDO), JSON.stringify(error.fallas))
  }
  await writeFile(contentStampOf(root), now)
}

async function fingerprint(root: string, inputs: string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const input of inputs) {
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

if (import.meta.main) await build({ root: process.cwd(), say: console.log }).catch(endWith)
