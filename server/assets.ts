import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { IMMUTABLE_CACHE_CONTROL } from '#app/core/http/response-headers.server.ts'

const MIME_TYPES: Record<string, string> = {
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
const contentTypeOf = (path: string) => MIME_TYPES[extname(path)] ?? 'application/octet-stream'

interface Asset {
  body: Buffer
  /** Body as the build compressed it; undefined if the build did not. */
  brotli: Buffer | undefined
  contentType: string
}

/**
 * Reads the files of the browser's bundle, and earlier builds' files under /assets (scripts/build-steps/earlier-assets.ts), which
 * pages opened before an upgrade still request.
 */
export async function loadBuildAssets(buildDir: string): Promise<Map<string, Asset>> {
  const earlierBuildsFolder = join(buildDir, 'anteriores')
  const names = (await readdir(earlierBuildsFolder).catch(() => [])).filter((name) => !name.startsWith('.'))
  const earlierAssets = await Promise.all(names.map((name) => loadAssets(join(earlierBuildsFolder, name))))
  // The current build comes last, so that its files replace older files with the same path.
  return new Map([...earlierAssets, await loadAssets(join(buildDir, 'client'))].flatMap((assets) => [...assets]))
}

/** Reads a folder of the browser's bundle into memory, with the Brotli versions that the build made. */
async function loadAssets(folder: string): Promise<Map<string, Asset>> {
  const assets = new Map<string, Asset>()
  // In development the folder may be missing.
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  await Promise.all(
    entries
      // Vite's manifest in .vite is only for the build.
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.br') && !entry.parentPath.includes('.vite'))
      .map(async (entry) => {
        const file = join(entry.parentPath, entry.name)
        const path = `/${file.slice(folder.length + 1).replaceAll('\\', '/')}`
        const brotli = await readFile(`${file}.br`).catch(() => undefined)
        assets.set(path, { body: await readFile(file), brotli, contentType: contentTypeOf(file) })
      }),
  )
  return assets
}

export function assetResponse(asset: Asset, path: string, acceptEncoding: string): Response {
  const headers = new Headers({
    'content-type': asset.contentType,
    // File names under /assets/ contain a hash of the content; other files may change under the same name.
    'cache-control': path.startsWith('/assets/') ? IMMUTABLE_CACHE_CONTROL : 'public, max-age=3600',
  })
  if (asset.brotli) headers.set('vary', 'accept-encoding')
  const isCompressed = asset.brotli !== undefined && acceptEncoding.includes('br')
  if (isCompressed) headers.set('content-encoding', 'br')
  const body = isCompressed ? asset.brotli! : asset.body
  headers.set('content-length', String(body.byteLength))
  return new Response(new Uint8Array(body), { headers })
}
