import { Readable } from 'node:stream'
import { sql } from 'kysely'
import type { Services } from '#app/platform/services.server.ts'
import { BUCKET_REGISTRO } from './rules.ts'

/**
 * A document of a registration, or its metadata, for somebody who may see it: who that is, the caller asks.
 * @param ruta what follows /archivos/ in its address
 * @returns undefined when no registration has it
 */
export async function openDocumento(
  { db, storage }: Services,
  ruta: string,
  request: Request,
): Promise<{ path: string; response: Response } | undefined> {
  const path = pathOf(ruta)
  if (path === undefined) return undefined
  const { rows } = await sql`
    select 1 from documentos where path = ${path} union all select 1 from registros where metadata_path = ${path}`.execute(
    db,
  )
  const object = rows.length > 0 ? await storage.head(BUCKET_REGISTRO, path) : undefined
  if (!object) return undefined
  const body = request.method === 'HEAD' ? undefined : await storage.get(BUCKET_REGISTRO, path)
  const headers = {
    'content-type': object.contentType,
    'content-length': String(object.size),
    'content-disposition': `inline; filename*=UTF-8''${encodeURIComponent(path.split('/').at(-1)!)}`,
    'cache-control': 'private, no-store',
  }
  return { path, response: new Response(body ? (Readable.toWeb(body) as ReadableStream) : null, { headers }) }
}

function pathOf(ruta: string): string | undefined {
  try {
    const [bucket, ...path] = ruta.split('/').map(decodeURIComponent)
    const text = path.join('/')
    // PostgreSQL takes no NUL in a text.
    return bucket === BUCKET_REGISTRO && !text.includes('\0') ? text : undefined
  } catch {
    return undefined
  }
}
