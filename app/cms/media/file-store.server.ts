import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { sql } from 'kysely'
import type { Database } from '#app/core/db/database.server.ts'
import type { Services } from '#app/core/http/services.server.ts'
import { hashFile } from '#app/core/process/durable-files.server.ts'
import { ObjectExistsError, type ObjectStorage } from '#app/core/storage/object-store.server.ts'
import { type FileType, filePathOf, hashPrefixOf, type MediaDimensions } from './file-rules.ts'
import { imageManifest } from './image-manifest.server.ts'

export const EDITION_BUCKET = 'edicion'
/** Caches may keep a file for a year, since the bytes at a content-addressed path never change. */
const CACHE_CONTROL_SECONDS = 31_536_000

export const fileObjectPath = (sha256: string): string => `archivos/${sha256}`

export interface EditionFile {
  /** Path in the edition, such as `fotos/<first 12 hex digits of the sha256>.jpg`; a file of content/ may have another path. */
  ruta: string
  sha256: string
  tipo: FileType
  bytes: number
  /** Width in pixels; null for a file without dimensions, such as a document. */
  ancho: number | null
  /** Height in pixels; null like `ancho`. */
  alto: number | null
  /** Preview of a photograph as a data URI; null for other files. */
  vista: string | null
}

/** A file on this machine's disk or in memory that may be published as it is. */
export type FileToSave = { tipo: FileType; dimensions?: MediaDimensions | null | undefined } & (
  | { file: string }
  | { bytes: Uint8Array }
)

/**
 * Stores a file of an edition: first its bytes, then its row, so that a row with `guardado` guarantees stored bytes. Saving the same
 * bytes again is idempotent. A `file` must not be written to afterwards, since the storage may link to it (link(2)), so
 * files that people may still edit (content/) come as `bytes`.
 * @throws errors of the storage or the database; the row then stays as it was
 */
export async function saveEditionFile(
  { db, storage }: Pick<Services, 'db' | 'storage'>,
  fileToSave: FileToSave,
): Promise<EditionFile> {
  const { sha256, bytes } = await hashAndSizeOf(fileToSave)
  const { tipo, dimensions } = fileToSave
  await putUnlessStored(storage, fileToSave, sha256, bytes)
  const sizeColumns = {
    ancho: dimensions?.ancho ?? null,
    alto: dimensions?.alto ?? null,
    vista: dimensions?.vista ?? null,
  }
  await db
    .insertInto('archivos_de_edicion')
    .values({ sha256, tipo, bytes, ...sizeColumns, guardado: true })
    .onConflict((conflict) =>
      conflict.column('sha256').doUpdateSet((eb) => ({
        guardado: true,
        bytes: eb.ref('excluded.bytes'),
        ancho: eb.fn.coalesce('archivos_de_edicion.ancho', 'excluded.ancho'),
        alto: eb.fn.coalesce('archivos_de_edicion.alto', 'excluded.alto'),
        vista: eb.fn.coalesce('archivos_de_edicion.vista', 'excluded.vista'),
      })),
    )
    .execute()
  return { ruta: filePathOf(tipo, sha256), sha256, tipo, bytes, ...sizeColumns }
}

async function hashAndSizeOf(fileToSave: FileToSave): Promise<{ sha256: string; bytes: number }> {
  if ('file' in fileToSave)
    return { sha256: await hashFile(fileToSave.file), bytes: (await stat(fileToSave.file)).size }
  return { sha256: createHash('sha256').update(fileToSave.bytes).digest('hex'), bytes: fileToSave.bytes.byteLength }
}

async function putUnlessStored(storage: ObjectStorage, fileToSave: FileToSave, sha256: string, bytes: number) {
  const metadata = { contentType: fileToSave.tipo, cacheControlSeconds: CACHE_CONTROL_SECONDS }
  const path = fileObjectPath(sha256)
  try {
    if ('file' in fileToSave) await storage.putFile(EDITION_BUCKET, path, fileToSave.file, { ...metadata, sha256 })
    else await storage.putBytes(EDITION_BUCKET, path, fileToSave.bytes, metadata)
  } catch (error) {
    if (!(error instanceof ObjectExistsError)) throw error
    const storedObject = await storage.head(EDITION_BUCKET, path)
    if (storedObject?.sha256 !== sha256 || storedObject.size !== bytes) throw error
  }
}

/**
 * Finds the file at a content-addressed path (filePathOf).
 * @returns undefined for another path, and for a file without a row
 */
export async function findFileByPath(db: Database, path: string): Promise<EditionFile | undefined> {
  const hashPrefix = hashPrefixOf(path)
  if (hashPrefix === undefined) return undefined
  const rows = await selectFiles(db).where('sha256', 'like', `${hashPrefix}%`).execute()
  return rows.map(toEditionFile).find((file) => file.ruta === path)
}

export async function findFileByHash(db: Database, sha256: string): Promise<EditionFile | undefined> {
  const row = await selectFiles(db).where('sha256', '=', sha256).executeTakeFirst()
  return row && toEditionFile(row)
}

/**
 * Finds the file at a path of a publication: of the displayed edition or, if it has none, of the newest edition that has one;
 * undefined without such a file.
 */
export async function findPublishedFile(db: Database, path: string): Promise<EditionFile | undefined> {
  const { rows } = await sql<{ sha256: string }>`
    select archivos ->> ${path} as sha256 from ediciones join publicaciones on publicaciones.id = publicacion
    where archivos ->> ${path} is not null order by actual desc, anio desc limit 1`.execute(db)
  const file = rows[0] && (await findFileByHash(db, rows[0].sha256))
  return file && { ...file, ruta: path }
}

const selectFiles = (db: Database) =>
  db.selectFrom('archivos_de_edicion').select(['sha256', 'tipo', 'bytes', 'ancho', 'alto', 'vista'])

const toEditionFile = (row: Awaited<ReturnType<ReturnType<typeof selectFiles>['execute']>>[number]): EditionFile => {
  const type = row.tipo as FileType
  return { ...row, tipo: type, bytes: Number(row.bytes), ruta: filePathOf(type, row.sha256) }
}

/**
 * Opens a file, from the storage or, while the files of content/ are still being uploaded, from content/.
 * @param range of bytes, both ends included
 * @returns undefined if neither has the file
 */
export async function openEditionFile(
  storage: ObjectStorage,
  sha256: string,
  range?: { start: number; end: number },
): Promise<Readable | undefined> {
  const storedBody = await storage.get(EDITION_BUCKET, fileObjectPath(sha256), range)
  if (storedBody) return storedBody
  const contentManifest = await imageManifest().catch(() => undefined)
  const contentFiles = [...Object.values(contentManifest?.photos ?? {}), ...Object.values(contentManifest?.files ?? {})]
  const contentFile = contentFiles.find((manifestEntry) => manifestEntry.sha256 === sha256)
  return contentFile && existsSync(contentFile.source) ? createReadStream(contentFile.source, range) : undefined
}
