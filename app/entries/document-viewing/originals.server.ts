import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { PRIVATE_HEADERS } from '#app/core/http/private-headers.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import type { EntryType } from '#app/entries/definitions/document-kinds.ts'

/** A stored object that was found and is not opened yet. */
interface Original {
  /** Ids for the audit log, since the path holds a person's name; metadata has no document id. */
  subject: { documento?: number; inscripcion: number }
  /** Returns the response, for a HEAD request without a body; undefined if the object was deleted meanwhile. */
  open(request: Request): Promise<Response | undefined>
}

/**
 * Finds a document of an entry, current or replaced, or an entry's current metadata. The caller must check permission.
 * @param filePath the part of the URL after /archivos/, still percent-encoded
 * @returns undefined if no entry has the path, or the object is gone
 */
export async function findOriginal({ db, storage }: Services, filePath: string): Promise<Original | undefined> {
  const location = parseLocation(filePath)
  if (location === undefined) return undefined
  const { type, bucket, path } = location
  const { rows } = await sql<{ documento: number | null; inscripcion: number }>`
    select documentos.id as documento, inscripcion_id as inscripcion
    from documentos join inscripciones on inscripciones.id = inscripcion_id where tipo = ${type} and path = ${path}
    union all select null, inscripcion_id from ${sql.table(FORMS[type].table)} where metadata_path = ${path}`.execute(
    db,
  )
  const [row] = rows
  const object = row ? await storage.head(bucket, path) : undefined
  if (!row || !object) return undefined
  const headers = {
    'content-type': object.contentType,
    'content-length': String(object.size),
    'content-disposition': `inline; filename*=UTF-8''${encodeURIComponent(path.split('/').at(-1)!)}`,
    ...PRIVATE_HEADERS,
  }
  return {
    subject: { inscripcion: row.inscripcion, ...(row.documento !== null && { documento: row.documento }) },
    async open({ method }) {
      if (method === 'HEAD') return new Response(null, { headers })
      const body = await storage.get(bucket, path)
      return body && new Response(Readable.toWeb(body) as ReadableStream, { headers })
    },
  }
}

/** Parses the type of entry, the bucket and the path in it; undefined for an unknown bucket or a malformed path. */
function parseLocation(filePath: string): { type: EntryType; bucket: string; path: string } | undefined {
  try {
    const [bucket, ...rest] = filePath.split('/').map(decodeURIComponent)
    const descriptor = Object.values(FORMS).find((form) => form.bucket === bucket)
    const path = rest.join('/')
    // PostgreSQL's text type cannot hold a NUL.
    return descriptor && !path.includes('\0') ? { type: descriptor.type, bucket: descriptor.bucket, path } : undefined
  } catch {
    return undefined
  }
}
