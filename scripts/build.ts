import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { CONTENT_FAULTS_PATH } from '#app/cms/publishing/content-folder.server.ts'
import { claimFile } from '#app/core/process/data-folder-lock.server.ts'
import { isPackage } from '#app/core/process/own-commands.server.ts'
import { diskFault, StartError } from '#app/core/process/start-error.server.ts'
import { MINUTE_MS } from '#app/core/time/durations.ts'
import { endWithFault } from '../server/end-with-fault.ts'
import {
  BUILD_INPUTS,
  contentStamp,
  contentStampPath,
  fingerprintFiles,
  isBuilt,
  isCodeBuilt,
  readOrEmpty,
  stampPath,
} from './build-steps/build-stamp.ts'
import { keepAssets } from './build-steps/earlier-assets.ts'
import { writePublicManifest } from './build-steps/public-route-manifest.ts'
import { renderPages } from './build-steps/render-pages.ts'
import { makeFonts } from './fonts.ts'
import { makeImages } from './images.ts'

/** Longest wait for another process that is building in the same folder. */
const MAX_CLAIM_WAIT_MS = 10 * MINUTE_MS

/**
 * Builds the site, unless nothing has changed since the last build. Only one process builds at a time. If only content/ has
 * changed, the pages are rendered without building the code.
 * @throws StartError if another process builds for longer than MAX_CLAIM_WAIT_MS, or if the disk is full; otherwise the error of
 * the failed step
 */
export async function build({ root, say }: { root: string; say(line: string): void }): Promise<void> {
  // A package is built already, and may lie in a read-only folder.
  if (isPackage(root)) return
  if (await isBuilt(root)) return
  await mkdir(join(root, '.cache'), { recursive: true })
  const release = await claimFile(join(root, '.cache/construccion.pid'), root, MAX_CLAIM_WAIT_MS)
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

async function buildAll(root: string, say: (line: string) => void): Promise<void> {
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const startMs = Date.now()
    const result = await work()
    say(`  ${name} (${((Date.now() - startMs) / 1000).toFixed(1)} s)`)
    return result
  }
  say('Construyendo el sitio…')
  if (!(await isCodeBuilt(root))) {
    const stamp = await fingerprintFiles(root, BUILD_INPUTS)
    await keepAssets({
      assets: join(root, 'build/client/assets'),
      earlierBuildsFolder: join(root, 'build/anteriores'),
      buildId: await readOrEmpty(stampPath(root)),
      isReplaced: true,
    })
    await rm(stampPath(root), { force: true })
    await step('letras', () => makeFonts())
    await step('aplicación', () => bundle(root))
    await writePublicManifest(join(root, 'build/client'))
    await step('compresión', () => compress(join(root, 'build/client')))
    await writeFile(stampPath(root), stamp)
  }
  const stamp = await contentStamp(root)
  await rm(contentStampPath(root), { force: true })
  try {
    await step('fotografías de la primera vista', () => makeImages({ only: 'first-view' }))
    await step('páginas', () => renderPages(root))
  } catch (error) {
    // Faults of content/ do not fail the build: the start reports them, and shows the last publication if there is one.
    if (!(error instanceof Error && error.name === 'ContentError' && 'faults' in error)) throw error
    await rm(join(root, 'build/pages'), { recursive: true, force: true })
    await mkdir(join(root, 'build/pages'), { recursive: true })
    await writeFile(join(root, CONTENT_FAULTS_PATH), JSON.stringify(error.faults))
  }
  await writeFile(contentStampPath(root), stamp)
}

async function bundle(root: string): Promise<void> {
  const cli = join(root, 'node_modules/@react-router/dev/bin.cjs')
  const child = spawn(process.execPath, [cli, 'build'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk
    })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`La aplicación no se pudo construir:\n${output}`)
}

const brotli = promisify(brotliCompress)
/** Pairs of a mode and a block size (log2) of Brotli. Each pair compresses some files best, by a hundred bytes at most. */
const BROTLI_VARIANTS = [
  [constants.BROTLI_MODE_GENERIC, 16],
  [constants.BROTLI_MODE_GENERIC, 24],
  [constants.BROTLI_MODE_FONT, 16],
  [constants.BROTLI_MODE_FONT, 24],
] as const

async function compress(folder: string): Promise<void> {
  for await (const file of glob('**/*.{js,css,svg,json,txt,webmanifest}', {
    cwd: folder,
    exclude: (name) => String(name).includes('.vite'),
  })) {
    const path = join(folder, file)
    const body = await readFile(path)
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength }
    const compressedBodies = await Promise.all(
      BROTLI_VARIANTS.map(([mode, block]) =>
        brotli(body, {
          params: { ...params, [constants.BROTLI_PARAM_MODE]: mode, [constants.BROTLI_PARAM_LGBLOCK]: block },
        }),
      ),
    )
    await writeFile(`${path}.br`, compressedBodies.toSorted((a, b) => a.byteLength - b.byteLength)[0]!)
  }
}

if (import.meta.main) await build({ root: process.cwd(), say: console.log }).catch(endWithFault)
