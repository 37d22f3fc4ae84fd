import { Readable } from 'node:stream'
import { findFileByHash, findFileByPath, findPublishedFile, openEditionFile } from '#app/cms/media/file-store.server.ts'
import { openThumbnail } from '#app/cms/media/thumbnails.server.ts'
import type { Database } from '#app/core/db/database.server.ts'
import { servicesOf } from '#app/core/http/services.server.ts'
import { requireOrganiserForFile, textRefusalResponse } from '#app/panel/guards.server.ts'
import type { Route } from './+types/file.resource'

/** An SVG that is opened in a tab is a document, which must neither run scripts nor load anything. */
const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"
const INLINE_TYPE_PATTERN = /^(image|video)\//
/** The content under a hash never changes, but the right to see a file may end, so browsers keep it for an hour only. */
const CACHE_CONTROL = 'private, max-age=3600'

/**
 * Serves a file of the edition, published or not, to organisers only: by its hash, or by its path (`ruta`). `ancho` asks for a
 * thumbnail of a wider JPEG or PNG (THUMBNAIL_WIDTHS_PX), `datos` for the file's data as JSON (ReceivedFile).
 */
export async function loader({ params, request, context }: Route.LoaderArgs) {
  await requireOrganiserForFile(request, context, 'sitio')
  const { services } = servicesOf(context)
  const query = new URL(request.url).searchParams
  const file = await findFile(services.db, params.sha256, query.get('ruta'))
  if (!file)
    return textRefusalResponse('Ese archivo no está en el sitio. Vuelve al formulario y elígelo otra vez.', 404)
  if (query.has('datos')) return Response.json(file, { headers: { 'cache-control': 'private, no-store' } })
  const { sha256, tipo } = file
  const headers = new Headers({
    'content-type': tipo,
    'cache-control': CACHE_CONTROL,
    'content-security-policy': FILE_POLICY,
    'content-disposition': INLINE_TYPE_PATTERN.test(tipo) ? 'inline' : 'attachment',
    etag: `"${sha256}"`,
  })
  const requestedWidth = Number(query.get('ancho'))
  if (requestedWidth > 0 && (tipo === 'image/jpeg' || tipo === 'image/png') && (file.ancho ?? 0) > requestedWidth) {
    const thumbnail = await openThumbnail(services, sha256, requestedWidth)
    if (thumbnail) {
      headers.set('content-length', String(thumbnail.bytes))
      headers.set('etag', `"${sha256}-${requestedWidth}"`)
      return new Response(Readable.toWeb(thumbnail.body) as ReadableStream, { headers })
    }
  }
  // A file of content/ may have a size of 0 until the storage has the file.
  const isSizeKnown = file.bytes > 0
  const range = isSizeKnown ? parseRange(request.headers.get('range'), file.bytes) : undefined
  const body = await openEditionFile(services.storage, sha256, range)
  if (!body)
    return textRefusalResponse('El almacén no tiene ese archivo ahora. Vuelve a intentarlo, o elígelo otra vez.', 404)
  if (isSizeKnown) {
    headers.set('accept-ranges', 'bytes')
    headers.set('content-length', String(range ? range.end - range.start + 1 : file.bytes))
  }
  if (range) headers.set('content-range', `bytes ${range.start}-${range.end}/${file.bytes}`)
  return new Response(Readable.toWeb(body) as ReadableStream, { status: range ? 206 : 200, headers })
}

async function findFile(db: Database, sha256: string | undefined, path: string | null) {
  if (sha256 !== undefined) return /^[0-9a-f]{64}$/.test(sha256) ? findFileByHash(db, sha256) : undefined
  // PostgreSQL rejects NUL in text.
  if (path === null || path.includes('\0')) return undefined
  return (await findFileByPath(db, path)) ?? findPublishedFile(db, path)
}

/**
 * Parses a Range header, which phones need to play a video. Returns undefined for another form or an impossible range, since the
 * whole file is then sent.
 */
function parseRange(header: string | null, size: number): { start: number; end: number } | undefined {
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(header ?? '') ?? []
  if (from === undefined || Number(from) >= size) return undefined
  const start = Number(from)
  const end = to ? Math.min(Number(to), size - 1) : size - 1
  return end >= start ? { start, end } : undefined
}
