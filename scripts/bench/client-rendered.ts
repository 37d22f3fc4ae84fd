import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { build } from 'vite'
import { loadEdition, loadManifest } from '#app/cms/editions/displayed-edition.server.ts'
import { createMediaCache } from '#app/cms/editions/media-cache.server.ts'
import { networkName } from '#app/cms/schema/social-networks.ts'
import { contentTypeOf } from '../../server/files.ts'

/** Builds the client-rendered home and serves it as well as a static host would: compressed, cacheable, from memory. */
export async function startClientRendered(root: string): Promise<{ url: string; stop(): void }> {
  const built = await build({
    root: join(root, 'scripts/bench/client-rendered'),
    logLevel: 'error',
    configFile: false,
    build: { write: false, target: 'es2022', assetsInlineLimit: 0 },
    plugins: [
      {
        name: 'browser-only',
        enforce: 'pre',
        load: (id) => (/\.server\.ts(\?|$)/.test(id) ? 'export const loadEdition = undefined' : undefined),
      },
    ],
  })
  if (!('output' in built)) throw new Error('The client-rendered home has another form than expected')
  const files = new Map<string, { plain: Buffer; br: Buffer }>()
  const keep = (path: string, body: string | Uint8Array) => {
    const plain = Buffer.from(body)
    files.set(path, { plain, br: brotliCompressSync(plain) })
  }
  for (const file of built.output) keep(`/${file.fileName}`, file.type === 'chunk' ? file.code : file.source)
  const edition = await loadEdition()
  const mediaCache = createMediaCache(undefined, root)
  mediaCache.adopt(await loadManifest())
  const { inicio, patrocinadores, rotulo, feria, numero, anio } = edition
  // The home's loader data, and the footer's data.
  const data = {
    ...{ inicio, rotulo, edicion: edition },
    patrocinadores: patrocinadores.map((one) => ({ ...one, enRed: networkName(one.red) })),
    lema: `${feria.nombre} · edición ${numero}`,
    anios: [feria.desde, anio],
  }
  keep('/datos.json', JSON.stringify(data))

  const server = createServer(async (request, response) => {
    const path = request.url === '/' ? '/index.html' : request.url!.split('?')[0]!
    const file = files.get(path)
    const type = contentTypeOf(path)
    if (file) {
      const text = /text|json/.test(type)
      const head = { 'content-type': type, 'cache-control': 'max-age=31536000' }
      response.writeHead(200, text ? { ...head, 'content-encoding': 'br' } : head).end(text ? file.br : file.plain)
      return
    }
    const picture = await mediaCache.file(path)
    const body = picture && (await readFile(picture.path).catch(() => undefined))
    response.writeHead(body ? 200 : 404, { 'content-type': picture?.contentType ?? type }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop: () => server.close().closeAllConnections(),
  }
}
