import { Readable } from 'node:stream'
import { sql } from 'kysely'
import type { Services } from '#app/platform/services.server.ts'
import { ALMACENES } from './formas.server.ts'
import { FORMAS } from './formas.ts'
import type { TipoInscripcion } from './schema.ts'

/**
 * A document of an entry (also one that another took the place of), or its metadata, for somebody who may see it: who that is, the caller asks.
 * @param ruta what follows /archivos/ in its address
 * @returns with `sobre`, what the log calls it (a path names the person); undefined when no registration has it
 */
export async function openDocumento(
  { db, storage }: Services,
  ruta: string,
  request: Request,
): Promise<{ path: string; sobre: string; response: Response } | undefined> {
  const named = partsOf(ruta)
  if (named === undefined) return undefined
  const { tipo, bucket, path } = named
  const { rows } = await sql<{ sobre: string }>`
    select 'documento ' || documentos.id || ', inscripcion ' || inscripcion_id as sobre
    from documentos join inscripciones on inscripciones.id = inscripcion_id where tipo = ${tipo} and path = ${path}
    union all select 'metadatos, inscripcion ' || inscripcion_id from ${sql.table(ALMACENES[tipo].tabla)} where metadata_path = ${path}`.execute(
    db,
  )
  const object = rows[0] ? await storage.head(bucket, path) : undefined
  if (!object) return undefined
  const body = request.method === 'HEAD' ? undefined : await storage.get(bucket, path)
  const headers = {
    'content-type': object.contentType,
    'content-length': String(object.size),
    'content-disposition': `inline; filename*=UTF-8''${encodeURIComponent(path.split('/').at(-1)!)}`,
    'cache-control': 'private, no-store',
  }
  return {
    path,
    sobre: rows[0]!.sobre,
    response: new Response(body ? (Readable.toWeb(body) as ReadableStream) : null, { headers }),
  }
}

function partsOf(ruta: string): { tipo: TipoInscripcion; bucket: string; path: string } | undefined {
  try {
    const [bucket, ...rest] = ruta.split('/').map(decodeURIComponent)
    const forma = Object.values(FORMAS).find((one) => one.bucket === bucket)
    const path = rest.join('/')
    // PostgreSQL takes no NUL in a text.
    return forma && !path.includes('\0') ? { tipo: forma.tipo, bucket: forma.bucket, path } : undefined
  } catch {
    return undefined
  }
}
