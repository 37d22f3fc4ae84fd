import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { IMMUTABLE } from '#app/core/http/response-headers.server.ts'

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
  '.xml': 'application/xml',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
}
const contentTypeOf = (path: string) => TYPES[extname(path)] ?? 'application/octet-stream'

interface Asset {
  body: Buffer
  br: Buffer | undefined
  contentType: string
}

/** The browser's bundle, and earlier builds' files under /assets (scripts/build-steps/earlier-assets.ts), for pages opened before an upgrade. */
export async function loadBuild(buildDir: string): Promise<Map<string, Asset>> {
  const previous = join(buildDir, 'anteriores')
  const names = (await readdir(previous).catch(() => [])).filter((name) => !name.startsWith('.'))
  const earlier = await Promise.all(names.map((name) => loadAssets(join(previous, name))))
  return new Map([...earlier, await loadAssets(join(buildDir, 'client'))].flatMap((assets) => [...assets]))
}

/** Reads a folder of the browser's bundle, which is small, into memory, with the compressed files that the build made. */
async function loadAssets(folder: string): Promise<Map<string, Asset>> {
  const assets = new Map<string, Asset>()
  // In development there is no bundle on disk.
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  await Promise.all(
    entries
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.br') && !entry.parentPath.includes('.vite'))
      .map(async (entry) => {
        const file = join(entry.parentPath, entry.name)
        const path = `/${file.slice(folder.length + 1).replaceAll('\\', '/')}`
        const br = await readFile(`${file}.br`).catch(() => undefined)
        assets.set(path, { body: await readFile(file), br, contentType: contentTypeOf(file) })
      }),
  )
  return assets
}

export function answerAsset(asset: Asset, path: string, acceptEncoding: string): Response {
  const headers = new Headers({
    'content-type': asset.contentType,
    // Names under /assets/ carry a hash of their content; the others may change under the same name.
    'cache-control': path.startsWith('/assets/') ? IMMUTABLE : 'public, max-age=3600',
  })
  if (asset.br) headers.set('vary', 'accept-encoding')
  const useBr = asset.br !== undefined && acceptEncoding.includes('br')
  if (useBr) headers.set('content-encoding', 'br')
  const body = useBr ? asset.br! : asset.body
  headers.set('content-length', String(body.byteLength))
  return new Response(new Uint8Array(body), { headers })
}
